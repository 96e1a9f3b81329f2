package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/kbeat/kbeat/spec"
)

// What the callers of Kafka's response handlers do, with time to wait, a Core does: what it sends and when, what it tells its
// application, how each call ends, and what the member looks like then; or a rule says `deviates`, or it stands in
// oracle_callers_limits_test.go with its reason. testdata/oracle/figures_callers has what came out.
func TestOracleOfCallers(t *testing.T) {
	r, c := newOracleReading(t), newCallerTally()
	e := newKafkaExceptions(readFacts[cellFact](t, "cells"))
	for _, f := range readFacts[callerFact](t, "callers") {
		c.compare(r, e, f)
	}
	defer c.tell(t)
	datadriven.RunTest(t, "testdata/oracle/figures_callers", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "facts":
			return c.facts()
		case "lines":
			return fmt.Sprintf("%d seen of Kafka's client\n%d compared\n", c.lines, c.compared)
		case "limits":
			return counted(c.left)
		case "relaxations":
			return counted(c.relaxed)
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
	c.judge(t, r.machine)
	for name, r := range c.reach {
		c.differences.of[name] = r.facts
	}
	c.differences.hold(t, r.machine)
}

func (t *callerTally) facts() string {
	var b strings.Builder
	for _, about := range slices.Sorted(maps.Keys(t.about)) {
		n := t.about[about]
		fmt.Fprintf(&b, "%s: %d equal, %d differ as declared and go on alike, %d are compared up to a declared difference, %d differ undeclared, %d are not compared\n",
			about, n.equal, n.declared, n.ended, n.failed, n.left)
	}
	return b.String()
}

func counted(facts map[string]int) string {
	var b strings.Builder
	for _, why := range slices.Sorted(maps.Keys(facts)) {
		fmt.Fprintf(&b, "%d: %s\n", facts[why], why)
	}
	return b.String()
}

func (t *callerTally) tell(tt *testing.T) {
	for _, f := range t.failures {
		tt.Errorf("undeclared difference: %s", f)
	}
	if t.failed > len(t.failures) {
		tt.Errorf("%d more undeclared differences", t.failed-len(t.failures))
	}
	if tt.Failed() {
		tt.Log("a difference that is meant: let the rule say `deviates`, and renew what is on record: " + Renew)
	}
}

// judge fails the test where a declaration that facts reach is not borne out by one, or the lists speak of none.
func (t *callerTally) judge(tt *testing.T, m *spec.Machine) {
	for _, name := range slices.Sorted(maps.Keys(t.reach)) {
		if r := t.reach[name]; r.differ == 0 {
			tt.Errorf("%s deviates, and yet Kafka does the same in all of %d facts; what is it that deviates?", name, r.facts)
		}
	}
	for name, ends := range callerEnds {
		for _, at := range ends {
			if !t.ends[name+" in "+at] {
				tt.Errorf("no comparison ends by %s in %s; delete it from callerEnds", name, at)
			}
		}
	}
	declared := map[string]bool{}
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			declared[rule.Name] = rule.Deviates != ""
			for _, part := range partsOf([]*spec.Rule{rule}) {
				declared[part] = true
			}
		}
	}
	for _, name := range slices.Concat(callerPauses, callerLookupPauses, slices.Collect(maps.Keys(callerAspects)), slices.Collect(maps.Keys(callerParts)),
		slices.Collect(maps.Keys(callerEnds)), slices.Collect(maps.Keys(callerShows))) {
		if !declared[name] {
			tt.Errorf("%s does not deviate (any more); delete it from the lists of the callers' comparison", name)
		}
	}
}
