package heartbeat_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// What is stored is done, what can never succeed is sent once, and only what another try may mend is sent again.
func TestEachPartitionOfACommitHasItsOutcome(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"refused": {final}, "slow": {mended, mended, classic.CodeNone}}}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) {
		err := m.Commit(t.Context(), offsetsOf("slow", "live", "refused"))
		require.Equal(t, []string{"slow live refused", "slow", "slow"}, s.take())
		var e *heartbeat.Error
		require.ErrorAs(t, err, &e)
		require.ErrorIs(t, err, final)
		require.NotErrorIs(t, err, mended)
		require.False(t, e.Retriable)
		require.Equal(t, []heartbeat.PartitionError{{Topic: "refused", Code: final}}, e.Partitions)
		require.ErrorContains(t, err, "refused-0")
		require.NotContains(t, err.Error(), mended.String(), "which was mended")

		s.codes["slow"] = []classic.Code{mended}
		err = m.Commit(within(t, time.Second), offsetsOf("slow", "refused"))
		require.ErrorIs(t, err, errExpired)
		require.ErrorIs(t, err, mended, "what would have been tried again")
		require.ErrorIs(t, err, final)
		require.ErrorContains(t, err, "refused-0")
	})
}

// A commit that is tried again and again holds up no other one.
func TestCommitsDoNotWaitForEachOther(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"slow": {mended}}}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) {
		slow := make(chan error, 1)
		go func() { slow <- m.Commit(context.Background(), offsetsOf("slow")) }()
		for range 3 {
			time.Sleep(10 * time.Second)
			began := time.Now()
			require.NoError(t, m.Commit(t.Context(), offsetsOf("live")))
			require.Equal(t, time.Millisecond, time.Since(began))
		}
		require.Empty(t, slow)
		began := time.Now()
		err := <-slow
		require.Equal(t, 30*time.Second-3*time.Millisecond, time.Since(began).Round(time.Millisecond), "CommitTimeout")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, mended)
		require.ErrorContains(t, err, "Config.CommitTimeout (1m0s) is over")
		require.NotErrorIs(t, err, heartbeat.ErrOutcomeUnknown)
	})
}

// A later commit of a partition replaces an earlier one that waits for its next try, for that partition, at once.
func TestALaterCommitReplacesAnEarlierOne(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"a": {mended, classic.CodeNone}, "b": {mended, mended, classic.CodeNone}}}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) {
		one, both := make(chan error, 1), make(chan error, 1)
		go func() { both <- m.Commit(context.Background(), offsetsOf("a", "b")) }()
		time.Sleep(2 * time.Millisecond) // both wait for the next try
		began := time.Now()
		require.NoError(t, m.Commit(t.Context(), offsetsOf("a")))
		require.Equal(t, time.Millisecond, time.Since(began))
		err := <-both
		require.ErrorIs(t, err, heartbeat.ErrReplaced)
		require.EqualError(t, err, "commit of a-0: a later commit has replaced it")
		require.Equal(t, []string{"a b", "a", "b", "b"}, s.take(), "b was stored, and a not sent again")

		s.codes["a"] = []classic.Code{mended, classic.CodeNone}
		go func() { one <- m.Commit(context.Background(), offsetsOf("a")) }()
		time.Sleep(2 * time.Millisecond)
		go func() { both <- m.Commit(context.Background(), offsetsOf("a")) }()
		synctest.Wait()
		require.ErrorIs(t, <-one, heartbeat.ErrReplaced, "at once")
		require.NoError(t, <-both)
	})
}

// An earlier commit that is under way when a later one is asked for is not sent again after it.
func TestAnEarlierCommitIsNotTriedAgainAfterALaterOne(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"a": {classic.CodeNone, mended}}}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) {
		s.holds("a")
		earlier := make(chan error, 1)
		go func() { earlier <- m.Commit(context.Background(), offsetsOf("a")) }()
		synctest.Wait()
		s.mu.Lock()
		gate := s.hold["a"]
		delete(s.hold, "a")
		s.mu.Unlock()
		require.NoError(t, m.Commit(t.Context(), offsetsOf("a")))
		close(gate) // only now the earlier one is refused, for now
		require.ErrorIs(t, <-earlier, heartbeat.ErrReplaced)
		require.Equal(t, []string{"a", "a"}, s.take())
	})
}

// While the group waits for the application to let go, a commit leaves half of the time to join again.
func TestACommitInRevokedEndsInTimeForTheGroup(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"slow": {mended}}}
	var err error
	took := time.Duration(0)
	withStore(t, s, func(c *heartbeat.Config) { c.MaxPollInterval = 20 * time.Second }, heartbeat.Callbacks{
		Revoked: func(ctx context.Context, session *heartbeat.Session) error {
			began := time.Now()
			time.Sleep(time.Second)
			err = session.Commit(ctx, offsetsOf("slow"))
			took = time.Since(began)
			return nil
		},
	}, func(t *testing.T, m *heartbeat.Member) {
		m.Rejoin("because")
		require.NoError(t, m.Poll(t.Context()))
		require.Equal(t, 10*time.Second, took)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, mended)
		require.ErrorContains(t, err, "half of Config.MaxPollInterval (20s) is over")
	})
}

// A cooperative member revokes in its Assigned callback, in a session that goes on: its poll deadline does as well. What the
// callback has begun may go on for longer.
func TestACommitInAssignedEndsInTimeForTheNextPoll(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"slow": {mended}}}
	var err, later error
	took := time.Duration(0)
	var done chan time.Duration
	withStore(t, s, func(c *heartbeat.Config) { c.MaxPollInterval, c.CommitTimeout = 20*time.Second, 15*time.Second }, heartbeat.Callbacks{
		Assigned: func(ctx context.Context, session *heartbeat.Session) error {
			if session.Generation() == 1 {
				return nil
			}
			done = make(chan time.Duration, 1)
			at := time.Now()
			time.Sleep(time.Second)
			err = session.Commit(ctx, offsetsOf("slow"))
			took = time.Since(at)
			go func() {
				time.Sleep(time.Second)
				at := time.Now()
				later = session.Commit(context.WithoutCancel(ctx), offsetsOf("slow"))
				done <- time.Since(at)
			}()
			return nil
		},
	}, func(t *testing.T, m *heartbeat.Member) {
		m.Rejoin("because")
		require.NoError(t, m.Poll(t.Context()))
		require.Equal(t, 10*time.Second, took)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, mended)
		require.ErrorContains(t, err, "half of Config.MaxPollInterval (20s) is over since the assigned callback began")
		require.NoError(t, m.Poll(t.Context()))
		require.Equal(t, 15*time.Second, <-done)
		require.ErrorContains(t, later, "Config.CommitTimeout (15s) is over")
		require.Equal(t, classic.Stable, m.State())
	})
}

// A commit that waits for its next try when its generation ends does not wait on.
func TestACommitEndsWithItsGeneration(t *testing.T) {
	s := &offsetStore{codes: map[string][]classic.Code{"slow": {mended}}}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) {
		slow := make(chan error, 1)
		go func() { slow <- m.Commit(context.Background(), offsetsOf("slow")) }()
		time.Sleep(20 * time.Second)
		s.take()
		require.NoError(t, m.Leave(t.Context(), heartbeat.LeaveIfDynamic, "enough"))
		synctest.Wait()
		require.ErrorIs(t, <-slow, classic.ErrorCommitFailed)
		require.Empty(t, s.take())
	})
}

// notSent is a failure before a request has left.
type notSent struct{ error }

func (notSent) NotSent() bool { return true }

// What was sent and not answered may have been done: the error does not say that it failed.
func TestACommitWhoseOutcomeIsUnknown(t *testing.T) {
	s := &offsetStore{}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) { // the time is over while it is under way
		s.holds("a")
		err := m.Commit(within(t, 2*time.Second), offsetsOf("a"))
		require.ErrorIs(t, err, errExpired)
		require.ErrorIs(t, err, heartbeat.ErrOutcomeUnknown)
		require.EqualError(t, err, errExpired.Error()+`; group "g": waiting for OffsetCommit, sent 2s ago to broker 1 and not answered; the outcome is unknown: the offsets may have been stored`)
	})
	s = &offsetStore{}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) { // the member is closed meanwhile
		s.holds("a")
		committed := make(chan error, 1)
		go func() { committed <- m.Commit(context.Background(), offsetsOf("a")) }()
		synctest.Wait()
		require.NoError(t, m.Close(t.Context()))
		err := <-committed
		require.ErrorIs(t, err, classic.ErrorCommitUnknown)
		require.ErrorIs(t, err, heartbeat.ErrOutcomeUnknown)
	})
	for _, lost := range []error{errors.New("the wire is cut"), notSent{errors.New("no such host")}, fmt.Errorf("dial: %w", notSent{errors.New("refused")})} {
		_, clear := errors.AsType[notSent](lost)
		s = &offsetStore{lost: lost, codes: map[string][]classic.Code{"a": {final}}}
		simply(t, s, func(t *testing.T, m *heartbeat.Member) {
			err := m.Commit(within(t, 950*time.Millisecond), offsetsOf("a"))
			require.ErrorIs(t, err, lost)
			require.ErrorIs(t, err, classic.CodeDisconnect)
			require.Equal(t, !clear, errors.Is(err, heartbeat.ErrOutcomeUnknown), "%v", err)

			committed := make(chan error, 1)
			s.take()
			go func() { committed <- m.Commit(context.Background(), offsetsOf("a")) }()
			for len(s.take()) == 0 { // until the coordinator is found again
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Millisecond)
			s.mu.Lock()
			s.lost = nil
			s.mu.Unlock()
			err = <-committed
			require.ErrorIs(t, err, final, "what came later")
			require.Equal(t, !clear, errors.Is(err, heartbeat.ErrOutcomeUnknown), "and the first may have been stored all the same: %v", err)
			s.codes["a"] = nil
			require.NoError(t, m.Commit(t.Context(), offsetsOf("a")))
		})
	}
}

// A commit that was not answered, and is refused when it is sent again because its generation has ended, may have been stored
// by the first try: its error does not say that it failed.
func TestACommitThatWasNotAnsweredAndIsThenTooLate(t *testing.T) {
	for _, answered := range []bool{false, true} {
		for _, code := range []classic.Code{classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeGroupIDNotFound} {
			first := map[bool]classic.Code{false: classic.CodeMalformed, true: mended}[answered]
			simply(t, &offsetStore{codes: map[string][]classic.Code{"a": {first, code}}}, func(t *testing.T, m *heartbeat.Member) {
				err := m.Commit(t.Context(), offsetsOf("a"))
				require.Equal(t, answered, errors.Is(err, classic.ErrorCommitFailed), "%v", err)
				require.Equal(t, !answered, errors.Is(err, classic.ErrorCommitUnknown), "%v", err)
				require.Equal(t, !answered, errors.Is(err, heartbeat.ErrOutcomeUnknown), "%v", err)
				if !answered {
					require.NotContains(t, err.Error(), "FAILED")
					require.ErrorContains(t, err, "COMMIT_UNKNOWN after "+code.String())
				}
			})
		}
	}
}

// A commit under a context that has ended is not sent.
func TestACommitWithoutTimeIsNotSent(t *testing.T) {
	s := &offsetStore{}
	simply(t, s, func(t *testing.T, m *heartbeat.Member) {
		over, cancel := context.WithCancelCause(t.Context())
		cancel(errExpired)
		err := m.Commit(over, offsetsOf("a"))
		require.EqualError(t, err, errExpired.Error()+`; group "g": the commit was not sent`)
		require.Empty(t, s.take())
	})
}
