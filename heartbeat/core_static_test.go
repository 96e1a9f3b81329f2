package heartbeat

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// lostJoin is a static member whose first JoinGroup, without a member id, has ended without an answer; its second was sent.
func lostJoin(t *testing.T, changes ...func(*Config)) *driven {
	d := drive(t, append(changes, static)...)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "", d.answer(classic.InputJoinGroup, classic.CodeDisconnect))
	require.Equal(t, "FindCoordinator", d.after(time.Second))
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone))
	require.True(t, d.core.has(classic.JoinLost))
	return d
}

// A JoinGroup without a member id that has ended without an answer may be carried out yet; no other may.
func TestWhichJoinGroupsAreLost(t *testing.T) {
	for _, c := range []struct {
		code  classic.Code
		named bool
		lost  bool
	}{
		{classic.CodeDisconnect, false, true},
		{classic.CodeMalformed, false, true},
		{classic.CodeDisconnect, true, false},
		{classic.CodeSendTimeout, false, false},
		{classic.CodeCoordinatorLoadInProgress, false, false},
		{classic.CodeNotCoordinator, false, false},
		{classic.CodeGroupMaxSizeReached, false, false},
	} {
		d := drive(t, static)
		d.step(Poll{})
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		if c.named {
			d.answer(classic.InputJoinGroup, classic.CodeMemberIDRequired)
		}
		d.answer(classic.InputJoinGroup, c.code)
		require.Equal(t, c.lost, d.core.has(classic.JoinLost), "%s, with an id: %t", c.code, c.named)
	}
}

// One that is abandoned because another coordinator was found, or because the member has left, is lost as well.
func TestAnAbandonedJoinGroupIsLost(t *testing.T) {
	d := drive(t, static)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "FindCoordinator", d.after(10*time.Second))
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2)))
	require.True(t, d.core.has(classic.JoinLost))
}

// A static member that its own lost JoinGroup has fenced joins again without an id, once: whoever fences it then is another.
func TestAMemberThatHasFencedItself(t *testing.T) {
	fencings := map[string]func(*driven){
		"JoinGroup": func(d *driven) {
			require.Equal(t, "JoinGroup /-1", d.answer(classic.InputJoinGroup, classic.CodeFencedInstanceID))
		},
		"SyncGroup": func(d *driven) {
			d.answer(classic.InputJoinGroup, classic.CodeNone)
			require.Equal(t, "JoinGroup /-1", d.answer(classic.InputSyncGroup, classic.CodeFencedInstanceID))
		},
		"Heartbeat": func(d *driven) {
			d.rejoin()
			require.Empty(t, d.end(d.beat(), classic.CodeFencedInstanceID))
			require.Equal(t, "lost 5", d.step(Poll{}))
			require.Equal(t, "JoinGroup /-1", d.step(CallbackEnded{}))
		},
		"Heartbeat while no JoinGroup is under way": func(d *driven) {
			d.rejoin()
			beat := d.beat()
			d.step(RejoinAsked{})
			d.step(Poll{})
			d.step(CallbackEnded{})
			require.Contains(t, d.answer(classic.InputJoinGroup, classic.CodeGroupAuthorizationFailed), "poll ends")
			require.Empty(t, d.end(beat, classic.CodeFencedInstanceID))
			require.Equal(t, "lost 5", d.step(Poll{}))
			require.Equal(t, "JoinGroup /-1", d.step(CallbackEnded{})+d.after(time.Second))
		},
	}
	for name, fence := range fencings {
		t.Run(name, func(t *testing.T) {
			d := lostJoin(t)
			fence(d)
			require.False(t, d.core.has(classic.JoinLost))
			require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.answer(classic.InputJoinGroup, classic.CodeFencedInstanceID))
		})
	}
}

// Without a lost JoinGroup it is another process that fences, and that is final at once.
func TestAMemberThatAnotherHasFenced(t *testing.T) {
	for name, over := range map[string]bool{"no JoinGroup was lost": false, "the lost one can arrive no more": true} {
		d := drive(t, static)
		if over {
			d = lostJoin(t)
			for d.core.has(classic.JoinLost) {
				d.after(10 * time.Second)
				if d.core.underway(classic.InputFindCoordinator) {
					d.answer(classic.InputFindCoordinator, classic.CodeNone)
				}
			}
			require.InDelta(t, 300, d.now.Seconds(), 10, "the rebalance timeout")
		} else {
			d.step(Poll{})
			d.answer(classic.InputFindCoordinator, classic.CodeNone)
		}
		require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.answer(classic.InputJoinGroup, classic.CodeFencedInstanceID), name)
	}
}

// A static member that goes without a word joins again without its id, which costs no rebalance; it keeps the id while a
// JoinGroup without one may still arrive, and fence it.
func TestWhenAStaticMemberKeepsItsID(t *testing.T) {
	goes := map[string]func(*driven){
		"leave": func(d *driven) {
			require.Equal(t, "revoked 5", d.step(leaveNow))
			require.Equal(t, "left", d.step(CallbackEnded{}))
		},
		"poll deadline": func(d *driven) {
			for d.state() == classic.Stable {
				if d.after(time.Second); d.core.underway(classic.InputHeartbeat) {
					d.answer(classic.InputHeartbeat, classic.CodeNone)
				}
			}
		},
		"session lease": func(d *driven) {
			for d.state() == classic.Stable {
				d.after(time.Second)
			}
		},
		"rebalance lease": func(d *driven) {
			for d.state() == classic.Stable {
				d.step(Poll{})
				if d.after(time.Second); d.core.underway(classic.InputHeartbeat) {
					d.answer(classic.InputHeartbeat, classic.CodeRebalanceInProgress)
				}
			}
		},
	}
	// While a member runs, a lost JoinGroup is over before the poll deadline, which begins later: here its timer is put off.
	deadlines := map[string]map[bool]string{
		"poll deadline":   {false: "heartbeat/poll_expired/static/not join_lost", true: "heartbeat/poll_expired/static/join_lost"},
		"session lease":   {false: "lease/lease_held and session_lease_over in joined/static/not join_lost", true: "lease/lease_held and session_lease_over in joined/static/join_lost"},
		"rebalance lease": {false: "lease/lease_held and rebalance_lease_over in joined/static/not join_lost", true: "lease/lease_held and rebalance_lease_over in joined/static/join_lost"},
	}
	for name, away := range goes {
		for _, lost := range []bool{false, true} {
			d := lostJoin(t, leased)
			d.answer(classic.InputJoinGroup, classic.CodeNone)
			d.answer(classic.InputSyncGroup, classic.CodeNone)
			d.answer(classic.InputHeartbeat, classic.CodeNone)
			require.Equal(t, "poll ends", d.step(CallbackEnded{}))
			if !lost {
				d.core.memory.Flags &^= classic.JoinLost
			} else {
				d.core.clocks.set(classic.TimerLostJoin, time.Hour)
			}
			away(d)
			require.Equal(t, classic.Unjoined, d.state())
			if rules := deadlines[name]; rules != nil {
				require.Contains(t, d.rules(), rules[lost], name)
			}
			want := map[bool]string{false: "", true: "m-1"}[lost]
			require.Equal(t, identity{member: want, generation: NoGeneration}, d.core.who, "%s, JoinGroup lost: %t", name, lost)
		}
	}
}

// notLeft is the end of a request that could not be sent.
type notLeft struct{ error }

func (notLeft) NotSent() bool { return true }

// A JoinGroup that was not sent is carried out by nobody.
func TestAJoinGroupThatWasNotSentIsNotLost(t *testing.T) {
	for _, sent := range []bool{true, false} {
		d := drive(t, static)
		d.step(Poll{})
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		d.answer(classic.InputJoinGroup, classic.CodeDisconnect, func(r *Response) {
			if r.Err = errors.New("connection reset"); !sent {
				r.Err = notLeft{errors.New("connection refused")}
			}
		})
		require.Equal(t, sent, d.core.has(classic.JoinLost))
	}
}
