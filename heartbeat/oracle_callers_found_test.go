package heartbeat

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a Core does otherwise than Kafka's client is found also where something is declared: one thing is changed in facts that
// are compared to their end.
func TestCallersDiffer(t *testing.T) {
	r, e := newOracleReading(t), newKafkaExceptions(readFacts[cellFact](t, "cells"))
	facts := readFacts[callerFact](t, "callers")
	move := func(c *callerComparison, from, ms int) {
		for i := from; i < len(c.core); i++ {
			if c.core[i].at >= 0 {
				c.core[i].at += ms
			}
		}
	}
	// apart is the first line that comes later than Kafka's, or earlier.
	apart := func(c *callerComparison, sign int) int {
		for i := range min(len(c.core), len(c.kafka)) {
			if d := (c.core[i].at - c.kafka[i].at) * sign; d > 0 {
				return i
			}
		}
		return -1
	}
	late := func(ms int) func(*callerComparison) bool {
		return func(c *callerComparison) bool {
			i := apart(c, 1)
			if i < 0 || !strings.HasPrefix(c.core[i].what, "sent ") {
				return false
			}
			move(c, i, ms)
			return true
		}
	}
	for _, change := range []struct {
		name, declared string
		change         func(*callerComparison) bool // false where there is nothing to change
	}{
		{"a pause is longer", "join/not join_due", late(9900)},
		{"a pause is shorter", "join/not join_due", late(-1)},
		{"a growing pause is longer", "effect put_off_join", late(9900)},
		{"a growing pause is shorter", "effect put_off_join", late(-1)},
		{"a lookup's pause is longer", "join/not coordinator_known/not lookup_in_flight and not lookup_due", late(9900)},
		{"a lookup's pause is shorter", "join/not coordinator_known/not lookup_in_flight and not lookup_due", late(-1)},
		{"a lookup is earlier", "join/not coordinator_known/not lookup_in_flight and lookup_due", func(c *callerComparison) bool {
			i := apart(c, -1)
			if i >= 0 {
				c.core[i].at -= 1000
			}
			return i >= 0
		}},
		{"another identity", "join/not join_due", func(c *callerComparison) bool {
			for i := range slices.Backward(c.core) {
				if c.core[i].what == "identity" {
					c.core[i].text += "x"
					return true
				}
			}
			return false
		}},
	} {
		t.Run(change.name, func(t *testing.T) {
			tried := 0
			for _, f := range facts {
				c := newCallerTally()
				c.compare(r, e, f)
				if n := c.about[f.About]; n.declared == 0 || c.reach[change.declared] == nil || c.reach[change.declared].differ == 0 {
					continue
				}
				changed, did := newCallerTally(), false
				changed.meddle = func(c *callerComparison) { did = change.change(c) }
				if changed.compare(r, e, f); did {
					require.Equal(t, 1, changed.failed, "%s: no undeclared difference", f)
					if tried++; tried == 5 {
						return
					}
				}
			}
			require.NotZero(t, tried, "in no fact is there anything to change")
		})
	}
}

// Of a commit that was fenced, Kafka's next poll throws just that, and the Core's ends well.
func TestCallersFenced(t *testing.T) {
	for _, one := range []struct {
		kafka, core string
		relaxed     bool
	}{
		{"FencedInstanceIdException", "ok", true},
		{"FencedInstanceIdException", "no answer yet", false},
		{"KafkaException", "ok", false},
	} {
		c := callerComparison{f: callerFact{About: "commit", Code: "FENCED_INSTANCE_ID"}, relaxed: map[string]bool{}}
		got := c.relax(callerLine{what: "poll ended", text: one.kafka}, callerLine{what: "poll ended", text: one.core})
		require.Equal(t, one.relaxed, got, "Kafka %s, the Core %s", one.kafka, one.core)
	}
}
