package heartbeat_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// What does not look at its context is named, and not waited for; Done is closed when it has returned.
func TestCloseDoesNotWaitForATransportThatDoesNotReturn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var out atomic.Int32
		w.between = func(ctx context.Context, r heartbeat.Request, inner heartbeat.Transport) heartbeat.Response {
			out.Add(1)
			defer out.Add(-1)
			answer := inner.Send(ctx, r)
			if ctx.Err() != nil {
				time.Sleep(10 * time.Second)
			}
			return answer
		}
		a := w.app("a", nil)
		w.answer(kmsg.JoinGroup, answer{way: byNothing})
		go func() { _ = a.Poll(context.Background()) }()
		w.pass(time.Second)
		began := time.Now()
		err := a.Close(within(t, time.Second))
		require.Equal(t, 1100*time.Millisecond, time.Since(began))
		require.ErrorIs(t, err, errExpired)
		require.ErrorContains(t, err, "not ended: JoinGroup, sent 2.1s ago to broker 0 and not answered")
		require.Equal(t, int32(1), out.Load())
		<-a.Done()
		require.Equal(t, 11*time.Second, time.Since(began))
		require.Zero(t, out.Load(), "requests under way")
		require.NoError(t, a.Close(t.Context()))
	})
}

// An assignor that looks at its context is waited for, also a moment longer than Close's own context; one that does not is
// abandoned, and named in warnings until it returns.
func TestCloseAndTheAssignor(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.assignor = func(ctx context.Context, _ *app, _ heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			return nil, ctx.Err()
		}
		a := w.app("a", nil)
		go func() { _ = a.Poll(context.Background()) }()
		w.pass(time.Second)
		began := time.Now()
		require.NoError(t, a.Close(within(t, time.Minute)))
		require.Less(t, time.Since(began), 2*time.Second)
		require.Greater(t, time.Since(began), time.Second)
	})
	inWorld(t, func(t *testing.T, w *world) {
		w.assignor = func(context.Context, *app, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			time.Sleep(time.Minute) // work for a processor, which looks at no context
			return nil, nil
		}
		a, log := logged(w)
		go func() { _ = a.Poll(context.Background()) }()
		w.pass(time.Second)
		require.Equal(t, classic.CompletingRebalance, a.State())
		began := time.Now()
		err := a.Close(within(t, 2*time.Second))
		require.LessOrEqual(t, time.Since(began), 2200*time.Millisecond)
		require.ErrorContains(t, err, `group "g": not ended: the assignor, which has been running for `)
		<-a.Done()
		warnings := strings.Count(log.String(), "abandoned call did not return")
		require.Equal(t, 5, warnings, "after 1, 3, 7, 15 and 31 s")
	})
}

// A Close that comes second does not wait longer than its own context either, and does not cut the first one short.
func TestASecondCloseEndsWithItsContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.LeaveGroup)
		first := make(chan error, 1)
		go func() { first <- a.Close(t.Context()) }()
		w.pass(time.Second)
		began := time.Now()
		err := a.Close(within(t, 2*time.Second))
		require.Equal(t, 2100*time.Millisecond, time.Since(began))
		require.ErrorIs(t, err, errExpired)
		require.ErrorContains(t, err, `close: `+errExpired.Error()+`; group "g": not ended: LeaveGroup, sent 3.1s ago to broker 0 and not answered`)
		require.Empty(t, first)
		require.NoError(t, w.release(kmsg.LeaveGroup, answer{}))
		require.NoError(t, <-first)
	})
}

// What runs on the member's own goroutine must not block; if it does, every call ends with its context all the same.
func TestCallsEndWhileAnObserverBlocks(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		blocked := make(chan struct{})
		block := true
		a := w.app("a", nil, heartbeat.WithObserver(func(f heartbeat.Fired) {
			if block && f.To == classic.CompletingRebalance {
				block = false
				<-blocked
			}
		}))
		for _, call := range []func(context.Context) error{
			a.Poll,
			func(ctx context.Context) error {
				return a.Run(ctx, func(context.Context, *heartbeat.Session) error { return nil })
			},
			func(ctx context.Context) error { return a.Leave(ctx, heartbeat.LeaveAlways, "enough") },
			a.commitUntil,
		} {
			began := time.Now()
			err := call(within(t, time.Second))
			require.LessOrEqual(t, time.Since(began), 1100*time.Millisecond)
			require.ErrorIs(t, err, errExpired)
			require.ErrorContains(t, err, `group "g": waiting for the observer, which has been running for `)
		}
		began := time.Now()
		err := a.Close(within(t, time.Second))
		require.LessOrEqual(t, time.Since(began), 1200*time.Millisecond)
		require.ErrorContains(t, err, "not ended: the observer, which has been running for ")
		close(blocked)
		<-a.Done()
	})
}
