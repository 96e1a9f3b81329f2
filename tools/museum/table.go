package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// table is the page of all bugs, for readers.
func table(all []exhibit) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, `<!-- Written by tools/museum. DO NOT EDIT. -->

# Bugs that clients of Kafka had

Each file here is one of them, as a change of the rules or of the Core: what it would take to have it here. `+"`make museum`"+` makes
each change, in a copy, and sees that every test named here fails of it: by what it asserts, not by a panic, and not by taking
too long, unless it says so. The tests stand in heartbeat; what the scenarios show is told in testdata/scenarios. A scenario
prints each rule that decides, so that any change of a rule makes it fail. That does not count: what is printed is renewed
before, and it must fail of what it demands by `+"`expect`"+`. A seed is the life of a whole group in tools/sim, in which the bug
breaks the invariant that is named.

| bug | what is wrong | source | whom it hurts | killed by |
| --- | --- | --- | --- | --- |
`)
	for _, x := range all {
		killers := x.killers()
		if x.refused == "" {
			killers = strings.Join(x.howKilled(), "<br>")
		}
		fmt.Fprintf(&b, "| [%s](%s.txtar) | %s | %s | %s | %s |\n", x.name, x.name, x.bug, x.source, x.people, killers)
	}
	return b.Bytes()
}

// howKilled says of each test by what it kills.
func (x exhibit) howKilled() []string {
	var out []string
	for _, test := range x.tests() {
		how := "`" + test + "`"
		if name, ok := scenarioOf(test); ok {
			how = fmt.Sprintf("`expect` of [%s](../scenarios/%s)", name, name)
		}
		if s, ok := seedOf(test); ok {
			how = fmt.Sprintf("`sim seed %s` (%s)", s.number, s.invariant)
		}
		if slices.Contains(x.hangs, test) {
			how += ", which does not end"
		}
		out = append(out, how)
	}
	return out
}
