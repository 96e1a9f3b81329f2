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
)

// Member.Commit tries again what Kafka's commitOffsetsSync tries again, as often, after the same pauses but for their jitter, and
// ends in the same way.
func TestOracleOfCommits(t *testing.T) {
	e := newKafkaExceptions(readFacts[cellFact](t, "cells"))
	compared, again := 0, 0
	for _, f := range readFacts[callerFact](t, "callers") {
		if !f.triesAgain() {
			continue
		}
		compared++
		synctest.Test(t, func(t *testing.T) {
			if f.commits(t, e) {
				again++
			}
		})
	}
	datadriven.RunTest(t, "testdata/oracle/figures_commits", func(*testing.T, *datadriven.TestData) string {
		return fmt.Sprintf("%d facts\n%d equal\n0 differ as declared\n0 differ undeclared\n%d of them are tried again\n", compared, compared, again)
	})
}

// commits makes the calls of the fact, and says whether one was tried again.
func (f callerFact) commits(t *testing.T, e kafkaExceptions) (again bool) {
	m, b := commitMember(t, f)
	defer func() { require.NoError(t, m.Close(context.Background())) }()
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
		require.Equal(t, call.Ended.outcome(), commitOutcome(e, err), "%s: how it ended: %v", f, err)
		wanted := call.pauses(f.Code)
		require.Len(t, sent, len(wanted)+1, "%s: how often it was sent", f)
		for i, pause := range wanted {
			again = true
			got := sent[i+1].Sub(sent[i]) - answeredAfter(f.Code)
			require.InDelta(t, pause.Seconds(), got.Seconds(), 0.2*pause.Seconds()+0.001, "%s: pause %d", f, i+1)
			require.LessOrEqual(t, got, time.Second, "%s: pause %d", f, i+1)
		}
		if len(wanted) == 0 && call.Ended.outcome() != "no answer yet" {
			require.Equal(t, time.Duration(call.Ended.T-call.At)*time.Millisecond, took, "%s: when it ended", f)
		}
	}
	return again
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
