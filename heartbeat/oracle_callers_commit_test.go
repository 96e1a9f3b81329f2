package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Member.Commit tries again what Kafka's commitOffsetsSync tries again, as often, after the same pauses but for their jitter, and
// ends in the same way.
func TestOracleOfCommits(t *testing.T) {
	e := newKafkaExceptions(readFacts[cellFact](t, "cells"))
	r := newOracleReading(t)
	compared, declared, again := 0, 0, 0
	for _, f := range readFacts[callerFact](t, "callers") {
		if !f.triesAgain() {
			continue
		}
		compared++
		loses := r.losesCoordinator(f.Code)
		if d, ok := commitDeviations[f.Code]; ok {
			declared++
			require.NotEmpty(t, r.rules[d.rule].Deviates, "%s does not deviate (any more); delete it from commitDeviations", d.rule)
		}
		synctest.Test(t, func(t *testing.T) {
			tried, later := f.commits(t, e, loses)
			if tried {
				again++
			}
			if later {
				declared++
			}
		})
	}
	datadriven.RunTest(t, "testdata/oracle/figures_commits", func(*testing.T, *datadriven.TestData) string {
		return fmt.Sprintf("%d facts\n%d equal\n%d differ as declared\n0 differ undeclared\n%d of them are tried again\n", compared, compared-declared, declared, again)
	})
}

// commitDeviations are the codes of which a commit ends otherwise than Kafka's, by the rule that says so: it is sent once, and fails.
var commitDeviations = map[string]struct{ rule, fails string }{
	"UNKNOWN_TOPIC_OR_PARTITION": {"OffsetCommit/UNKNOWN_TOPIC_OR_PARTITION", "UnknownTopicOrPartitionException"},
	"GROUP_ID_NOT_FOUND":         {"OffsetCommit/GROUP_ID_NOT_FOUND/not stale/else", "CommitFailedException"},
}

// commits makes the calls of the fact, and reports whether one was tried again.
// Where it loses the coordinator, the next waits for the pause of the lookup (take_coordinator and put_off_lookup deviate), and
// is one of the pauses of commits later at most.
func (f callerFact) commits(t *testing.T, e kafkaExceptions, loses bool) (again, later bool) {
	m, b := commitMember(t, f)
	defer func() { require.NoError(t, m.Close(context.Background())) }()
	missing := 0 // commits that Kafka's client has sent by now, and the member has not
	defer func() { require.Zero(t, missing, "%s: commits that were not sent", f) }()
	for _, call := range f.Calls {
		if call.Call != "commit_sync" {
			_ = m.Poll(t.Context()) // what polls do is compared elsewhere
			continue
		}
		b.take()
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(call.Wait)*time.Millisecond)
		err := m.Commit(ctx, []Offset{{Topic: "t"}})
		took := time.Since(began)
		cancel()
		sent := b.take()
		if d, ok := commitDeviations[f.Code]; ok {
			require.NotEqual(t, call.Ended.outcome(), d.fails, "%s: Kafka's ends so too; delete it from commitDeviations", f)
			require.Equal(t, d.fails, commitOutcome(e, err), "%s: how it ended: %v", f, err)
			require.Len(t, sent, 1, "%s: how often it was sent", f)
			return false, false
		}
		require.Equal(t, call.Ended.outcome(), commitOutcome(e, err), "%s: how it ended: %v", f, err)
		wanted := call.pauses(f.Code)
		if loses { // what one call has no time for, the next does
			missing += len(wanted) + 1 - len(sent)
			later = later || missing > 0
			wanted = append(wanted, make([]time.Duration, max(0, len(sent)-1-len(wanted)))...)[:len(sent)-1]
		}
		require.Len(t, sent, len(wanted)+1, "%s: how often it was sent", f)
		for i, pause := range wanted {
			again = true
			got := sent[i+1].Sub(sent[i]) - answeredAfter(f.Code)
			if loses && got < pause && f.As == "sync_no_time" { // the commit of the call before has lost the coordinator meanwhile
				later = true
				require.GreaterOrEqual(t, got, -time.Duration(f.Calls[1].Wait)*time.Millisecond, "%s: pause %d", f, i+1)
				continue
			}
			if lookup := min(200*time.Millisecond<<i, 2*time.Second); loses && got > pause+pause/5 {
				later = true
				require.LessOrEqual(t, got, lookup+lookup/5+time.Second, "%s: pause %d", f, i+1)
				continue
			}
			require.InDelta(t, pause.Seconds(), got.Seconds(), 0.2*pause.Seconds()+0.001, "%s: pause %d", f, i+1)
			require.LessOrEqual(t, got, time.Second, "%s: pause %d", f, i+1)
		}
		if len(wanted) == 0 && call.Ended.outcome() != "no answer yet" {
			require.Equal(t, time.Duration(call.Ended.T-call.At)*time.Millisecond, took, "%s: when it ended", f)
		}
	}
	return again, later
}

// losesCoordinator reports whether a commit that ends with this code does.
func (r *oracleReading) losesCoordinator(code string) bool {
	if code == "SILENCE" {
		code = "DISCONNECT"
	}
	row := r.decide("OffsetCommit", code, factQuestion{state: "STABLE", flags: classic.CoordinatorKnown})
	return has(row.Effects(), "lose_coordinator")
}

// answeredAfter is how long a commit that ends so is under way.
func answeredAfter(code string) time.Duration {
	if code == "SILENCE" || code == "SEND_TIMEOUT" {
		return 30 * time.Second
	}
	return 10 * time.Millisecond
}

// pauses are those that Kafka's client made between the ends of the call's commits and the next ones.
func (c callerCall) pauses(code string) (all []time.Duration) {
	sent, ended := -1, 0
	for _, e := range c.Saw {
		switch {
		case e.Answered == "OffsetCommit":
			ended = e.T
		case e.Sent != "OffsetCommit":
		case sent < 0:
			sent = e.T
		default:
			if code == "SEND_TIMEOUT" { // nobody answers, and Kafka looks for it once in a retry.backoff.ms
				ended = sent + 30_100
			}
			sent = e.T
			all = append(all, time.Duration(sent-ended)*time.Millisecond)
		}
	}
	return all
}

// commitOutcome is how a commit ended, in the words of the facts.
func commitOutcome(e kafkaExceptions, err error) string {
	var raised *Error
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer yet"
	case errors.As(err, &raised):
		return e.classes(raised.Code.String(), raised.nameOrOwn())[0]
	}
	return err.Error()
}
