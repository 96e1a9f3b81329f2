package main

import (
	"bytes"
	"fmt"
	"strings"
)

// table is the page of all bugs, for readers.
func table(all []exhibit) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, `<!-- Written by tools/museum. DO NOT EDIT. -->

# Bugs that clients of Kafka had

Each file here is one of them, as a change of the rules or of the Core: what it would take to have it here. `+"`make museum`"+` makes
each change, in a copy, and sees that every test named here fails of it. The tests stand in heartbeat; what the scenarios
show is told in testdata/scenarios.

| bug | what is wrong | source | whom it hurts | killed by |
| --- | --- | --- | --- | --- |
`)
	for _, x := range all {
		killers := x.killers()
		if x.refused == "" {
			killers = "`" + strings.Join(x.killedBy, "`<br>`") + "`"
		}
		fmt.Fprintf(&b, "| [%s](%s.txtar) | %s | %s | %s | %s |\n", x.name, x.name, x.bug, x.source, x.people, killers)
	}
	return b.Bytes()
}
