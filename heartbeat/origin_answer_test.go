package heartbeat_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// reactTo answers one Heartbeat of a member in its group, and gives the rule that decides.
func reactTo(t *testing.T, w *world, a *app, c classic.Code) *classic.Rule {
	t.Helper()
	a.join()
	w.diary.take()
	w.answer(kmsg.Heartbeat, code(c))
	w.pass(3500 * time.Millisecond)
	for _, e := range w.diary.take() {
		if strings.HasPrefix(e.rule, "Heartbeat/") {
			return ruleNamed(t, e.rule, "")
		}
	}
	require.FailNow(t, "no Heartbeat was answered")
	return nil
}

// O20: NONE: success.
func TestO20None(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := reactTo(t, w, w.app("a", nil), classic.CodeNone)
		require.Equal(t, classic.ResultHeartbeatReceived, r.Result)
		require.Empty(t, r.To)
	})
}

// O21: COORDINATOR_NOT_AVAILABLE and NOT_COORDINATOR: coordinator unknown; a failure. The member stays in its group.
func TestO21TheCoordinatorHasMoved(t *testing.T) {
	for _, c := range []classic.Code{classic.CodeCoordinatorNotAvailable, classic.CodeNotCoordinator} {
		inWorld(t, func(t *testing.T, w *world) {
			a := w.app("a", nil)
			r := reactTo(t, w, a, c)
			require.True(t, r.Clears.Has(classic.CoordinatorKnown))
			require.Equal(t, classic.ResultHeartbeatFailed, r.Result)
			require.Equal(t, classic.Stable, a.State())
			require.NotEqual(t, heartbeat.AnyBroker, a.Status().Coordinator, "it was looked up at once")
		})
	}
}

// O22: REBALANCE_IN_PROGRESS in STABLE asks for a rejoin, in the next poll.
func TestO22ARebalanceAsksForARejoin(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := reactTo(t, w, a, classic.CodeRebalanceInProgress)
		require.True(t, r.Sets.Has(classic.RejoinNeeded))
		require.Empty(t, r.To)
		require.Equal(t, classic.Stable, a.State())
		require.NoError(t, a.session().Context().Err(), "the partitions are the member's until it is asked to let go")
		w.diary.take()
		a.join()
		_, texts := requests(w)
		require.Contains(t, texts, `JoinGroup member=m1 reason="group is already rebalancing"`)
	})
}

// O23: REBALANCE_IN_PROGRESS in any other state is ignored: the rejoin is under way.
func TestO23ARebalanceUnderWayIsNoNews(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		w.hold(kmsg.SyncGroup)
		go func() { _ = a.Poll(context.Background()) }()
		w.pass(time.Second)
		require.Equal(t, classic.CompletingRebalance, a.State())
		w.diary.take()
		w.answer(kmsg.Heartbeat, code(classic.CodeRebalanceInProgress))
		w.pass(3 * time.Second)
		rules := decided(w, classic.InputHeartbeat)
		require.Len(t, rules, 1)
		r := ruleNamed(t, rules[0], "")
		require.Equal(t, classic.ResultHeartbeatReceived, r.Result)
		require.Zero(t, r.Sets)
		require.NoError(t, w.release(kmsg.SyncGroup, answer{}))
		w.pass(time.Second)
		require.Equal(t, classic.Stable, a.State())
		require.Equal(t, int32(1), a.Generation())
	})
}

// O24: ILLEGAL_GENERATION, UNKNOWN_MEMBER_ID and FENCED_INSTANCE_ID reset what the error says is dead, and ask for a rejoin.
// The specification has the id of a fenced member kept: joining with it is refused, and without it would fence the other.
func TestO24WhatAnErrorInvalidates(t *testing.T) {
	for c, keeps := range map[classic.Code]bool{
		classic.CodeIllegalGeneration: true, classic.CodeUnknownMemberID: false, classic.CodeFencedInstanceID: true,
	} {
		t.Run(c.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				r := reactTo(t, w, a, c)
				require.Equal(t, []classic.State{classic.Unjoined}, r.To)
				require.True(t, r.Sets.Has(classic.RejoinNeeded))
				require.Equal(t, heartbeat.NoGeneration, a.Generation())
				require.Equal(t, keeps, a.Status().Member != "")
				require.Equal(t, "encountered "+c.String()+" from Heartbeat response", a.Status().Reason)
				require.ErrorIs(t, context.Cause(a.session().Context()), c)
			})
		})
	}
}

// O25: the same, but the generation has changed since sending: ignored.
func TestO25ALateErrorIsIgnored(t *testing.T) {
	for _, c := range []classic.Code{classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeFencedInstanceID} {
		t.Run(c.String(), func(t *testing.T) {
			require.Equal(t, classic.ResultHeartbeatReceived, ruleNamed(t, "Heartbeat/"+c.String(), "/stale").Result)
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				a.join()
				w.hold(kmsg.Heartbeat)
				w.pass(4 * time.Second)
				a.Rejoin("because")
				s := a.join()
				require.NoError(t, w.release(kmsg.Heartbeat, code(c)))
				w.pass(time.Minute)
				require.NoError(t, s.Context().Err())
				require.Equal(t, int32(2), a.Generation())
			})
		})
	}
}

// logged makes an application that logs.
func logged(w *world) (*app, *logText) {
	log := new(logText)
	return w.app("a", nil, heartbeat.WithLogger(slog.New(slog.NewTextHandler(log, nil)))), log
}

// logText is what was logged, by whatever goroutine.
type logText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// warned is the warnings in a log.
func warned(log fmt.Stringer) string {
	var warnings []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=WARN") {
			warnings = append(warnings, line)
		}
	}
	return strings.Join(warnings, "")
}

// O26: GROUP_AUTHORIZATION_FAILED: a failure that names the group. The member stays: an ACL may be on its way.
func TestO26NotAllowed(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a, log := logged(w)
		r := reactTo(t, w, a, classic.CodeGroupAuthorizationFailed)
		require.Equal(t, classic.ResultHeartbeatFailed, r.Result)
		require.Contains(t, warned(log), `msg="heartbeat failed" group=g `)
		require.Contains(t, warned(log), "code=GROUP_AUTHORIZATION_FAILED")
		require.Equal(t, classic.Stable, a.State())
		w.answer(kmsg.JoinGroup, code(classic.CodeGroupAuthorizationFailed))
		a.Rejoin("because")
		err := a.Poll(t.Context())
		require.ErrorIs(t, err, classic.CodeGroupAuthorizationFailed)
		require.ErrorContains(t, err, `group "g": `, "where it is raised it says which group")
	})
}

// O27: any other code: an unexpected error in the heartbeat's response, with the error's message.
func TestO27Unexpected(t *testing.T) {
	for _, c := range []classic.Code{classic.CodeUnknownServerError, classic.CodeInvalidTopicException, classic.Code(999)} {
		t.Run(c.String(), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a, log := logged(w)
				r := reactTo(t, w, a, c)
				require.Equal(t, classic.ResultHeartbeatUnexpected, r.Result)
				require.Equal(t, classic.Stable, a.State())
				require.Contains(t, warned(log), `msg="heartbeat failed" group=g `)
				require.Contains(t, warned(log), "error=UNEXPECTED")
				require.Contains(t, warned(log), "code="+c.String())
				require.Contains(t, warned(log), c.Message())
			})
		})
	}
}

// O28: an exception in the loop itself: it has failed with that cause, and the next poll gets it. A failure to authorize or
// authenticate, a fenced instance, an interrupt and a programming error are told apart, in log and cause.
func TestO28WhatEndsTheLoopIsToldApart(t *testing.T) {
	for name, test := range map[string]struct {
		breaks func(*app) error // and polls
		is     error
		logs   string
	}{
		"authorization": {func(a *app) error {
			a.w.answer(kmsg.FindCoordinator, answer{way: byCode, code: classic.CodeGroupAuthorizationFailed, forever: true})
			a.w.answer(kmsg.Heartbeat, code(classic.CodeNotCoordinator))
			a.w.pass(4 * time.Second)
			return a.Poll(a.w.t.Context())
		}, classic.CodeGroupAuthorizationFailed, "code=GROUP_AUTHORIZATION_FAILED"},
		"authentication": {func(a *app) error {
			a.w.pass(4 * time.Second)
			return a.Poll(a.w.t.Context())
		}, classic.CodeAuthenticationException, "code=AUTHENTICATION_EXCEPTION"},
		"fenced instance": {func(a *app) error {
			a.w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
			a.w.pass(4 * time.Second)
			return a.Poll(a.w.t.Context())
		}, classic.CodeFencedInstanceID, "code=FENCED_INSTANCE_ID"},
		"interrupt": {func(a *app) error {
			a.w.hold(kmsg.JoinGroup)
			a.Rejoin("because")
			return a.Poll(within(a.w.t, time.Second))
		}, errExpired, ""},
		"programming error": {func(a *app) error {
			a.w.pass(7 * time.Second)
			return a.Poll(a.w.t.Context())
		}, classic.ErrorLoop, `error=LOOP err="observer: panic: a mistake`},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				w.between = func(ctx context.Context, r heartbeat.Request, inner heartbeat.Transport) heartbeat.Response {
					if name == "authentication" && time.Since(w.diary.began) > 2*time.Second && time.Since(w.diary.began) < 4*time.Second {
						if r.API == classic.InputHeartbeat {
							return heartbeat.Response{ID: r.ID, Code: classic.CodeDisconnect}
						}
						return heartbeat.Response{ID: r.ID, Code: classic.CodeAuthenticationException, Err: errApp}
					}
					return inner.Send(ctx, r)
				}
				var log bytes.Buffer
				beats := 0
				a := w.app("a", nil, heartbeat.WithLogger(slog.New(slog.NewTextHandler(&log, nil))), heartbeat.WithObserver(func(f heartbeat.Fired) {
					if f.Rule.Input == classic.InputHeartbeat && name == "programming error" {
						if beats++; beats == 2 {
							panic("a mistake")
						}
					}
				}))
				a.join()
				err := test.breaks(a)
				require.ErrorIs(t, err, test.is)
				require.Contains(t, warned(&log), test.logs)
			})
		})
	}
}
