package heartbeat

import (
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// The rules of the consumer protocol (KIP-848) that spec/testdata/machines has, decide what Apache Kafka's own classes for it
// were seen to do, or a rule says `deviates` and why. No package is generated from them, and no member speaks that protocol: it is
// the machine that is compared. testdata/oracle/figures_consumer has what came out.
func TestOracleOfConsumer(t *testing.T) {
	r, c := newConsumerReading(t), newOracleTally(nil, nil)
	c.file = r.machine.File
	defer c.tell(t)
	var all []consumerComparison
	datadriven.RunTest(t, "testdata/oracle/figures_consumer", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "deviations":
			return c.recorded().report(r.machine)
		case "unreached":
			return c.unreachedRules(r.machine)
		case "interpreter":
			return interpreterFigures(r.machine)
		case "unseen":
			return newConsumerBlanks(r, all).report()
		}
		facts := consumerComparisons(t, d.Cmd)
		all = append(all, facts...)
		return c.figures(t, countFacts(t, "consumer_"+d.Cmd), func() (int, string) {
			for _, f := range facts {
				used, want := f.want(r)
				c.compare(f.fact, used, want, f.got)
			}
			return len(facts), ""
		})
	})
	for _, p := range c.unproven(r.machine) {
		t.Error(p)
	}
}

func consumerComparisons(t *testing.T, kind string) []consumerComparison {
	t.Helper()
	switch kind {
	case "cells":
		return comparisons[consumerCellFact](t, kind)
	case "loop":
		return comparisons[consumerLoopFact](t, kind)
	case "events":
		return comparisons[consumerEventFact](t, kind)
	case "reconciliation":
		return comparisons[consumerReconciliationFact](t, kind)
	case "edges":
		return comparisons[consumerEdgeFact](t, kind)
	}
	t.Fatalf("unknown command %s", kind)
	return nil
}

func comparisons[F interface{ comparison() consumerComparison }](t *testing.T, kind string) []consumerComparison {
	t.Helper()
	var out []consumerComparison
	for _, f := range readFacts[F](t, "consumer_"+kind) {
		out = append(out, f.comparison())
	}
	return out
}

// The interpreter does what rules say, and a callback about nothing is over at once.
func TestOracleConsumerInterpreter(t *testing.T) {
	r := newConsumerReading(t)
	fenced := func(owned int) *consumerInterpreter {
		m := r.interpreter(consumerBefore{State: "STABLE", Epoch: 5, CoordinatorKnown: true, InFlight: true, Owned: owned, Subscribed: 1, Leave: "none"}, false, calm(nil))
		m.input("ConsumerGroupHeartbeat", "FENCED_MEMBER_EPOCH")
		return m
	}
	require.Equal(t, []string{"FENCED"}, fenced(2).Path)
	require.Equal(t, []string{"onPartitionsLost"}, fenced(2).Callbacks)
	require.Equal(t, 2, fenced(2).Owned, "they are dropped when the callback has ended")
	require.Equal(t, []string{"FENCED", "JOINING"}, fenced(0).Path)
	require.Empty(t, fenced(0).Callbacks)
	require.Zero(t, fenced(0).Epoch)
	require.Equal(t, []string{
		"ConsumerGroupHeartbeat/FENCED_MEMBER_EPOCH, UNKNOWN_MEMBER_ID/member", "lost_ended/FENCED",
	}, names(fenced(0).used))
}

func names(rules []*spec.Rule) []string {
	var out []string
	for _, rule := range rules {
		out = append(out, rule.Name)
	}
	return out
}
