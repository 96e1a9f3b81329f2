package wire

import (
	"context"
	"slices"
	"sync"
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
	// unpinned applications say of no offsets in which generation they were read.
	unpinned bool
	// config changes what the members are made with; the judge is told the config from before. nil changes nothing.
	config func(*heartbeat.Config)
	// dozes is how long a member does nothing, now and then, though nothing holds it up.
	dozes time.Duration
	// lingers is how long a call goes on when it should return.
	lingers time.Duration
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
		cast: []role{{kind: polls}, {kind: runs, starts: time.Second}, {kind: polls, starts: 2 * time.Second}, {kind: runs, instance: "i4", starts: 20 * time.Second, leased: true}},
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

// only is the flaw that something stands between the members and their transports for one API.
func only(api classic.Input, do func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response) flaw {
	return flaw{send: func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
		if r.API == api {
			return do(ctx, r, t)
		}
		return t.Send(ctx, r)
	}}
}

// madeUp is the flaw that no request of one API leaves, and each ends by a code, after a while.
func madeUp(api classic.Input, after time.Duration, code classic.Code) flaw {
	return only(api, func(_ context.Context, r heartbeat.Request, _ heartbeat.Transport) heartbeat.Response {
		time.Sleep(after)
		return heartbeat.Response{ID: r.ID, Code: code}
	})
}

// mistake is a flaw, and what it must be found out by.
type mistake struct {
	name    string
	flaw    flaw
	breaks  judge.Invariant
	follows []judge.Invariant // what else it breaks, as a consequence
	may     []judge.Invariant // what else it can break, by chance
}

func mistakes() []mistake {
	patient := madeUp(classic.InputHeartbeat, 3*time.Second, classic.CodeSendTimeout)
	patient.config = func(c *heartbeat.Config) { c.SessionTimeout *= 3 }
	slow := only(classic.InputJoinGroup, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
		time.Sleep(8 * time.Second)
		return t.Send(ctx, r)
	})
	slow.config = patient.config
	return []mistake{{
		name: "it says that it has left, and has not", breaks: judge.NoGhost,
		flaw: madeUp(classic.InputLeaveGroup, 0, classic.CodeNone),
	}, {
		name: "it takes its heartbeats for answered", breaks: judge.OneOwner, follows: []judge.Invariant{judge.LeasedAlone, judge.Progress},
		flaw: madeUp(classic.InputHeartbeat, 0, classic.CodeNone),
	}, {
		name: "it goes on working when its generation has ended", breaks: judge.CallbacksPaired, follows: []judge.Invariant{judge.OneOwner},
		flaw: flaw{deaf: true},
	}, {
		name: "it takes its session for longer than it is", breaks: judge.NoZombie, follows: []judge.Invariant{judge.CoordinatorFollowed, judge.Progress},
		flaw: patient,
	}, {
		name: "it forgets to send heartbeats", breaks: judge.NoSilence, may: []judge.Invariant{judge.CallsEnd},
		flaw: flaw{dozes: 3 * time.Second},
	}, {
		name: "it sends its heartbeats many times", breaks: judge.NoSpin, follows: []judge.Invariant{judge.IdentityByRules},
		flaw: only(classic.InputHeartbeat, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			for range 30 {
				t.Send(ctx, r)
			}
			return t.Send(ctx, r)
		}),
	}, {
		name: "it finds no coordinator", breaks: judge.Progress,
		flaw: madeUp(classic.InputFindCoordinator, 0, classic.CodeCoordinatorNotAvailable),
	}, {
		name:   "it sends its heartbeats twice, the second time when it may be closed",
		breaks: judge.SilentAfterClose, follows: []judge.Invariant{judge.IdentityByRules},
		flaw: only(classic.InputHeartbeat, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			time.AfterFunc(5*time.Second, func() { t.Send(context.Background(), r) })
			return t.Send(ctx, r)
		}),
	}, {
		name: "it repeats a request by itself", breaks: judge.IdentityByRules,
		flaw: only(classic.InputSyncGroup, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			t.Send(ctx, r)
			return t.Send(ctx, r)
		}),
	}, {
		name: "its heartbeats carry the generation before", breaks: judge.IdentityByRules, follows: []judge.Invariant{judge.Progress},
		flaw: only(classic.InputHeartbeat, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			r.Generation--
			return t.Send(ctx, r)
		}),
	}, {
		name: "it looks its coordinator up before each SyncGroup", breaks: judge.NoLookupsInVain, follows: []judge.Invariant{judge.IdentityByRules},
		flaw: only(classic.InputSyncGroup, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			t.Send(ctx, heartbeat.Request{API: classic.InputFindCoordinator, Group: r.Group, Node: heartbeat.AnyBroker, Timeout: r.Timeout})
			return t.Send(ctx, r)
		}),
	}, {
		name: "it waits for an answer longer than it may", breaks: judge.RequestsEnd, may: []judge.Invariant{judge.CallsEnd},
		flaw: only(classic.InputOffsetCommit, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
			time.Sleep(2 * r.Timeout)
			return t.Send(ctx, r)
		}),
	}, {
		name: "its calls return late", breaks: judge.CallsEnd, follows: []judge.Invariant{judge.Progress},
		flaw: flaw{lingers: 30 * time.Second},
	}, {
		name: "it does not ask who the coordinator is while its JoinGroup is held", breaks: judge.CoordinatorFollowed,
		flaw: slow,
	}, {
		name: "it works before its lease begins", breaks: judge.LeasedAlone,
		flaw: flaw{config: func(c *heartbeat.Config) { c.Lease = false }},
	}, {
		name: "its application commits late as if it had read just now", breaks: judge.OffsetsFenced,
		flaw: flaw{unpinned: true},
	}, {
		name: "it commits the offsets of another commit", breaks: judge.OffsetsFenced,
		flaw: swapped(),
	}}
}

// onlyACore is what nothing can break that lies between a Core and the network. An answer is late by what the member was when
// it asked and is by now; the judge knows both from the Core's own trace, and whatever a transport makes of an answer, a Core
// that compares them ignores it. Package world has a Core that does not.
func onlyACore() []judge.Invariant { return []judge.Invariant{judge.LateAnswersIgnored} }

// swapped is the flaw that each commit carries the offsets of the one before, whoever's that was.
func swapped() flaw {
	var mu sync.Mutex
	var before []heartbeat.Offset
	return only(classic.InputOffsetCommit, func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
		mu.Lock()
		if before != nil {
			before, r.Offsets = r.Offsets, before
		} else {
			before = r.Offsets
		}
		mu.Unlock()
		return t.Send(ctx, r)
	})
}

// Members that are faulty break what others do not, in the same trouble; and there is a mistake for each invariant, but for
// what only a Core can break.
func TestFaultyMembersAreSeen(t *testing.T) {
	r := scene().play(t, flaw{})
	require.False(t, r.failed(), "without a flaw: %v %v", r.violations, r.broken)
	aims, breaks := map[judge.Invariant]bool{}, map[judge.Invariant]bool{}
	for _, m := range mistakes() {
		all := append([]judge.Invariant{m.breaks}, m.follows...)
		aims[m.breaks] = true
		for _, i := range all {
			breaks[i] = true
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := scene().play(t, m.flaw)
			require.Empty(t, r.broken)
			found := slices.DeleteFunc(r.invariants(), func(i judge.Invariant) bool { return slices.Contains(m.may, i) })
			require.ElementsMatch(t, all, found, "%v", r.violations)
		})
	}
	for _, i := range judge.Invariants() {
		if slices.Contains(onlyACore(), i) {
			require.False(t, breaks[i], "a mistake breaks %s: it is none of those that only a Core can break", i)
		} else {
			require.True(t, aims[i], "no mistake breaks %s", i)
		}
	}
}

// invariants are those that the members have broken, each once.
func (r *result) invariants() (broken []judge.Invariant) {
	for _, v := range r.violations {
		if !slices.Contains(broken, v.Invariant) {
			broken = append(broken, v.Invariant)
		}
	}
	return broken
}
