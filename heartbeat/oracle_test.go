package heartbeat

import (
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// Everything that Apache Kafka's own client was seen to do, its members do here, or a rule says `deviates` and why.
// testdata/oracle/figures has what came out, and testdata/oracle/deviations by value what each declaration comes to, so that a
// difference under a declaration that is there already shows too. Renew renews both.
func TestOracle(t *testing.T) {
	r, c := newOracleReading(t), newOracleTally(partDeviations, unreachedDeviations)
	c.record(t, "decisions")
	defer c.tell(t)
	datadriven.RunTest(t, "testdata/oracle/figures", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "cells":
			return c.figures(t, len(bothWays(t)), func() (int, string) { return compareCells(t, r, c) })
		case "loop":
			return c.figures(t, countFacts(t, "loop"), func() (int, string) { return compareLoop(t, r, c) })
		case "listener":
			return c.figures(t, countFacts(t, "listener"), func() (int, string) { return compareListener(t, r, c) })
		case "unreached":
			return c.unreachedRules(r.machine)
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
	c.judge(t, r)
	c.recorded().hold(t, r.machine)
}

// The tally calls equal what is equal, lets a declaration cover its own difference and no other, and finds declarations
// that nothing bears out.
func TestOracleTally(t *testing.T) {
	effect := &spec.Effect{Name: "lose_coordinator", Deviates: "on purpose"}
	plain := &spec.Rule{Name: "plain"}
	other := &spec.Rule{Name: "other", Deviates: "on purpose"}
	loses := &spec.Rule{Name: "loses", Do: []spec.Do{{Effect: effect}}}
	never := &spec.Rule{Name: "never", Deviates: "on purpose"}
	machine := &spec.Machine{Effects: []*spec.Effect{effect}, Events: []*spec.Input{{Cases: []*spec.Case{
		{Decision: plain}, {Decision: other}, {Decision: loses}, {Decision: never},
	}}}}
	parts := map[string][]string{"effect lose_coordinator": {"disconnect"}}
	differ := func(aspect string) (want, got factView) {
		return factView{"state": "STABLE"}, factView{"state": "STABLE", aspect: "seen"}
	}
	for name, c := range map[string]struct {
		used                    *spec.Rule
		aspect                  string
		equal, declared, failed int
	}{
		"equal":                               {plain, "", 1, 0, 0},
		"undeclared":                          {plain, "outcome", 0, 0, 1},
		"declared by the rule":                {other, "outcome", 0, 1, 0},
		"declared by an effect":               {loses, "disconnect", 0, 1, 0},
		"another aspect than the effect says": {loses, "outcome", 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tally := newOracleTally(parts, nil)
			want, got := factView{}, factView{}
			if c.aspect != "" {
				want, got = differ(c.aspect)
			}
			tally.compare(cellFact{}, []*spec.Rule{c.used}, want, got)
			require.Equal(t, []int{c.equal, c.declared, c.failed}, []int{tally.equal, tally.declared, tally.failed})
		})
	}

	tally := newOracleTally(map[string][]string{"effect lose_coordinator": {"disconnect"}, "effect gone": {"state"}}, map[string]string{"plain": "why"})
	tally.compare(cellFact{}, []*spec.Rule{other}, factView{}, factView{})
	require.ElementsMatch(t, []string{
		"effect lose_coordinator deviates, and yet no fact differs from Kafka's; what is it that deviates?",
		"effect gone no longer deviates; delete it from partDeviations",
		"classic.yaml:0 other deviates, and yet Kafka does the same in all of 1 facts; what is it that deviates?",
		"classic.yaml:0 never deviates, and no fact reaches it; say in unreachedDeviations why not",
		"plain: no such rule deviates; delete it from unreachedDeviations",
	}, tally.unproven(machine))
}
