package heartbeat

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

var leaveNow = LeaveAsked{Reason: "enough"}

// Leaving goes in this order: the application lets go, the coordinator is told, the one who asked is told. A poll after
// that joins as somebody new.
func TestLeave(t *testing.T) {
	d := drive(t).join()
	require.Equal(t, "revoked 5", d.step(leaveNow))
	require.Equal(t, "enough", d.out[len(d.out)-1].(Callback).Reason)
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
	require.False(t, d.core.Wants(), "an application that polls when a poll is wanted would turn round and round")
	require.Equal(t, "enough", d.sent(classic.InputLeaveGroup).Reason)
	require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone))
	require.True(t, d.core.Wants())
	require.Empty(t, d.after(time.Hour), "nothing goes on by itself")
	require.Equal(t, "JoinGroup /-1", d.step(Poll{}))
	d.rejoin()
	require.Equal(t, "m-2", d.core.Status().Member)
}

// A poll that comes while the member leaves, before or after the coordinator was told, joins when it has left: an
// application that polls in a loop waits there. One that wanted to leave again by then has not been heard yet.
func TestPollWaitsForLeave(t *testing.T) {
	for _, let := range []string{"revoked 5", "LeaveGroup m-1/5"} {
		d := drive(t).join()
		require.Equal(t, "revoked 5", d.step(leaveNow))
		if let != "revoked 5" {
			require.Equal(t, let, d.step(CallbackEnded{}))
		}
		require.False(t, d.core.Wants(), "nothing to do before it has left")
		require.Empty(t, d.step(Poll{}))
		if let == "revoked 5" {
			require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
		}
		require.Equal(t, "left, JoinGroup /-1", d.answer(classic.InputLeaveGroup, classic.CodeNone))
		d.rejoin()
	}
	d := drive(t).join()
	d.step(leaveNow)
	require.Empty(t, d.step(Poll{}))
	require.Equal(t, "poll ends: "+ErrLeft.Error(), d.step(leaveNow))
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone))
}

// A poll does not wait for long for a coordinator that hangs. The answer that comes later changes nothing, nor does it end
// a later leave.
func TestPollWaitsShortlyForACoordinatorThatHangs(t *testing.T) {
	for _, poll := range []time.Duration{0, 3 * time.Second, 8 * time.Second} {
		d := drive(t).join()
		d.step(leaveNow)
		require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
		require.Empty(t, d.after(poll))
		const leftAndJoins = "left: group \"g\": LeaveGroup, sent %s ago to broker 1, was not answered, and a poll waits: the coordinator may not know that the member has left, JoinGroup /-1"
		if poll < lateWait {
			require.Empty(t, d.step(Poll{}))
			require.Empty(t, d.after(lateWait-poll-1))
			require.Equal(t, fmt.Sprintf(leftAndJoins, lateWait), d.after(1))
		} else {
			require.Equal(t, fmt.Sprintf(leftAndJoins, poll), d.step(Poll{}))
		}
		old := d.sent(classic.InputLeaveGroup)
		d.rejoin()
		before := d.core.who
		d.step(leaveNow)
		d.step(CallbackEnded{})
		require.Empty(t, d.step(Response{ID: old.ID, Code: classic.CodeUnknownServerError}), "it is the first leave's")
		require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone))
		require.Equal(t, "m-2", before.member)
	}
}

// A loop that breaks while the member leaves is told to the poll that waits, when it has left.
func TestLoopBreaksWhileLeaving(t *testing.T) {
	d := drive(t).join()
	require.Equal(t, "revoked 5", d.step(leaveNow))
	require.Empty(t, d.step(Poll{}))
	require.Empty(t, d.step(LoopBroke{errors.New("broken")}))
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "left, poll ends: LOOP", d.answer(classic.InputLeaveGroup, classic.CodeNone))
}

// Of all that a closed member remembers only its loop has changed: it is closed, and there is none any more.
func TestClosedMemberRemembers(t *testing.T) {
	for _, flags := range []classic.Flags{0, ^classic.Flags(0)} {
		d := drive(t).join()
		d.core.memory.Flags = flags
		d.core.clocks.set(classic.TimerLostJoin, time.Hour)
		d.step(CloseAsked{})
		require.Equal(t, flags&^classic.LoopExists|classic.LoopClosed, d.core.Status().Flags)
	}
}

// Heartbeats go on while the application lets go.
func TestHeartbeatsWhileLettingGo(t *testing.T) {
	d := drive(t).join()
	require.Equal(t, "revoked 5", d.step(leaveNow))
	for range 40 {
		require.Equal(t, "Heartbeat m-1/5", d.after(3*time.Second))
		d.answer(classic.InputHeartbeat, classic.CodeNone)
	}
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
	require.Empty(t, d.after(3*time.Second))
}

// Whether the coordinator is told follows from the mode and the kind of member (KIP-1092).
func TestLeaveModes(t *testing.T) {
	for _, c := range []struct {
		mode   LeaveMode
		static bool
		tells  bool
	}{
		{LeaveIfDynamic, false, true}, {LeaveIfDynamic, true, false},
		{LeaveAlways, false, true}, {LeaveAlways, true, true},
		{LeaveNever, false, false}, {LeaveNever, true, false},
	} {
		d := drive(t, func(config *Config) {
			if c.static {
				static(config)
			}
		}).join()
		d.step(LeaveAsked{Mode: c.mode})
		did := d.step(CallbackEnded{})
		if c.tells {
			require.Equal(t, "LeaveGroup m-1/5", did, "%+v", c)
			require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone))
		} else {
			require.Equal(t, "left", did, "%+v", c)
		}
		require.Equal(t, classic.Unjoined, d.state())
	}
}

// A callback that runs ends first; what it raises is not lost.
func TestLeaveWhileACallbackRuns(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	require.Equal(t, "assigned 5", d.answer(classic.InputSyncGroup, classic.CodeNone))
	require.Equal(t, "poll ends: "+ErrLeft.Error(), d.step(leaveNow))
	require.Equal(t, "revoked 5", d.step(CallbackEnded{errors.New("it did not work")}))
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone))
	require.Equal(t, "poll ends: CALLBACK", d.step(Poll{}))
}

// The callback that lets go for a rebalance, and no join after it: what it has let the application keep goes as well.
func TestLeaveAfterRevoked(t *testing.T) {
	d := drive(t).join()
	d.step(RejoinAsked{})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	require.Equal(t, "poll ends: "+ErrLeft.Error(), d.step(leaveNow))
	require.Equal(t, "lost 5", d.step(CallbackEnded{}))
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{}))
}

// What the callback of leaving raises is what the one who asked is told; the member leaves all the same.
func TestLettingGoFails(t *testing.T) {
	cause := errors.New("cannot flush")
	d := drive(t).join()
	d.step(leaveNow)
	require.Equal(t, "LeaveGroup m-1/5", d.step(CallbackEnded{cause}))
	require.Equal(t, "left: cannot flush", d.answer(classic.InputLeaveGroup, classic.CodeDisconnect))
	require.Equal(t, "FindCoordinator", d.step(Poll{})+d.after(time.Second))
}

// A LeaveGroup that fails says so, but for the coordinator's not knowing the member.
func TestLeaveGroupFails(t *testing.T) {
	for code, did := range map[classic.Code]string{
		classic.CodeNone: "left", classic.CodeUnknownMemberID: "left", classic.CodeNotCoordinator: "left: NOT_COORDINATOR",
		classic.CodeSendTimeout: "left: SEND_TIMEOUT", classic.CodeDisconnect: "left: DISCONNECT",
	} {
		d := drive(t).join()
		d.step(leaveNow)
		d.step(CallbackEnded{})
		require.Equal(t, did, d.answer(classic.InputLeaveGroup, code))
		require.Equal(t, classic.Unjoined, d.state())
	}
}

// Who is in no group leaves at once, and who has lost its generation is told so first.
func TestLeaveWithoutAGroup(t *testing.T) {
	d := drive(t)
	require.Equal(t, "left", d.step(leaveNow))
	d.join()
	d.end(d.beat(), classic.CodeIllegalGeneration)
	require.Equal(t, "lost 5", d.step(leaveNow))
	require.Equal(t, "enough", d.out[len(d.out)-1].(Callback).Reason)
	require.Equal(t, "LeaveGroup m-1/-1", d.step(CallbackEnded{}), "the id has outlived its generation")
}

// Without a coordinator nobody can be told, which the one who leaves is told; nobody waits.
func TestLeaveWithoutACoordinator(t *testing.T) {
	d := drive(t).join()
	require.Equal(t, "FindCoordinator", d.end(d.beat(), classic.CodeDisconnect))
	d.step(leaveNow)
	require.Equal(t, "left: COORDINATOR_NOT_AVAILABLE", d.step(CallbackEnded{}))
}

// Who could not tell the coordinator why it leaves says so when it joins again.
func TestWhyAMemberHasLeft(t *testing.T) {
	for name, live := range map[string]func(*driven){
		"in no group": func(d *driven) { d.step(leaveNow) },
		"without a coordinator": func(d *driven) {
			d.join()
			d.end(d.beat(), classic.CodeDisconnect)
			d.step(leaveNow)
			d.step(CallbackEnded{})
		},
	} {
		d := drive(t)
		live(d)
		d.step(Poll{})
		require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone), name)
		require.Equal(t, "enough", d.sent(classic.InputJoinGroup).Reason, name)
	}
}

// A JoinGroup that is under way when the member leaves may yet make a member of it: that one is dismissed. The leave does not
// wait for it, unless the member is closed after it: then nobody could dismiss it any more.
func TestLeaveWhileJoining(t *testing.T) {
	for code, dismissed := range map[classic.Code]bool{classic.CodeNone: true, classic.CodeMemberIDRequired: true, classic.CodeDisconnect: false} {
		for _, last := range []bool{false, true} {
			d := drive(t)
			d.step(Poll{})
			d.answer(classic.InputFindCoordinator, classic.CodeNone)
			ends := map[bool]string{false: ", left", true: ""}
			require.Equal(t, "poll ends: "+ErrLeft.Error()+ends[last], d.step(LeaveAsked{Last: last}), "it has no id to leave with")
			require.Equal(t, classic.Unjoined, d.state())
			left := map[bool]string{true: "left", false: ""}[last]
			did := d.answer(classic.InputJoinGroup, code)
			if !dismissed {
				require.Equal(t, left, did)
				continue
			}
			require.Equal(t, "LeaveGroup m-1/-1", did, "%s", code)
			require.Equal(t, left, d.answer(classic.InputLeaveGroup, classic.CodeNotCoordinator), "what becomes of the dismissed id is not the caller's concern")
			require.Equal(t, "JoinGroup /-1", d.after(time.Second)+d.step(Poll{}))
			d.rejoin()
			require.Equal(t, "m-2", d.core.Status().Member)
		}
	}
}

// Before a close an id is waited for only where it could be dismissed.
func TestLastLeaveWaitsForNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		last   LeaveAsked
		change func(*Config)
		before func(*driven)
	}{
		"a static member keeps its place": {LeaveAsked{Last: true}, static, nil},
		"nobody is told":                  {LeaveAsked{Last: true, Mode: LeaveNever}, nil, nil},
		"its coordinator is lost": {LeaveAsked{Last: true}, nil, func(d *driven) {
			d.answer(classic.InputJoinGroup, classic.CodeDisconnect)
		}},
		"it has an id": {LeaveAsked{Last: true}, nil, func(d *driven) {
			d.answer(classic.InputJoinGroup, classic.CodeMemberIDRequired)
		}},
	} {
		d := drive(t, func(config *Config) {
			if c.change != nil {
				c.change(config)
			}
		})
		d.step(Poll{})
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		if c.before != nil {
			c.before(d)
		}
		did := d.step(c.last)
		if d.core.underway(classic.InputLeaveGroup) {
			did = d.answer(classic.InputLeaveGroup, classic.CodeNone)
		}
		require.Contains(t, did, "left", name)
	}
}

// A static member that leaves while its JoinGroup without an id is out has none to keep: its next join has none either, and is
// fenced by the first at most once.
func TestStaticMemberLeavesWhileJoining(t *testing.T) {
	d := drive(t, static)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "poll ends: "+ErrLeft.Error()+", left", d.step(leaveNow))
	require.True(t, d.core.has(classic.JoinLost))
	require.Empty(t, d.answer(classic.InputJoinGroup, classic.CodeNone))
	d.after(time.Second)
	require.Equal(t, "JoinGroup /-1", d.step(Poll{}))
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputJoinGroup, classic.CodeFencedInstanceID))
	require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.answer(classic.InputJoinGroup, classic.CodeFencedInstanceID))
}

// A poll after leaving joins at once: the SyncGroup of the member that has left is forgotten.
func TestPollAfterLeavingWhileSyncing(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	require.Equal(t, "poll ends: "+ErrLeft.Error()+", LeaveGroup m-1/5, forget request 3", d.step(leaveNow))
	require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone))
	require.Equal(t, "JoinGroup /-1", d.step(Poll{}))
	require.Empty(t, d.answer(classic.InputSyncGroup, classic.CodeNone))
	d.rejoin()
}

// After the end nothing is sent, nothing is waited for, and whoever asks for something is refused.
func TestNothingAfterClose(t *testing.T) {
	for name, live := range map[string]func(*driven){
		"at once":        func(*driven) {},
		"looking up":     func(d *driven) { d.step(Poll{}) },
		"joining":        func(d *driven) { d.step(Poll{}); d.answer(classic.InputFindCoordinator, classic.CodeNone) },
		"stable":         func(d *driven) { d.join(); d.beat() },
		"a beat is due":  func(d *driven) { d.join(); d.now += 10 * time.Second },
		"letting go":     func(d *driven) { d.join(); d.step(leaveNow) },
		"telling it":     func(d *driven) { d.join(); d.step(RejoinAsked{}); d.step(Poll{}) },
		"leaving":        func(d *driven) { d.join(); d.step(leaveNow); d.step(CallbackEnded{}) },
		"with commits":   func(d *driven) { d.join(); d.step(CommitAsked{ID: 3, Member: "m-1", Generation: 5}) },
		"a poll is owed": func(d *driven) { d.join(); d.step(LoopBroke{errors.New("x")}) },
		"a poll waits":   func(d *driven) { d.join(); d.step(RejoinAsked{}); d.step(Poll{}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			live(d)
			polling, leaving, commits := d.core.polling, d.core.leaving.asked, d.core.underway(classic.InputOffsetCommit)
			refused := map[string]bool{}
			d.step(CloseAsked{})
			require.Equal(t, []string{"close"}, d.rules())
			for _, o := range d.out {
				switch o := o.(type) {
				case PollEnded:
					refused["poll"] = errors.Is(o.Err, ErrClosed)
				case Left:
					refused["leave"] = errors.Is(o.Err, ErrClosed)
				case CommitEnded:
					refused["commit"] = errors.Is(o.Err, ErrClosed)
				case Fired:
				default:
					require.Fail(t, "it does more than refuse", "%#v", o)
				}
			}
			require.Equal(t, [3]bool{polling, leaving, commits}, [3]bool{refused["poll"], refused["leave"], refused["commit"]})
			require.False(t, d.core.Wants())
			require.Zero(t, d.core.Status().Heartbeats)
			for _, in := range append(full(), Response{ID: 1}, Response{ID: 2, Member: "m"}, Response{ID: 3}) {
				d.now += time.Hour
				d.core.Step(d.now, in)
				wanted := map[string]string{"Poll": "poll ends", "LeaveAsked": "left", "CommitAsked": "commit ends"}[typeName(in)]
				if wanted != "" {
					wanted += ": " + ErrClosed.Error()
				}
				require.Equal(t, wanted, d.step(in), "%#v", in)
				_, ok := d.core.Deadline()
				require.False(t, ok)
			}
		})
	}
}

// Before a close a member id that may yet be given is waited for, but not for long, and also where the leave came first.
func TestCloseWaitsShortlyForALateMemberID(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	first := d.sent(classic.InputJoinGroup)
	require.NotContains(t, d.step(LeaveAsked{Last: true}), "left")
	end, ok := d.core.Deadline()
	require.True(t, ok)
	require.LessOrEqual(t, end, d.now+5*time.Second)
	for d.now < 5*time.Second {
		d.after(time.Second)
	}
	require.Equal(t, "left", d.did())
	require.Equal(t, "LeaveGroup late/-1", d.step(Response{ID: first.ID, Code: classic.CodeMemberIDRequired, Member: "late"}), "as long as it is not closed")

	d = drive(t).join()
	d.step(leaveNow)
	d.step(LeaveAsked{Last: true})
	require.True(t, d.core.leaving.last, "the close comes during a leave")
}
