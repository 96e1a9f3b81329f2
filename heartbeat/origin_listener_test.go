package heartbeat_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// O14: success: the heartbeat is received, so the session starts again and failures are forgotten.
func TestO14SuccessKeepsTheSession(t *testing.T) {
	success := 0
	for _, r := range classic.Rules() {
		if strings.HasPrefix(r.Name, "Heartbeat/NONE") {
			success++
			require.Equal(t, classic.ResultHeartbeatReceived, r.Result, r.Name)
			require.True(t, r.Starts.Has(classic.TimerSession), r.Name)
			require.True(t, r.Forgets.Has(classic.TimerHeartbeatRetry), r.Name)
		}
	}
	require.NotZero(t, success)
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", session(10*time.Second))
		s := a.join()
		for range 100 {
			w.pass(time.Minute)
			a.join()
		}
		require.NoError(t, s.Context().Err())
		failed := code(classic.CodeCoordinatorLoadInProgress)
		for range 2 { // the second time the first pause is short again
			w.diary.take()
			w.answer(kmsg.Heartbeat, failed, failed, failed)
			w.pass(8 * time.Second)
			at, _ := requests(w)
			for gaps(at)[0] > time.Second {
				at = at[1:]
			}
			requireBackoff(t, gaps(at)[:3])
			w.pass(4 * time.Second)
		}
	})
}

// O15: a rebalance in progress counts as received: the coordinator is alive.
func TestO15ARebalanceInProgressKeepsTheSession(t *testing.T) {
	r := ruleNamed(t, "Heartbeat/REBALANCE_IN_PROGRESS/not stale/STABLE", "/not lease_awaited/rejoin_needed")
	require.True(t, r.Starts.Has(classic.TimerSession))
	require.Equal(t, fsm.ClassOK, r.Result.Class())
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", session(10*time.Second))
		a.join()
		w.diary.hide("b")
		w.app("b", nil).run()
		w.pass(4 * time.Second)
		a.on(heartbeat.CallbackRevoked, func(context.Context) error {
			w.diary.take()
			w.pass(time.Minute)
			rules := decided(w, classic.InputHeartbeat)
			require.Len(t, rules, 20)
			for _, rule := range rules {
				require.Equal(t, r.Name, rule)
			}
			return nil
		})
		a.join()
		require.NotContains(t, w.diary.texts(told), "lost member=m1 generation=1")
	})
}

// O16: a fenced instance id: the loop has failed, and the application's next poll gets the cause.
func TestO16AFencedInstanceIsThePollsToRaise(t *testing.T) {
	for _, waits := range []bool{false, true} {
		inWorld(t, func(t *testing.T, w *world) {
			a := w.app("a", static)
			s := a.join()
			polled := make(chan error, 1)
			if waits { // a poll that waits is told at once
				w.hold(kmsg.JoinGroup)
				a.on(heartbeat.CallbackRevoked, func(context.Context) error {
					w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
					w.pass(4 * time.Second)
					return nil
				})
				a.Rejoin("because")
				go func() { polled <- a.Poll(t.Context()) }()
			} else {
				w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
			}
			w.pass(5 * time.Second)
			if !waits {
				require.ErrorIs(t, context.Cause(s.Context()), classic.CodeFencedInstanceID)
				polled <- a.Poll(t.Context())
			}
			err := <-polled
			require.ErrorIs(t, err, classic.CodeFencedInstanceID)
			require.ErrorContains(t, err, "Heartbeat at broker 0 in STABLE")
		})
	}
}

// O17: any other failure: the next heartbeat is due after a backoff instead of an interval.
func TestO17AFailureIsFollowedByABackoff(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.diary.take()
		w.answer(kmsg.Heartbeat, answer{way: byCode, code: classic.CodeUnknownServerError, forever: true})
		w.pass(10 * time.Second)
		at := requestsOf(w, "Heartbeat")
		require.Equal(t, int64(3), int64(at[0].Round(time.Second)/time.Second), "the first is an interval after the join")
		requireBackoff(t, gaps(at))
	})
}

// O18: Heartbeat carries group id, member id, instance id (null when dynamic) and generation, as they are when it is sent.
func TestO18WhatAHeartbeatCarries(t *testing.T) {
	for name, test := range map[string]struct {
		config   func(*heartbeat.Config)
		instance *string
	}{
		"dynamic": {nil, nil}, "static": {static, kmsg.StringPtr("i")},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				var carried *kmsg.HeartbeatRequest
				w.look = func(r kmsg.Request) {
					if h, ok := r.(*kmsg.HeartbeatRequest); ok {
						carried = h
					}
				}
				a := w.app("a", test.config)
				a.join()
				a.Rejoin("because")
				s := a.join()
				w.pass(4 * time.Second)
				require.Equal(t, &kmsg.HeartbeatRequest{
					Version: carried.Version, Group: "g", MemberID: s.MemberID(), Generation: 2, InstanceID: test.instance,
				}, carried)
			})
		})
	}
}

// O19: the generation and member id of that moment are kept, to compare when the answer comes.
func TestO19TheIdentityOfSendingIsCompared(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		for _, rejoins := range []bool{false, true} {
			w.hold(kmsg.Heartbeat)
			w.pass(4 * time.Second)
			if rejoins {
				a.Rejoin("because")
				a.join()
			}
			before := a.Generation()
			require.NoError(t, w.release(kmsg.Heartbeat, code(classic.CodeIllegalGeneration)))
			w.pass(time.Second)
			require.Equal(t, rejoins, a.Generation() == before, "dropped unless the generation is another by now")
			a.join()
		}
	})
}
