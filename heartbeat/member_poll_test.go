package heartbeat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

var (
	errApp     = errors.New("the application cannot")
	errExpired = errors.New("the time that the test gives is over")
)

// within is a context that ends after d.
func within(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, errExpired)
	t.Cleanup(cancel)
	return ctx
}

func TestPollTellsTheApplicationOfItsPartitions(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		first := a.join()
		require.Equal(t, first.MemberID(), string(first.Assignment()))
		a.on(heartbeat.CallbackRevoked, func(context.Context) error {
			require.Error(t, first.Context().Err(), "the session has ended before the application is asked to let go")
			require.Equal(t, "rejoin_asked", causeOf(first.Context()).Name)
			return a.commit()
		})
		a.Rejoin("because")
		second := a.join()
		require.NotSame(t, first, second)
		require.Equal(t, []string{
			"assigns generation=1 members=1", "assigned member=m1 generation=1", "revoked member=m1 generation=1",
			"assigns generation=2 members=1", "assigned member=m1 generation=2",
		}, w.diary.texts(told))

		w.kick(a)
		<-second.Context().Done()
		require.Equal(t, "UNKNOWN_MEMBER_ID", causeOf(second.Context()).Name)
		require.Equal(t, second.Generation(), causeOf(second.Context()).Generation)
		a.join()
		require.Equal(t, "lost member=m1 generation=2", w.diary.texts(told)[0])
	})
}

func TestPollWithNothingToDoReturnsAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		began := time.Now()
		for range 100 {
			require.NoError(t, a.Poll(t.Context()))
		}
		require.Zero(t, time.Since(began))
	})
}

// What a poll has told the application of, it finds also by the member's methods.
func TestWhenAPollHasEndedTheStatusIsOfAfterIt(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.on(heartbeat.CallbackAssigned, func(context.Context) error {
			require.Equal(t, classic.Stable, a.State())
			require.Equal(t, int32(1), a.Generation())
			return nil
		})
		a.join()
		w.answer(kmsg.OffsetCommit, answer{way: byCode, code: classic.CodeIllegalGeneration})
		session := a.session()
		require.Error(t, a.commit())
		require.Equal(t, classic.Unjoined, a.State())
		require.Error(t, session.Context().Err())
	})
}

func TestACallbacksErrorIsWhatPollReturns(t *testing.T) {
	rejoin := func(a *app) { a.Rejoin("because") }
	lose := func(a *app) {
		a.w.kick(a)
		<-a.session().Context().Done()
	}
	for name, test := range map[string]struct {
		kind   heartbeat.CallbackKind
		before func(*app)
	}{
		"assigned": {heartbeat.CallbackAssigned, rejoin},
		"revoked":  {heartbeat.CallbackRevoked, rejoin},
		"lost":     {heartbeat.CallbackLost, lose},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				a.join()
				test.before(a)
				a.on(test.kind, func(context.Context) error { return errApp })
				err := a.Poll(t.Context())
				require.ErrorIs(t, err, errApp)
				var e *heartbeat.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, "CALLBACK", e.Name)
				a.join()
			})
		})
	}
}

func TestAPanicOfACallbackIsThePollersToSee(t *testing.T) {
	for _, kind := range []heartbeat.CallbackKind{heartbeat.CallbackAssigned, heartbeat.CallbackRevoked} {
		t.Run(kind.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				a.join()
				a.Rejoin("because")
				a.on(kind, func(context.Context) error { panic("the application is broken") })
				require.PanicsWithValue(t, "the application is broken", func() { _ = a.Poll(t.Context()) })
				a.join()
				w.pass(3 * time.Minute)
				require.Equal(t, classic.Stable, a.State())
			})
		})
	}
}

func TestPollWithAContextThatHasEnded(t *testing.T) {
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errExpired)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", func(c *heartbeat.Config) { c.MaxPollInterval = time.Minute })
		began := time.Now()
		for range 3 {
			require.ErrorIs(t, a.Poll(over), errExpired)
		}
		require.Zero(t, time.Since(began))
		a.join()
		for range 10 { // it counts as a poll all the same
			w.pass(50 * time.Second)
			require.NoError(t, a.Poll(over), "there is nothing to wait for")
		}
		require.Equal(t, int32(1), a.Generation())
	})
}

// Kafka's consumer sent no heartbeats after a poll was interrupted while it joined, and so fell out of the group again
// and again (KAFKA-3782).
func TestAPollThatIsGivenUpGoesOnInTheNext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		w.hold(kmsg.JoinGroup)
		require.ErrorIs(t, a.Poll(within(t, time.Second)), errExpired)
		require.NoError(t, w.release(kmsg.JoinGroup, answer{}))
		w.pass(10 * time.Second)
		require.Equal(t, classic.PreparingRebalance, a.State(), "an id was given, and nobody has polled since")
		require.ErrorIs(t, a.Poll(within(t, time.Millisecond)), errExpired)
		w.pass(time.Second)
		require.Equal(t, classic.Stable, a.State(), "the join goes on without a poll")
		w.diary.take()
		w.pass(10 * time.Second)
		require.Len(t, w.diary.texts(sent), 3, "heartbeats")

		a.join()
		require.Equal(t, []string{"assigned member=m1 generation=1"}, w.diary.texts(told))
	})
}

func TestACallbackThatIsUnderWayIsNotLostWhenItsPollIsGivenUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.on(heartbeat.CallbackAssigned, func(ctx context.Context) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			return nil
		})
		began := time.Now()
		require.NoError(t, a.Poll(within(t, time.Second)), "the callback was all that was left to do")
		require.Equal(t, 2*time.Second, time.Since(began), "Poll has returned while its callback was running")
		require.NoError(t, a.Poll(t.Context()))
		require.Equal(t, []string{"assigns generation=1 members=1", "assigned member=m1 generation=1"}, w.diary.texts(told))
	})
}

func TestAnErrorOfACallbackWhosePollIsGivenUpIsNotLost(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.on(heartbeat.CallbackAssigned, func(ctx context.Context) error {
			<-ctx.Done()
			return errApp
		})
		require.ErrorIs(t, a.Poll(within(t, time.Second)), errApp)
		a.join()
	})
}

func TestOnlyOneAtATimePolls(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		w.hold(kmsg.FindCoordinator)
		go func() { _ = a.Poll(t.Context()) }()
		synctest.Wait()
		require.ErrorIs(t, a.Poll(t.Context()), heartbeat.ErrBusy)
		require.ErrorIs(t, a.Run(t.Context(), func(context.Context, *heartbeat.Session) error { return nil }), heartbeat.ErrBusy)
		require.NoError(t, w.release(kmsg.FindCoordinator, answer{}))
		w.pass(time.Second)
		r := a.running()
		work := r.next()
		require.ErrorIs(t, a.Poll(t.Context()), heartbeat.ErrBusy)
		require.ErrorIs(t, a.Run(t.Context(), func(context.Context, *heartbeat.Session) error { return nil }), heartbeat.ErrBusy)
		r.stop(work)
		require.NoError(t, a.Poll(t.Context()))
	})
}

// A callback may take as long as it likes; what the coordinator says meanwhile reaches the application when it is over.
func TestHeartbeatsGoOnDuringACallback(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		first := a.join()
		a.on(heartbeat.CallbackRevoked, func(context.Context) error {
			w.diary.take()
			w.pass(30 * time.Second)
			require.Len(t, w.diary.texts(sent), 10, "heartbeats")
			w.kick(a)
			w.pass(30 * time.Second)
			return nil
		})
		a.Rejoin("because")
		second := a.join()
		require.NotEqual(t, first.MemberID(), second.MemberID())
		require.Equal(t, []string{
			"lost member=m1 generation=1", "assigns generation=3 members=1", "assigned member=m2 generation=3",
		}, w.diary.texts(told))
	})
}

// An application that has a loop of its own polls when the member wants it to.
func TestTheMemberSaysWhenItWantsAPoll(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		wanted := func() bool {
			select {
			case <-a.Wants():
				return true
			case <-time.After(4 * time.Second):
				return false
			}
		}
		require.True(t, wanted(), "it is in no group")
		a.join()
		require.False(t, wanted(), "there is nothing to do")
		a.Rejoin("because")
		require.True(t, wanted())
		a.join()
		require.False(t, wanted())
		w.kick(a)
		require.True(t, wanted())
		a.join()
		w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
		require.True(t, wanted(), "there is an error to be raised")
		require.Error(t, a.Poll(t.Context()))
		require.True(t, wanted(), "and then to join")
		a.join()
	})
}

// That a coordinator gives an id is how a dynamic member joins, and no failure (KIP-394).
func TestAJoinLogsNoFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a, log := logged(w)
		a.join()
		a.Rejoin("because")
		a.join()
		require.NoError(t, a.Close(t.Context()))
		require.Contains(t, log.String(), "level=INFO")
		require.Empty(t, warned(log))
	})
}
