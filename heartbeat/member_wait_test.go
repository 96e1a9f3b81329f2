package heartbeat_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// broken is a transport that is at fault itself.
type broken struct{}

func (broken) Send(context.Context, heartbeat.Request) heartbeat.Response { panic("out of order") }

// Who gives up a wait is told what had failed last, not only that time was over.
func TestAPollThatIsGivenUpSaysWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := heartbeat.NewMember(heartbeat.Config{
			Group: "g", ProtocolType: "echo", Protocols: []heartbeat.Protocol{{Name: "echo"}},
		}, broken{}, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, nil })
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		err = m.Poll(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, classic.CodeDisconnect)
		require.ErrorContains(t, err, "; the last failure: group \"g\": FindCoordinator in UNJOINED: DISCONNECT")
		require.ErrorContains(t, err, "transport: panic: out of order")
		require.ErrorContains(t, err, "waiting for the retry backoff to end, in state UNJOINED")
		require.NoError(t, m.Close(t.Context()))
	})
}

var errRefused = errors.New("dial tcp 10.0.0.7:9092: connect: connection refused")

// outage refuses each request of the members that are made from now on, while away is set.
func (w *world) outage() (away *atomic.Bool) {
	away = new(atomic.Bool)
	w.between = func(ctx context.Context, r heartbeat.Request, next heartbeat.Transport) heartbeat.Response {
		if !away.Load() {
			return next.Send(ctx, r)
		}
		time.Sleep(time.Millisecond)
		return heartbeat.Response{ID: r.ID, Code: classic.CodeDisconnect, Err: fmt.Errorf("%s: %w", r.API, errRefused)}
	}
	return away
}

// In an outage no broker accepts a connection. Each call that waits for the coordinator, or would have needed it, says so,
// with the group, the API that failed, and what the network has said.
func TestWhatWaitsInAnOutageSaysWhy(t *testing.T) {
	calls := map[string]func(t *testing.T, a *app) error{
		"commit": func(t *testing.T, a *app) error { return a.commitUntil(within(t, 5*time.Second)) },
		"poll": func(t *testing.T, a *app) error {
			a.Rejoin("because")
			return a.Poll(within(t, 5*time.Second))
		},
		"run": func(t *testing.T, a *app) error {
			return a.Run(within(t, 5*time.Second), func(ctx context.Context, _ *heartbeat.Session) error {
				<-ctx.Done()
				return ctx.Err()
			})
		},
		"poll after leave": func(t *testing.T, a *app) error {
			_ = a.Leave(t.Context(), heartbeat.LeaveAlways, "enough")
			return a.Poll(within(t, time.Millisecond)) // the lookup before is the last one
		},
		"leave": func(t *testing.T, a *app) error { return a.Leave(t.Context(), heartbeat.LeaveAlways, "enough") },
		"close": func(t *testing.T, a *app) error { return a.Close(t.Context()) },
	}
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				away := w.outage()
				a := w.app("a", nil)
				a.join()
				away.Store(true)
				w.pass(10 * time.Second)
				err := call(t, a)
				require.ErrorIs(t, err, errRefused)
				require.ErrorContains(t, err, `group "g": `)
				require.ErrorContains(t, err, `FindCoordinator in STABLE: DISCONNECT`)
				if name != "leave" && name != "close" { // they do not wait for a broker
					require.ErrorIs(t, err, errExpired)
				}
				away.Store(false)
			})
		})
	}
}

// A poll that comes first receives a lookup's failure. A commit that goes on beside it does not wait in vain.
func TestCommitBesideAPollHasTheLookupsFailure(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		a.run()
		w.answer(kmsg.FindCoordinator, answer{way: byCode, code: classic.CodeGroupAuthorizationFailed, forever: true})
		w.answer(kmsg.OffsetCommit, answer{way: byCode, code: classic.CodeNotCoordinator})
		began := time.Now()
		err := a.commitUntil(within(t, time.Minute))
		require.ErrorIs(t, err, classic.CodeGroupAuthorizationFailed)
		require.NotErrorIs(t, err, errExpired)
		require.Less(t, time.Since(began), 5*time.Second)

		// A failure that is older than a commit does not end it.
		w.relent(kmsg.FindCoordinator)
		require.NoError(t, a.commitUntil(within(t, time.Minute)))
	})
}

// Run, and Poll, poll for an application that waits in them, for as long as that takes.
func TestAnApplicationThatWaitsInAPollDoesPoll(t *testing.T) {
	interval := func(c *heartbeat.Config) { c.MaxPollInterval, c.SessionTimeout = 30*time.Second, 5*time.Minute }
	for name, wait := range map[string]func(a *app) error{
		"poll": func(a *app) error {
			a.join()
			a.Rejoin("because")
			return a.Poll(context.Background())
		},
		"run":           func(a *app) error { return runTwice(a) },
		"with progress": func(a *app) error { return runTwice(a, heartbeat.RequireProgress()) },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", interval)
				w.answer(kmsg.SyncGroup, answer{}, answer{way: byCut})
				go func() {
					for !a.Status().Flags.Has(classic.SyncNeeded) {
						time.Sleep(time.Millisecond)
					}
					w.answer(kmsg.FindCoordinator, answer{way: byCode, code: classic.CodeCoordinatorNotAvailable, forever: true})
					time.Sleep(2 * time.Minute)
					w.relent(kmsg.FindCoordinator)
				}()
				require.NoError(t, wait(a))
				for _, rule := range w.diary.texts(ruled) {
					require.NotContains(t, rule, "poll_expired")
				}
			})
		})
	}
}

// runTwice runs until the second generation; the work of the first asks for that.
func runTwice(a *app, opts ...heartbeat.RunOption) error {
	first := true
	return a.Run(context.Background(), func(ctx context.Context, _ *heartbeat.Session) error {
		if !first {
			return nil
		}
		first = false
		a.Rejoin("because")
		<-ctx.Done()
		return ctx.Err()
	}, opts...)
}

// Work that goes on through an outage, in which Run waits for the coordinator, has to make progress where that is required,
// and is heard.
func TestProgressCountsWhileRunWaits(t *testing.T) {
	for _, works := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			away := w.outage()
			a := w.app("a", func(c *heartbeat.Config) { c.MaxPollInterval, c.SessionTimeout = 30*time.Second, 5*time.Minute })
			r := a.running(heartbeat.RequireProgress())
			work := r.next()
			away.Store(true)
			w.pass(10 * time.Second)
			a.Rejoin("because") // waits for the coordinator, before the work is told
			for range 10 {
				w.pass(10 * time.Second)
				if works {
					work.session.Progress()
				}
			}
			away.Store(false)
			<-work.ctx.Done()
			if works {
				require.Equal(t, "rejoin_asked", causeOf(work.ctx).Rule.Name)
			} else {
				require.ErrorIs(t, context.Cause(work.ctx), classic.ErrorPollExpired)
			}
			work.result <- nil
			r.stop(r.next())
		})
	}
}

// A Close in work, with a context of its own, waits for the work that has called it, and says so; also where nobody can be
// notified, and of a callback in its place.
func TestCloseNamesTheWorkThatItHasWaitedFor(t *testing.T) {
	for _, reachable := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			away := w.outage()
			a := w.app("a", nil)
			var err error
			require.ErrorIs(t, a.Run(t.Context(), func(context.Context, *heartbeat.Session) error {
				if away.Store(!reachable); !reachable {
					time.Sleep(10 * time.Second)
				}
				err = a.Close(within(t, 2*time.Second))
				return nil
			}), heartbeat.ErrClosed)
			require.EqualError(t, err, errExpired.Error()+`; group "g": waiting for Run's work, which was told to end 2s ago`)
			require.ErrorIs(t, err, errExpired)
		})
		inWorld(t, func(t *testing.T, w *world) {
			away := w.outage()
			a := w.app("a", nil)
			a.join()
			if away.Store(!reachable); !reachable {
				w.pass(10 * time.Second)
			}
			a.on(heartbeat.CallbackRevoked, func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			})
			err := a.Leave(within(t, 2*time.Second), heartbeat.LeaveAlways, "enough")
			require.EqualError(t, err, errExpired.Error()+`; group "g": waiting for the revoked callback, which has been running for 2s`)
		})
	}
}
