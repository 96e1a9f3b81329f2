package heartbeat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// read is a Core that a test drives by hand, with the journal of its steps.
type read struct {
	*driven
	journal journal
}

func readBy(t testing.TB, changes ...func(*Config)) *read {
	d := drive(t, changes...)
	return &read{d, newJournal(d.core.config, d.core.Status())}
}

// logs is what the last step logs: the messages, with those attributes that are asked for.
func (r *read) logs(keys ...string) string {
	var lines []string
	for _, e := range r.journal.step(r.now, r.out, r.core.Status()) {
		text := e.message
		if e.failure {
			text = "! " + text
		}
		for _, a := range e.attrs {
			if slices.Contains(keys, a.key) {
				text += fmt.Sprintf(" %s=%v", a.key, a.value)
			}
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, ", ")
}

// in brings the member into its group, by way of node 1.
func (r *read) in() *read {
	r.step(Poll{})
	r.logs()
	for _, api := range []classic.Input{classic.InputFindCoordinator, classic.InputJoinGroup, classic.InputSyncGroup} {
		r.answer(api, classic.CodeNone)
		r.logs()
	}
	r.step(CallbackEnded{})
	require.Empty(r.t, r.logs())
	return r
}

// lookUp lets time pass until a lookup is under way, and answers it.
func (r *read) lookUp(code classic.Code, node int32) {
	for !r.core.underway(classic.InputFindCoordinator) {
		r.after(100 * time.Millisecond)
		if logs := r.logs(); logs != "" {
			require.Equal(r.t, "! still failing", logs)
		}
	}
	r.answer(classic.InputFindCoordinator, code, func(a *Response) { a.Node = node })
}

// A coordinator that moves is named; one that is named again and again, by turns with another, is named once in an outage.
func TestTheLogOfACoordinatorThatMoves(t *testing.T) {
	r := readBy(t).in()
	beat := func(code classic.Code, keys ...string) string {
		r.now = max(r.now, r.core.clocks.end(classic.TimerInterval))
		if !r.core.underway(classic.InputHeartbeat) {
			r.step(Tick{})
			require.Empty(t, r.logs())
		}
		r.answer(classic.InputHeartbeat, code)
		return r.logs(keys...)
	}
	require.Empty(t, beat(classic.CodeNone))
	require.Equal(t, "! coordinator unavailable coordinator=1 code=NOT_COORDINATOR", beat(classic.CodeNotCoordinator, "coordinator", "code"))
	r.lookUp(classic.CodeNone, 2)
	require.Equal(t, "coordinator moved coordinator=2 coordinator_before=1", r.logs("coordinator", "coordinator_before"))
	for node := range int32(6) { // 2 → 1 → 2 → …
		require.Empty(t, beat(classic.CodeNotCoordinator))
		r.lookUp(classic.CodeNone, 1+node%2)
		if have := r.logs("coordinator"); node == 0 {
			require.Equal(t, "coordinator moved coordinator=1", have)
		} else {
			require.NotContains(t, have, "coordinator moved")
		}
	}
	r.logs()
	require.Contains(t, beat(classic.CodeNone, "failures", "codes"), "recovered failures=7 codes=NOT_COORDINATOR=7")
	r.now += time.Minute // the outage is over, and a move is news again
	r.step(Tick{})
	r.logs()
	r.answer(classic.InputHeartbeat, classic.CodeNotCoordinator)
	r.logs()
	r.lookUp(classic.CodeNone, 1)
	require.Equal(t, "coordinator moved coordinator=1 coordinator_before=2", r.logs("coordinator", "coordinator_before"))
}

// The coordinator that is asked for though it is known, and has not changed, was found.
func TestAConfirmedCoordinatorEndsAnOutageOfLookups(t *testing.T) {
	r := readBy(t)
	r.step(Poll{})
	r.logs()
	r.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "coordinator found", r.logs())
	check := func(code classic.Code) string { // while JoinGroup is held
		r.lookUp(code, 1)
		return r.logs("failures")
	}
	require.Equal(t, "! coordinator lookup failed", check(classic.CodeCoordinatorNotAvailable))
	require.True(t, r.journal.outage.on())
	require.Equal(t, "recovered failures=1", check(classic.CodeNone))
	require.False(t, r.journal.outage.on())
}

// What Status shows names the broker that a request was sent to, and none where it was a lookup.
func TestTheFailureNamesTheBroker(t *testing.T) {
	r := readBy(t).in()
	r.beat()
	r.logs()
	r.answer(classic.InputHeartbeat, classic.CodeNotCoordinator)
	r.logs()
	require.ErrorContains(t, r.journal.outage.last, `group "g": Heartbeat at broker 1 in STABLE: NOT_COORDINATOR`)
	r.lookUp(classic.CodeCoordinatorNotAvailable, AnyBroker)
	r.logs()
	require.ErrorContains(t, r.journal.outage.last, `group "g": FindCoordinator in STABLE: COORDINATOR_NOT_AVAILABLE`)
}

// What is answered to a heartbeat of a generation that is no more shows nothing of the member's health.
func TestALateHeartbeatEndsNoOutage(t *testing.T) {
	r := readBy(t).in()
	late := r.beat()
	r.logs()
	r.beat()
	r.logs()
	r.answer(classic.InputHeartbeat, classic.CodeUnknownMemberID)
	require.Equal(t, "! lost partitions member= member_before=m-1 generation=-1 generation_before=5", r.logs("member", "member_before", "generation", "generation_before"))
	r.end(late, classic.CodeNone)
	require.Empty(t, r.logs())
	require.True(t, r.journal.outage.on())
	require.ErrorIs(t, r.journal.outage.last, classic.CodeUnknownMemberID)
}

// Nothing fails any more of a member that leaves, and nothing of one that was never polled.
func TestALeaveEndsAnOutageWithoutAWord(t *testing.T) {
	r := readBy(t).in()
	r.beat()
	r.logs()
	r.answer(classic.InputHeartbeat, classic.CodeDisconnect)
	require.Equal(t, "! coordinator unavailable", r.logs())
	r.step(LeaveAsked{Mode: LeaveAlways, Reason: "scaled down"})
	require.Empty(t, r.logs())
	r.step(CallbackEnded{})
	require.Equal(t, "revoked reason=scaled down, ! left group reason=scaled down", r.logs("reason", "code"))
	require.False(t, r.journal.outage.on())
	r.answer(classic.InputFindCoordinator, classic.CodeDisconnect)
	require.Empty(t, r.logs())
	require.False(t, r.journal.outage.on())
}

// An application that commits again and again is refused in one line for each generation and reason.
func TestRefusedCommitsAreLoggedOnce(t *testing.T) {
	r := readBy(t).in()
	commit := func(code classic.Code) string {
		r.step(CommitAsked{ID: 1, Member: r.core.who.member, Generation: r.core.who.generation})
		r.logs()
		r.answer(classic.InputOffsetCommit, code)
		return r.logs("error", "code")
	}
	require.Equal(t, "! commit refused code=GROUP_AUTHORIZATION_FAILED", commit(classic.CodeGroupAuthorizationFailed))
	require.Empty(t, commit(classic.CodeGroupAuthorizationFailed))
	require.Empty(t, commit(classic.CodeCoordinatorLoadInProgress), "it is tried again")
	require.Equal(t, "! lost partitions error=COMMIT_FAILED code=ILLEGAL_GENERATION, ! commit refused error=COMMIT_FAILED code=ILLEGAL_GENERATION",
		commit(classic.CodeIllegalGeneration))
	require.True(t, r.journal.outage.on(), "the member is in no generation")
}

// Of a request that the member has abandoned a line says so, and names no code: nothing was received.
func TestTheLogOfAnAbandonedRequest(t *testing.T) {
	r := readBy(t).in()
	r.step(CommitAsked{ID: 1, Member: r.core.who.member, Generation: r.core.who.generation})
	r.logs()
	r.beat()
	r.logs()
	r.answer(classic.InputHeartbeat, classic.CodeUnknownMemberID)
	logs := r.logs("error", "code", "message")
	require.Contains(t, logs, "! commit refused error=COMMIT_UNKNOWN message="+classic.CodeAbandoned.Message())
	require.NotContains(t, logs, classic.CodeAbandoned.String())
}

// What an application raises is logged with its cause.
func TestTheLogNamesWhatWasRaised(t *testing.T) {
	r := readBy(t).in()
	cause := errors.New("out of order")
	r.step(LoopBroke{cause})
	events := r.journal.step(r.now, r.out, r.core.Status())
	require.Len(t, events, 1)
	require.Equal(t, "heartbeat loop failed", events[0].message)
	require.Contains(t, events[0].attrs, eventAttr{"err", cause})
	require.Contains(t, events[0].attrs, eventAttr{"error", "LOOP"})
}

// Each rule that decides can be logged, with its line, and what it has decided about.
func TestTheLogOfARule(t *testing.T) {
	r := readBy(t, static).in()
	r.beat()
	r.logs()
	r.answer(classic.InputHeartbeat, classic.CodeIllegalGeneration)
	r.logs()
	f := r.out[0].(Fired)
	text := ""
	for _, a := range r.journal.decision(f) {
		if a.key != "message" && a.key != "why" {
			text += fmt.Sprintf(" %s=%v", a.key, a.value)
		}
	}
	require.Equal(t, " group=g instance=i member=m-1 member_before=m-1 generation=-1 generation_before=5 coordinator=1 state=UNJOINED state_before=STABLE"+
		" rule="+f.Rule.Name+" at="+f.Rule.At()+" code=ILLEGAL_GENERATION", text)
}

// A reason has no code that was not received, though JoinGroup has it.
func TestAReasonInTheLogNamesNoCodeThatWasNotReceived(t *testing.T) {
	r := readBy(t)
	r.step(Poll{})
	r.logs()
	r.answer(classic.InputFindCoordinator, classic.CodeNone)
	r.logs()
	r.answer(classic.InputJoinGroup, classic.CodeNone)
	r.logs()
	r.answer(classic.InputSyncGroup, classic.CodeNone, func(a *Response) { a.ProtocolType = new("connect") })
	namesOnly(t, classic.CodeNone, r.logs("rule", "reason", "err"))
	r.step(Poll{})
	r.logs()
	r.after(time.Second)
	require.Contains(t, r.sent(classic.InputJoinGroup).Reason, "INCONSISTENT_GROUP_PROTOCOL")
	r.answer(classic.InputJoinGroup, classic.CodeNone)
	logs := r.logs("reason")
	require.Contains(t, logs, "joined group reason=rebalance failed due to the group member's supported protocols")
	namesOnly(t, classic.CodeNone, logs)
}
