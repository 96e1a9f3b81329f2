package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// factView is what can be seen of a member after something was handled, by aspect. An aspect that is absent is "".
type factView map[string]string

// against lists the aspects in which two views differ.
func (want factView) against(got factView) []string {
	var out []string
	for _, aspect := range slices.Sorted(maps.Keys(eitherView(want, got))) {
		if want[aspect] != got[aspect] {
			out = append(out, aspect)
		}
	}
	return out
}

func eitherView(a, b factView) factView {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// oracleTally counts how facts and decisions compare, and by which declarations differences are covered.
type oracleTally struct {
	file      string              // of the specification
	aspects   map[string][]string // in which a part's deviation shows: partDeviations
	unreached map[string]string   // unreachedDeviations

	equal, declared, failed int // facts
	rules                   map[*spec.Rule]*oracleReach
	parts                   map[string]*oracleReach
	failures                []string     // the first of those that failed
	differences             *differences // what differs as declared, by value
	words                   oracleWords
}

// oracleReach is how many facts came to a rule or a part, and in how many a difference is its own.
type oracleReach struct {
	facts, differ int
}

func newOracleTally(aspects map[string][]string, unreached map[string]string) *oracleTally {
	return &oracleTally{file: "classic.yaml", aspects: aspects, unreached: unreached, rules: map[*spec.Rule]*oracleReach{}, parts: map[string]*oracleReach{}, differences: newDifferences("")}
}

func reached[K comparable](m map[K]*oracleReach, k K) *oracleReach {
	if m[k] == nil {
		m[k] = &oracleReach{}
	}
	return m[k]
}

// compare counts one fact: what the rules that were used make of it, and what Kafka did.
func (c *oracleTally) compare(fact fmt.Stringer, used []*spec.Rule, want, got factView) {
	for _, rule := range used {
		reached(c.rules, rule).facts++
	}
	parts := partsOf(used)
	for _, part := range parts {
		reached(c.parts, part).facts++
	}
	open := want.against(got)
	if len(open) == 0 {
		c.equal++
		return
	}
	for _, part := range parts {
		mine := slices.DeleteFunc(slices.Clone(open), func(a string) bool { return !slices.Contains(c.aspects[part], a) })
		if len(mine) > 0 {
			reached(c.parts, part).differ++
			c.note(part, fact, mine, want, got)
			open = slices.DeleteFunc(open, func(a string) bool { return slices.Contains(mine, a) })
		}
	}
	if len(open) > 0 {
		i := slices.IndexFunc(used, func(r *spec.Rule) bool { return r.Deviates != "" })
		if i < 0 {
			c.fail(fact, used, open, want, got)
			return
		}
		reached(c.rules, used[i]).differ++
		c.note(used[i].Name, fact, open, want, got)
	}
	c.declared++
}

// note has what differs as declared on record.
func (c *oracleTally) note(declaration string, fact fmt.Stringer, aspects []string, want, got factView) {
	var changes []change
	for _, a := range aspects {
		changes = append(changes, c.words.ofFact(fact, a, got[a], want[a]))
	}
	c.differences.note(declaration, fact.String(), changes...)
}

func (c *oracleTally) fail(fact fmt.Stringer, used []*spec.Rule, open []string, want, got factView) {
	c.failed++
	if len(c.failures) >= 20 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", fact)
	for _, rule := range used {
		fmt.Fprintf(&b, "\tdecided by %s:%d %s\n", c.file, rule.Pos.Line, rule.Name)
	}
	for _, aspect := range open {
		fmt.Fprintf(&b, "\t%s: specification %q, Kafka %q\n", aspect, want[aspect], got[aspect])
	}
	c.failures = append(c.failures, b.String())
}

// figures says how one kind of facts compares.
func (c *oracleTally) figures(t *testing.T, wanted int, compare func() (facts int, more string)) string {
	equal, declared, failed := c.equal, c.declared, c.failed
	facts, more := compare()
	require.Equal(t, wanted, facts, "facts were lost on the way")
	return fmt.Sprintf("%d facts\n%d equal\n%d differ as declared\n%d differ undeclared\n", facts, c.equal-equal, c.declared-declared, c.failed-failed) + more
}

// tell fails the test where a fact differs undeclared, and names the first of them: fact, rule and line. It is to be deferred,
// as figures that are not those of testdata end the test before its last line.
func (c *oracleTally) tell(t *testing.T) {
	for _, f := range c.failures {
		t.Errorf("undeclared difference: %s", f)
	}
	if c.failed > len(c.failures) {
		t.Errorf("%d more undeclared differences", c.failed-len(c.failures))
	}
	if t.Failed() {
		t.Log("a difference that is meant: let the rule say `deviates`, and renew what is on record: " + Renew)
	}
}

// judge fails the test where a declaration is not borne out.
func (c *oracleTally) judge(t *testing.T, r *oracleReading) {
	for _, p := range c.unproven(r.machine) {
		t.Error(p)
	}
	t.Logf("%d facts of Apache Kafka's client: %d equal, %d differ as declared, %d undeclared", c.equal+c.declared+c.failed, c.equal, c.declared, c.failed)
}

// unreachedRules are those of which nothing was seen: neither that they equal Kafka's, nor that they do not.
func (c *oracleTally) unreachedRules(m *spec.Machine) string {
	var b strings.Builder
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			if reached(c.rules, rule).facts == 0 {
				fmt.Fprintln(&b, rule.Name)
			}
		}
	}
	return b.String()
}

// record says which comparison it is whose differences are on record.
func (c *oracleTally) record(t testing.TB, comparison string) {
	c.differences = newDifferences(comparison)
	c.words = oracleWords{newKafkaExceptions(readFacts[cellFact](t, "cells")).own}
}

// recorded are the differences, with how many facts came to each deviation.
func (c *oracleTally) recorded() *differences {
	for rule, r := range c.rules {
		c.differences.of[rule.Name] = r.facts
	}
	for part, r := range c.parts {
		c.differences.of[part] = r.facts
	}
	return c.differences
}
