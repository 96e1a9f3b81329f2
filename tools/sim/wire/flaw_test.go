package wire

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// flaw is what makes members faulty ones. The zero flaw is none.
type flaw struct {
	// send stands between the members and their transports; nil where nothing does.
	send func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response
	// deaf applications go on working when their generation has ended.
	deaf bool
	// dozes is how long a member does nothing, now and then, though nothing holds it up.
	dozes time.Duration
}

// transport is one with the flaw.
func (f flaw) transport(t heartbeat.Transport) heartbeat.Transport {
	if f.send == nil {
		return t
	}
	return flawed{f, t}
}

type flawed struct {
	flaw
	heartbeat.Transport
}

func (f flawed) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	return f.send(ctx, r, f.Transport)
}

// scene is a plan by hand: a small group, and a few things that happen to it.
func scene() plan {
	p := plan{
		seed: 1, length: 4 * time.Minute, group: ofShards,
		timing: heartbeat.Config{
			SessionTimeout: 10 * time.Second, HeartbeatInterval: time.Second, MaxPollInterval: 15 * time.Second,
			RequestTimeout: 10 * time.Second, RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second,
		},
		cast: []role{{kind: polls}, {kind: runs, starts: time.Second}, {kind: polls, starts: 2 * time.Second}, {kind: runs, instance: "i4", starts: 20 * time.Second}},
	}
	p.calm = 2 * time.Minute
	at := func(f fault, after, lasts time.Duration) {
		f.at, f.lasts, f.api, f.node, f.share = after, lasts, anyAPI, anyNode, always
		p.faults = append(p.faults, f)
	}
	at(fault{kind: closed, slot: 0}, 30*time.Second, 5*time.Second)
	at(fault{kind: kicked, slot: 1}, 50*time.Second, 0)
	at(fault{kind: killed, slot: 2}, 60*time.Second, 25*time.Second)
	at(fault{kind: moved, slot: everybody}, 100*time.Second, 0)
	return p
}

// Members that are faulty break what others do not, in the same trouble.
func TestFaultyMembersAreSeen(t *testing.T) {
	only := func(api classic.Input, do func(heartbeat.Request, heartbeat.Transport) heartbeat.Response) flaw {
		return flaw{send: func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			if r.API == api {
				return do(r, t)
			}
			return t.Send(ctx, r)
		}}
	}
	well := func(r heartbeat.Request, _ heartbeat.Transport) heartbeat.Response {
		return heartbeat.Response{ID: r.ID}
	}
	for name, test := range map[string]struct {
		flaw flaw
		want []judge.Invariant // one of them
	}{
		"no flaw": {},
		"it says that it has left, and has not": {
			only(classic.InputLeaveGroup, well), []judge.Invariant{judge.NoGhost},
		},
		"it takes its heartbeats for answered": {
			only(classic.InputHeartbeat, well), []judge.Invariant{judge.OneOwner},
		},
		"it goes on working when its generation has ended": {
			flaw{deaf: true}, []judge.Invariant{judge.OneOwner, judge.CallbacksPaired},
		},
		"it forgets to send heartbeats": {
			flaw{dozes: 6 * time.Second}, []judge.Invariant{judge.NoSilence},
		},
		"it joins again and again": {
			only(classic.InputJoinGroup, func(r heartbeat.Request, _ heartbeat.Transport) heartbeat.Response {
				time.Sleep(60 * time.Millisecond)
				return heartbeat.Response{ID: r.ID, Code: classic.CodeRebalanceInProgress}
			}), []judge.Invariant{judge.NoSpin},
		},
		"it finds no coordinator": {
			only(classic.InputFindCoordinator, func(r heartbeat.Request, _ heartbeat.Transport) heartbeat.Response {
				return heartbeat.Response{ID: r.ID, Code: classic.CodeCoordinatorNotAvailable}
			}), []judge.Invariant{judge.Progress},
		},
		"it sends its heartbeats twice": {
			only(classic.InputHeartbeat, func(r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
				time.AfterFunc(5*time.Second, func() { t.Send(context.Background(), r) })
				return t.Send(context.Background(), r)
			}), []judge.Invariant{judge.SilentAfterClose},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := scene().play(t, test.flaw)
			require.Empty(t, r.broken)
			var found []judge.Invariant
			for _, v := range r.violations {
				found = append(found, v.Invariant)
			}
			if test.want == nil {
				require.Empty(t, found, "%v", r.violations)
				return
			}
			require.True(t, slices.ContainsFunc(test.want, func(i judge.Invariant) bool { return slices.Contains(found, i) }),
				"%s, and the judge has seen only %v", name, found)
		})
	}
}
