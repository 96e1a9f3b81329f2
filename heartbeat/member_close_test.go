package heartbeat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Each test ends its members; a goroutine that one of them had left behind would fail the test.

func TestAClosedMemberDoesNothing(t *testing.T) {
	for name, before := range map[string]func(*app){
		"never polled": func(*app) {}, "in its group": func(a *app) { a.join() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				before(a)
				require.NoError(t, a.Close(t.Context()))
				<-a.Done()
				w.diary.take()
				require.NoError(t, a.Close(t.Context()), "closing twice")
				require.ErrorIs(t, a.Poll(t.Context()), heartbeat.ErrClosed)
				require.ErrorIs(t, a.Run(t.Context(), func(context.Context, *heartbeat.Session) error { return nil }), heartbeat.ErrClosed)
				require.ErrorIs(t, a.commit(), heartbeat.ErrClosed)
				require.ErrorIs(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "enough"), heartbeat.ErrClosed)
				a.Rejoin("because")
				require.ErrorIs(t, a.SetProtocols([]heartbeat.Protocol{{Name: "other"}}), heartbeat.ErrClosed)
				w.pass(time.Hour)
				require.Empty(t, w.diary.take())
			})
		})
	}
}

func TestCloseEndsAPollThatWaits(t *testing.T) {
	for name, key := range map[string]kmsg.Key{"for a lookup": kmsg.FindCoordinator, "to join": kmsg.JoinGroup, "for an assignment": kmsg.SyncGroup} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				w.answer(key, answer{way: byNothing})
				polled := make(chan error, 1)
				go func() { polled <- a.Poll(t.Context()) }()
				w.pass(time.Second)
				_ = a.Close(within(t, time.Second))
				require.ErrorIs(t, <-polled, heartbeat.ErrClosed)
			})
		})
	}
}

func TestCloseEndsRunAfterItsWork(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := a.running()
		work := r.next()
		closed := make(chan error, 1)
		go func() { closed <- a.Close(t.Context()) }()
		<-work.ctx.Done()
		require.ErrorIs(t, context.Cause(work.ctx), heartbeat.ErrClosed)
		w.pass(time.Second)
		require.Empty(t, closed, "work has not returned")
		work.result <- nil
		require.NoError(t, <-closed)
		require.ErrorIs(t, <-r.ended, heartbeat.ErrClosed)
	})
}

func TestClosesAtOnceAllEndWhenTheMemberHas(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		const closes = 5
		closed := make(chan error, closes)
		for range closes {
			go func() {
				err := a.Close(t.Context())
				select {
				case <-a.Done():
				default:
					err = errApp
				}
				closed <- err
			}()
		}
		for range closes {
			require.NoError(t, <-closed)
		}
	})
}

// What is asked for while the member leaves to be closed must not make it join again.
func TestNobodyJoinsWhileTheMemberIsClosed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		a.run()
		w.hold(kmsg.LeaveGroup)
		closed := make(chan error, 1)
		go func() { closed <- a.Close(t.Context()) }()
		w.pass(10 * time.Second)
		require.ErrorIs(t, a.commit(), classic.ErrorCommitFailed)
		require.ErrorIs(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "enough"), heartbeat.ErrClosed)
		w.diary.take()
		require.NoError(t, w.release(kmsg.LeaveGroup, answer{}))
		require.NoError(t, <-closed)
		require.Empty(t, w.diary.texts(sent))
	})
}

func TestCloseWithoutTime(t *testing.T) {
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errExpired)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		session := a.join()
		require.NoError(t, a.Close(over), "the group is notified, as that takes no time")
		<-a.Done()
		requests := w.diary.texts(sent)
		require.Contains(t, requests[len(requests)-1], "LeaveGroup member=m1")
		require.Error(t, session.Context().Err())
	})
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.LeaveGroup)
		began := time.Now()
		require.ErrorIs(t, a.Close(over), errExpired)
		<-a.Done()
		require.LessOrEqual(t, time.Since(began), 200*time.Millisecond)
	})
}

// A callback that runs when Close has no time to wait for it goes on, with a context that has ended; no other begins.
func TestCloseWithoutTimeWhileACallbackRuns(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.on(heartbeat.CallbackAssigned, func(ctx context.Context) error {
			<-ctx.Done()
			require.ErrorIs(t, context.Cause(ctx), heartbeat.ErrClosed)
			return nil
		})
		polled := make(chan error, 1)
		go func() { polled <- a.Poll(context.Background()) }()
		w.pass(time.Second)
		require.ErrorIs(t, a.Close(within(t, time.Second)), errExpired)
		<-a.Done()
		require.ErrorIs(t, <-polled, heartbeat.ErrClosed)
		require.Equal(t, []string{"assigns generation=1 members=1", "assigned member=m1 generation=1"}, w.diary.texts(told))
	})
	inWorld(t, func(t *testing.T, w *world) { // and when it does not look at its context
		a := w.app("a", nil)
		a.on(heartbeat.CallbackAssigned, func(context.Context) error {
			time.Sleep(time.Minute)
			return nil
		})
		polled := make(chan error, 1)
		go func() { polled <- a.Poll(context.Background()) }()
		w.pass(time.Second)
		began := time.Now()
		err := a.Close(within(t, time.Second))
		require.Equal(t, 1100*time.Millisecond, time.Since(began))
		require.ErrorIs(t, err, errExpired)
		require.ErrorContains(t, err, `not ended: the assigned callback, which has been running for 2.1s`)
		<-a.Done()
		require.ErrorIs(t, <-polled, heartbeat.ErrClosed)
		require.NotContains(t, w.diary.texts(told), "revoked member=m1 generation=1", "a callback has begun after Close")
	})
}

func TestCloseWithoutTimeWhileWorkRuns(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := a.running()
		work := r.next()
		require.ErrorIs(t, a.Close(within(t, time.Second)), errExpired)
		<-a.Done()
		require.Error(t, work.ctx.Err())
		require.Empty(t, r.ended, "Run has returned before its work")
		work.result <- nil
		require.ErrorIs(t, <-r.ended, heartbeat.ErrClosed)
	})
}

func TestAPanicOfACallbackInCloseStillEndsTheMember(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		a.on(heartbeat.CallbackRevoked, func(context.Context) error { panic("the application is broken") })
		w.diary.take()
		require.PanicsWithValue(t, "the application is broken", func() { _ = a.Close(t.Context()) })
		<-a.Done()
		require.Equal(t, []string{`LeaveGroup member=m1 reason="the member is closed"`}, w.diary.texts(sent))
		require.NoError(t, a.Close(t.Context()))
		require.ErrorIs(t, a.Poll(t.Context()), heartbeat.ErrClosed)
	})
}

func TestCloseDuringLeave(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.LeaveGroup)
		left := make(chan error, 1)
		go func() { left <- a.Leave(t.Context(), heartbeat.LeaveAlways, "enough") }()
		synctest.Wait()
		closed := make(chan error, 1)
		go func() { closed <- a.Close(t.Context()) }()
		w.pass(time.Second)
		require.NoError(t, w.release(kmsg.LeaveGroup, answer{}))
		require.NoError(t, <-left)
		require.NoError(t, <-closed)
		require.Len(t, only(w.diary.take(), told), 3, "assigns, assigned, revoked once")
	})
}
