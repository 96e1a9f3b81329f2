package heartbeat_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// brokenWriter cannot be written to, or panics.
type brokenWriter struct{ panics bool }

func (w brokenWriter) Write([]byte) (int, error) {
	if w.panics {
		panic("the writer is broken")
	}
	return 0, errors.New("the disk is full")
}

// brokenHandler panics when it is to log that a heartbeat was answered.
type brokenHandler struct{ slog.Handler }

func (brokenHandler) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "rule" && strings.HasPrefix(a.Value.String(), "Heartbeat/NONE") {
			panic("the logger is broken")
		}
		return true
	})
	return nil
}

// A loop that fails is seen: the next poll says why, once, and the one after that joins anew. Kafka's consumer polled on
// without heartbeats when its heartbeat thread had died (KAFKA-14729).
func TestTheDeathOfTheLoopIsSeen(t *testing.T) {
	for name, option := range map[string]func(broken *bool) heartbeat.Option{
		"observer": func(broken *bool) heartbeat.Option {
			return heartbeat.WithObserver(func(f heartbeat.Fired) {
				if *broken && f.Rule.Input == classic.InputHeartbeat {
					*broken = false
					panic("the observer is broken")
				}
			})
		},
		"hook": func(broken *bool) heartbeat.Option {
			return heartbeat.WithHooks(fsm.Hooks[classic.State]{Enter: func(s classic.State) {
				if *broken && s == classic.Stable {
					*broken = false
					panic("the hook is broken")
				}
			}})
		},
		"logger": func(broken *bool) heartbeat.Option {
			return heartbeat.WithLogger(slog.New(brokenHandler{slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug})}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				broken := true
				a := w.app("a", nil, option(&broken))
				var died error
				for range 10 {
					if died = a.Poll(t.Context()); died != nil {
						break
					}
					w.pass(time.Second)
				}
				var e *heartbeat.Error
				require.ErrorAs(t, died, &e)
				require.Equal(t, "LOOP", e.Name)
				require.ErrorContains(t, died, name+": panic: the "+name+" is broken")
				require.ErrorContains(t, died, "member_panic_test.go", "where it has panicked")
				require.NoError(t, a.Poll(t.Context()))
				require.Equal(t, classic.Stable, a.State())
			})
		})
	}
}

// An observer that always panics, also when it is told that it has, does not keep the member busy.
func TestAnObserverThatAlwaysPanicsDoesNotSpin(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var calls atomic.Int64
		a := w.app("a", nil, heartbeat.WithObserver(func(heartbeat.Fired) {
			calls.Add(1)
			panic("the observer is broken")
		}))
		for range 10 {
			require.ErrorContains(t, a.Poll(within(t, time.Minute)), "the observer is broken")
		}
		require.Less(t, calls.Load(), int64(100))
		before := calls.Load()
		w.pass(time.Minute)
		require.Less(t, calls.Load()-before, int64(10))
		require.NoError(t, a.Close(within(t, time.Second)))
	})
}

func TestATraceThatCannotBeWrittenHarmsNothing(t *testing.T) {
	for name, writer := range map[string]brokenWriter{"fails": {false}, "panics": {true}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var log bytes.Buffer
				a := w.app("a", nil, heartbeat.WithTrace(writer), heartbeat.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				a.join()
				w.pass(time.Minute)
				require.Equal(t, classic.Stable, a.State())
				require.NoError(t, a.Close(t.Context()))
				require.Equal(t, 1, strings.Count(log.String(), "trace ended"))
			})
		})
	}
}

// A transport that panics has not answered: the request ends as one whose connection was cut, and the member recovers.
func TestAPanicOfTheTransport(t *testing.T) {
	for _, api := range []classic.Input{
		classic.InputFindCoordinator, classic.InputJoinGroup, classic.InputSyncGroup, classic.InputHeartbeat, classic.InputOffsetCommit,
	} {
		t.Run(api.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var seen error
				broken := true
				w.between = func(ctx context.Context, r heartbeat.Request, inner heartbeat.Transport) heartbeat.Response {
					if broken && r.API == api {
						broken = false
						panic("the transport is broken")
					}
					return inner.Send(ctx, r)
				}
				a := w.app("a", nil, heartbeat.WithObserver(func(f heartbeat.Fired) {
					if f.Err != nil {
						seen = f.Err
					}
				}))
				a.join()
				require.NoError(t, a.commit())
				w.pass(10 * time.Second)
				require.False(t, broken, "it was not asked")
				require.ErrorContains(t, seen, "transport: panic: the transport is broken")
				require.Equal(t, classic.Stable, a.State())
				require.Zero(t, a.Status().Heartbeats)
			})
		})
	}
}

func TestAnAssignorThatFails(t *testing.T) {
	for name, test := range map[string]struct {
		assign func(heartbeat.AssignmentInput) ([]heartbeat.Assignment, error)
		want   string
	}{
		"with an error": {func(heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, errApp }, errApp.Error()},
		"by a member that is none": {func(heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			return []heartbeat.Assignment{{Member: "x"}}, nil
		}, `assignor: it names member "x", who is not in the group`},
		"by one that is there twice": {func(in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			return []heartbeat.Assignment{{Member: in.Members[0].ID}, {Member: in.Members[0].ID}}, nil
		}, " twice"},
		"by a panic": {func(in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { panic("the assignor is broken") }, "assignor: panic: the assignor is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				broken := true
				w.assignor = func(ctx context.Context, a *app, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
					if broken {
						return test.assign(in)
					}
					return a.assign(ctx, in)
				}
				a := w.app("a", nil)
				err := a.Poll(t.Context())
				var e *heartbeat.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, "ASSIGNMENT", e.Name)
				require.ErrorContains(t, err, test.want)
				broken = false
				a.join()
			})
		})
	}
}

// An assignor may take its time: heartbeats go on. When the member is thrown out meanwhile, its context ends.
func TestAnAssignorThatTakesItsTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		slow := true
		w.assignor = func(ctx context.Context, a *app, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			if !slow {
				return a.assign(ctx, in)
			}
			slow = false
			w.diary.take()
			w.pass(30 * time.Second)
			require.Len(t, w.diary.texts(sent), 10, "heartbeats")
			w.kick(a)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		w.app("a", nil).join()
		require.False(t, slow)
	})
}
