package heartbeat

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// The next heartbeat counts from when the last was sent, whenever that was answered; also beside one in flight.
func TestIntervalCountsFromSending(t *testing.T) {
	d := drive(t).join()
	d.beat()
	d.now += 2 * time.Second
	d.answer(classic.InputHeartbeat, classic.CodeNone)
	require.Empty(t, d.after(999*time.Millisecond))
	require.Equal(t, "Heartbeat m-1/5", d.after(time.Millisecond))
	require.Equal(t, "Heartbeat m-1/5", d.after(3*time.Second), "one is in flight, and the coordinator counts that they come")
	require.Equal(t, 2, d.core.Status().Heartbeats)
}

// Heartbeats begin when JoinGroup is answered, and go on while the leader's assignment, SyncGroup and callbacks take their time.
func TestHeartbeatsFromJoinGroupOn(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	for range 6 {
		require.Equal(t, "FindCoordinator", d.after(10*time.Second), "no heartbeat while JoinGroup is out")
		require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone))
	}
	beats := func(generation string) {
		t.Helper()
		for range 30 {
			require.Equal(t, "Heartbeat m-1/"+generation, d.after(3*time.Second))
			d.answer(classic.InputHeartbeat, classic.CodeNone)
		}
	}
	require.Equal(t, "assign", d.answer(classic.InputJoinGroup, classic.CodeNone, leads))
	beats("5")
	require.Equal(t, "SyncGroup m-1/5", d.step(Assigned{Join: d.core.join.id}))
	beats("5")
	require.Equal(t, "assigned 5", d.answer(classic.InputSyncGroup, classic.CodeNone))
	beats("5")
	require.Equal(t, "poll ends", d.step(CallbackEnded{}))
	d.step(RejoinAsked{})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	beats("5")
}

// An answer that shows the coordinator alive restarts the session, and no other does.
func TestSessionTimer(t *testing.T) {
	for code, restarts := range map[classic.Code]bool{
		classic.CodeNone: true, classic.CodeRebalanceInProgress: true, classic.CodeCoordinatorLoadInProgress: false,
		classic.CodeDisconnect: false, classic.CodeSendTimeout: false, classic.Code(999): false,
	} {
		d := drive(t).join()
		joined := d.now
		d.beat()
		d.now += time.Second
		d.answer(classic.InputHeartbeat, code)
		want := joined + 45*time.Second
		if restarts {
			want = d.now + 45*time.Second
		}
		require.Equal(t, want, d.core.clocks.end(classic.TimerSession), "%s", code)
	}
}

// overdue is a member whose session has ended by its own clock, and its first heartbeat, which was never answered. The check
// of its silent coordinator has named the same node each time.
func overdue(t *testing.T, changes ...func(*Config)) (*driven, Request) {
	d := drive(t, changes...).join()
	late := d.beat()
	for d.core.has(classic.CoordinatorKnown) {
		deadline, ok := d.core.Deadline()
		require.True(t, ok)
		d.after(deadline - d.now)
		for _, r := range slices.Clone(d.open) {
			switch {
			case r.ID == late.ID || !d.core.has(classic.CoordinatorKnown):
			case r.API == classic.InputHeartbeat:
				d.end(r, classic.CodeCoordinatorLoadInProgress)
			default:
				d.end(r, classic.CodeNone)
			}
		}
	}
	require.Equal(t, 45*time.Second, d.now)
	return d, late
}

// The session's end by the member's own clock loses the coordinator, and nothing else: the one that is found decides whether
// the member still is one.
func TestSessionEndsLocally(t *testing.T) {
	for code, rejoin := range map[classic.Code]struct{ callback, join string }{
		classic.CodeNone:                {},
		classic.CodeRebalanceInProgress: {"revoked 5", "JoinGroup m-1/5"},
		classic.CodeIllegalGeneration:   {"lost 5", "JoinGroup m-1/-1"},
		classic.CodeUnknownMemberID:     {"lost 5", "JoinGroup /-1"},
	} {
		d, late := overdue(t)
		require.Equal(t, "FindCoordinator", d.did())
		before := d.core.who
		require.Equal(t, identity{member: "m-1", generation: 5, protocol: "range"}, before)
		require.Equal(t, classic.Stable, d.state())
		require.Equal(t, "poll ends", d.step(Poll{}), "it works on")
		require.Empty(t, d.end(late, classic.CodeNone), "the lost coordinator was alive")
		require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2)))
		require.Equal(t, d.now+45*time.Second, d.core.clocks.end(classic.TimerSession), "the coordinator begins the session anew too")
		require.Equal(t, int32(2), d.beat().Node)
		require.Empty(t, d.answer(classic.InputHeartbeat, code))
		if rejoin.join == "" {
			require.Equal(t, before, d.core.who)
			require.Equal(t, "poll ends", d.step(Poll{}))
			continue
		}
		require.Equal(t, rejoin.callback, d.step(Poll{}))
		require.Equal(t, rejoin.join, d.step(CallbackEnded{}))
	}
}

// The late answer of a coordinator that was lost because it was silent does not make it known again (librdkafka #2631), and
// what it says of the member's identity still counts.
func TestLateAnswersAfterTheSessionsEnd(t *testing.T) {
	for code, state := range map[classic.Code]classic.State{
		classic.CodeNone: classic.Stable, classic.CodeRebalanceInProgress: classic.Stable, classic.CodeNotCoordinator: classic.Stable,
		classic.CodeIllegalGeneration: classic.Unjoined, classic.CodeUnknownMemberID: classic.Unjoined,
	} {
		d, late := overdue(t)
		require.Empty(t, d.end(late, code), "%s", code)
		require.Equal(t, state, d.state(), "%s", code)
		require.False(t, d.core.has(classic.CoordinatorKnown), "%s", code)
	}
}

// Why no heartbeat was received is what an operator learns when the session ends.
func TestWhyTheSessionHasEnded(t *testing.T) {
	d, _ := overdue(t)
	var e *Error
	for _, o := range d.out {
		if f, ok := o.(Fired); ok && f.Rule.Name == "heartbeat/session_expired" {
			require.ErrorAs(t, f.Err, &e)
		}
	}
	require.Equal(t, "COORDINATOR_LOAD_IN_PROGRESS", e.Name)

	d = drive(t).join()
	d.beat()
	for d.core.has(classic.CoordinatorKnown) {
		d.after(time.Second)
	}
	for _, o := range d.out {
		if f, ok := o.(Fired); ok && f.Rule.Name == "heartbeat/session_expired" {
			require.EqualError(t, f.Err, "the heartbeat sent 42s ago to broker 1 was not answered")
			return
		}
	}
	require.Fail(t, "the session has not ended")
}

// An application that does not poll is taken out of the group, with the setting to change as the reason; a static one only
// stops.
func TestPollDeadline(t *testing.T) {
	for _, c := range []struct {
		change       func(*Config)
		leaves, join string
	}{
		{func(*Config) {}, "LeaveGroup m-1/5", "JoinGroup /-1"},
		{static, "", "JoinGroup /-1"},
	} {
		d := drive(t, c.change).join()
		joined := d.now
		for d.now < joined+300*time.Second-3*time.Second {
			d.end(d.beat(), classic.CodeNone)
		}
		require.Equal(t, c.leaves, d.after(3*time.Second))
		require.Equal(t, classic.Unjoined, d.state())
		if c.leaves != "" {
			require.Contains(t, d.sent(classic.InputLeaveGroup).Reason, "max.poll.interval.ms")
			require.Empty(t, d.answer(classic.InputLeaveGroup, classic.CodeUnknownMemberID))
		}
		require.Empty(t, d.after(time.Minute), "nothing more without a poll")
		require.Equal(t, "lost 5", d.step(Poll{}))
		require.Equal(t, c.join, d.step(CallbackEnded{}))
	}
}

// A poll pushes its deadline away, also while nothing else is to be done.
func TestPollRestartsItsDeadline(t *testing.T) {
	d := drive(t).join()
	for range 200 {
		d.end(d.beat(), classic.CodeNone)
		require.Equal(t, "poll ends", d.step(Poll{}))
	}
	require.Equal(t, classic.Stable, d.state())
}

// A heartbeat that is lost with its connection loses the coordinator, and nothing else; it is looked up at once.
func TestOnlySomeCodesLoseTheCoordinator(t *testing.T) {
	losing := []classic.Code{classic.CodeCoordinatorNotAvailable, classic.CodeNotCoordinator, classic.CodeDisconnect, classic.CodeMalformed, classic.CodeTransportClosed}
	for number := classic.Code(-1010); number < 140; number++ {
		d := drive(t).join()
		d.beat()
		did := d.answer(classic.InputHeartbeat, number)
		lost := false
		for _, code := range losing {
			lost = lost || code == number
		}
		require.Equal(t, lost, did == "FindCoordinator", "%s: %s", number, did)
		require.Equal(t, lost, !d.core.has(classic.CoordinatorKnown), "%s", number)
	}
}

// What a coordinator that has been left behind says late does not lose its successor, be that the same node or another.
func TestFormerCoordinator(t *testing.T) {
	for _, node := range []int32{1, 2} {
		for _, code := range []classic.Code{classic.CodeNotCoordinator, classic.CodeCoordinatorNotAvailable, classic.CodeDisconnect, classic.CodeMalformed} {
			d := drive(t).join()
			late := d.beat()
			d.end(d.beat(), classic.CodeDisconnect)
			d.answer(classic.InputFindCoordinator, classic.CodeNone, func(r *Response) { r.Node = node })
			require.NotContains(t, d.end(late, code), "FindCoordinator", "node %d, %s", node, code)
			require.Equal(t, node, d.core.Status().Coordinator)
			require.Equal(t, node, d.beat().Node)
		}
	}
	d := drive(t).join()
	require.Equal(t, "OffsetCommit m-1/5", d.step(CommitAsked{Member: "m-1", Generation: 5}))
	require.Contains(t, d.end(d.beat(), classic.CodeDisconnect), "commit ends: ABANDONED")
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Empty(t, d.answer(classic.InputOffsetCommit, classic.CodeNotCoordinator))
	require.True(t, d.core.has(classic.CoordinatorKnown))
	require.Equal(t, classic.Stable, d.state())
}

// A lookup under way is the only one, whatever a heartbeat is answered with meanwhile.
func TestHeartbeatsDuringALookup(t *testing.T) {
	for _, code := range []classic.Code{classic.CodeNone, classic.CodeRebalanceInProgress, classic.CodeDisconnect, classic.CodeCoordinatorLoadInProgress} {
		d := drive(t).join()
		late := d.beat()
		second := d.beat()
		require.Contains(t, d.did(), "FindCoordinator", "no heartbeat was answered for two intervals")
		require.Empty(t, d.end(second, classic.CodeDisconnect))
		require.Empty(t, d.end(late, code)+d.after(time.Second), "%s", code)
	}
}

// What is answered late about an earlier generation, or an earlier member, changes nothing (KAFKA-9823). A commit is told that
// nobody knows what has become of it as soon as its generation has ended.
func TestStaleAnswers(t *testing.T) {
	again := map[string]func(*driven){
		"generation": func(d *driven) {
			d.step(RejoinAsked{})
			d.step(Poll{})
			d.step(CallbackEnded{})
			require.Contains(t, d.answer(classic.InputJoinGroup, classic.CodeNone), "commit ends: COMMIT_UNKNOWN")
			whoCommitted(t, d)
			d.answer(classic.InputSyncGroup, classic.CodeNone)
			require.Equal(t, "poll ends", d.step(CallbackEnded{}))
		},
		"member and generation": func(d *driven) {
			require.Contains(t, d.end(d.beat(), classic.CodeUnknownMemberID), "commit ends: COMMIT_UNKNOWN")
			whoCommitted(t, d)
			d.step(Poll{})
			d.step(CallbackEnded{})
			d.rejoin()
		},
	}
	for changed, change := range again {
		for _, code := range []classic.Code{
			classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeFencedInstanceID, classic.CodeRebalanceInProgress,
			classic.CodeGroupIDNotFound, classic.CodeNotCoordinator, classic.CodeNone,
		} {
			d := drive(t).join()
			heartbeat := d.beat()
			require.Equal(t, "OffsetCommit m-1/5", d.step(CommitAsked{ID: 1, Member: "m-1", Generation: 5}))
			commit := d.sent(classic.InputOffsetCommit)
			change(d)
			before := d.core.Status()
			require.Empty(t, d.end(commit, code), "%s changed, %s", changed, code)
			require.Empty(t, d.out, "somebody waits for its answer")
			if code != classic.CodeNotCoordinator {
				require.Empty(t, d.end(heartbeat, code), "%s changed, %s", changed, code)
			}
			after := d.core.Status()
			before.Heartbeats, after.Heartbeats = 0, 0
			require.Equal(t, before, after, "%s changed, %s", changed, code)
		}
	}
}

// whoCommitted sees that the commit that ended in the last step says who has sent it.
func whoCommitted(t *testing.T, d *driven) {
	t.Helper()
	var e *Error
	require.ErrorAs(t, d.ended(), &e)
	require.Equal(t, []any{"m-1", int32(5), false}, []any{e.Member, e.Generation, e.Retriable})
}

// A heartbeat's refusal while JoinGroup is out decides nothing: JoinGroup's own answer does (KAFKA-9801).
func TestRefusalWhileJoining(t *testing.T) {
	for _, code := range []classic.Code{classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeFencedInstanceID} {
		d := drive(t).join()
		d.beat()
		d.step(RejoinAsked{})
		d.step(Poll{})
		require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
		require.Empty(t, d.answer(classic.InputHeartbeat, code), "%s", code)
		require.Equal(t, "SyncGroup m-1/6", d.answer(classic.InputJoinGroup, classic.CodeNone), "%s", code)
	}
}

// A fenced member tells a poll that waits at once, and else the next one, once. The one after that begins anew.
func TestFenced(t *testing.T) {
	d := drive(t, static).join()
	heartbeat := d.beat()
	d.step(RejoinAsked{})
	require.Equal(t, "revoked 5", d.step(Poll{}), "this poll waits for the callback")
	require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.end(heartbeat, classic.CodeFencedInstanceID))
	require.Empty(t, d.step(CallbackEnded{}))
	require.Equal(t, "lost 5", d.step(Poll{}))
	require.Equal(t, "JoinGroup m-1/-1", d.step(CallbackEnded{}))

	d.rejoin()
	d.end(d.beat(), classic.CodeFencedInstanceID)
	require.Empty(t, d.did())
	require.Empty(t, d.after(time.Minute), "no heartbeat, no join")
	require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.step(Poll{}))
	require.Equal(t, "lost 6", d.step(Poll{}))
}

// What the application has not done is not blamed on a heartbeat.
func TestThePollDeadlineBlamesNoHeartbeat(t *testing.T) {
	d := drive(t).join()
	for began := d.now; d.state() == classic.Stable && d.now < began+400*time.Second; {
		end, _ := d.core.Deadline()
		d.now = max(d.now, end)
		d.step(Tick{})
		if d.state() == classic.Stable && d.core.underway(classic.InputHeartbeat) {
			d.now += 10 * time.Millisecond
			d.answer(classic.InputHeartbeat, classic.CodeNone)
		}
	}
	for _, o := range d.out {
		if f, ok := o.(Fired); ok {
			require.NoError(t, f.Err, f.Rule.Name)
		}
	}
}
