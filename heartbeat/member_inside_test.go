package heartbeat_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// waits are the calls that cannot be made in a callback, each with its end.
var waits = map[string]func(context.Context, *app) error{
	"poll": func(ctx context.Context, a *app) error { return a.Poll(ctx) },
	"run": func(ctx context.Context, a *app) error {
		return a.Run(ctx, func(context.Context, *heartbeat.Session) error { return nil })
	},
	"leave": func(ctx context.Context, a *app) error { return a.Leave(ctx, heartbeat.LeaveIfDynamic, "enough") },
	"close": func(ctx context.Context, a *app) error { return a.Close(ctx) },
}

// inCallback lets f run in a callback of a kind, in a Poll, and returns what Poll has.
func (a *app) inCallback(kind heartbeat.CallbackKind, f func(context.Context)) error {
	if kind != heartbeat.CallbackAssigned {
		a.join()
	}
	a.on(kind, func(ctx context.Context) error {
		f(ctx)
		return nil
	})
	switch kind {
	case heartbeat.CallbackRevoked:
		a.Rejoin("because")
	case heartbeat.CallbackLost:
		a.w.answer(kmsg.Heartbeat, answer{way: byCode, code: classic.CodeUnknownMemberID})
		a.w.pass(4 * time.Second)
	}
	return a.Poll(context.Background())
}

// A call that would wait for the callback that makes it is refused at once, by the callback's context or one made from it.
func TestCallsThatWaitAreRefusedInCallbacks(t *testing.T) {
	for name, call := range waits {
		for _, kind := range []heartbeat.CallbackKind{heartbeat.CallbackAssigned, heartbeat.CallbackRevoked, heartbeat.CallbackLost} {
			t.Run(name+" in "+kind.String(), func(t *testing.T) {
				inWorld(t, func(t *testing.T, w *world) {
					a := w.app("a", nil)
					var refused [2]error
					require.NoError(t, a.inCallback(kind, func(ctx context.Context) {
						began := time.Now()
						refused[0] = call(ctx, a)
						own, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
						defer cancel()
						refused[1] = call(own, a)
						require.Zero(t, time.Since(began))
					}))
					for _, err := range refused {
						require.ErrorIs(t, err, heartbeat.ErrInCallback)
						require.ErrorContains(t, err, name+` of group "g", called by the `+kind.String()+" callback: ")
					}
					require.Equal(t, classic.Stable, a.State(), "nothing was begun")
				})
			})
		}
	}
}

// With a context of its own such a call ends with that, and says what it has waited for.
func TestCallsInCallbacksEndWithTheirOwnContext(t *testing.T) {
	for name, call := range waits {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				var err error
				_ = a.inCallback(heartbeat.CallbackRevoked, func(context.Context) {
					began := time.Now()
					err = call(within(t, 2*time.Second), a)
					require.LessOrEqual(t, time.Since(began), 2200*time.Millisecond)
				})
				if name == "poll" || name == "run" {
					require.ErrorIs(t, err, heartbeat.ErrBusy)
					return
				}
				require.ErrorIs(t, err, errExpired)
				require.ErrorContains(t, err, `group "g": waiting for the revoked callback, which has been running for 2s`)
			})
		})
	}
}

// Run's work and the assignor are waited for as callbacks are. A callback of another member may do what it likes.
func TestCallsThatWaitAreRefusedInWorkAndAssignor(t *testing.T) {
	for name, call := range waits {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var inAssignor error
				w.assignor = func(ctx context.Context, a *app, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
					if in.Group == "other" {
						inAssignor = call(ctx, a)
					}
					return a.assign(ctx, in)
				}
				other := w.app("b", func(c *heartbeat.Config) { c.Group = "other" })
				require.NoError(t, other.Poll(t.Context()))
				require.ErrorIs(t, inAssignor, heartbeat.ErrInCallback)
				require.ErrorContains(t, inAssignor, `called by the assignor: `)

				a := w.app("a", nil)
				require.NoError(t, a.Run(t.Context(), func(ctx context.Context, _ *heartbeat.Session) error {
					err := call(ctx, a)
					require.ErrorIs(t, err, heartbeat.ErrInCallback)
					require.ErrorContains(t, err, `called by Run's work: `)
					require.NoError(t, other.Leave(ctx, heartbeat.LeaveIfDynamic, "it is another member"))
					return nil
				}))
			})
		})
	}
}
