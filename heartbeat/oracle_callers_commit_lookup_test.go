package heartbeat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// A commit whose coordinator must be looked up first ends as Kafka's commitOffsetsSync does when the lookup fails, which the
// next poll is then not told: who looks, and when, differs as declared; what the caller hears of it does not.
func TestOracleOfCommitsThatLookUp(t *testing.T) {
	e := newKafkaExceptions(readFacts[cellFact](t, "cells"))
	outcomes := map[string]int{}
	for _, f := range readFacts[callerFact](t, "callers") {
		if f.As == "commit_sync" {
			synctest.Test(t, func(t *testing.T) { outcomes[f.commitsWithoutCoordinator(t, e)]++ })
		}
	}
	require.Greater(t, len(outcomes), 20, "each code that nothing repeats is another outcome")
	require.NotZero(t, outcomes["ok"])
}

// commitsWithoutCoordinator makes the calls of the fact, and says how the commit ended.
func (f callerFact) commitsWithoutCoordinator(t *testing.T, e kafkaExceptions) (outcome string) {
	m, b := commitMember(t, f)
	defer func() { _ = m.Close(context.Background()) }() // tells nobody where the coordinator is still unknown
	for _, call := range f.Calls {
		switch call.Call {
		case "forget_coordinator": // Kafka's next lookup is the commit's; here it is the loop's, as soon as a heartbeat says so
			b.moves()
			time.Sleep(callerConfig(f.Static).HeartbeatInterval + callerLatency(classic.InputHeartbeat))
			synctest.Wait()
		case "commit_sync":
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(call.Wait)*time.Millisecond)
			outcome = commitOutcome(e, m.Commit(ctx, []Offset{{Topic: "t"}}))
			cancel()
			require.Equal(t, call.Ended.outcome(), outcome, "%s: how it ended", f)
		default:
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(call.Wait)*time.Millisecond)
			require.NoError(t, m.Poll(ctx), "%s", f)
			cancel()
			if call.Ended.Returned != "true" { // Kafka raises what was no answer twice: the result FindCoordinator/raise deviates
				require.Equal(t, outcome, call.Ended.outcome(), "%s", f)
			}
		}
	}
	return outcome
}
