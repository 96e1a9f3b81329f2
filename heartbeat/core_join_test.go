package heartbeat

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// However often a rejoin is asked for while a join is under way, one more JoinGroup follows, with the last protocols.
func TestOneJoinOutstanding(t *testing.T) {
	for _, while := range []classic.Input{classic.InputJoinGroup, classic.InputSyncGroup} {
		d := drive(t)
		d.step(Poll{})
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		if while == classic.InputSyncGroup {
			d.answer(classic.InputJoinGroup, classic.CodeNone)
		}
		for i := range 3 {
			require.Empty(t, d.step(ProtocolsChanged{[]Protocol{{Name: "range", Metadata: []byte{byte(i)}}}}))
			require.Empty(t, d.step(RejoinAsked{"changed"}))
			require.Empty(t, d.step(Poll{}))
		}
		if while == classic.InputJoinGroup {
			require.Equal(t, "SyncGroup m-1/5", d.answer(classic.InputJoinGroup, classic.CodeNone))
		}
		require.Equal(t, "assigned 5", d.answer(classic.InputSyncGroup, classic.CodeNone))
		require.Equal(t, "revoked 5", d.step(CallbackEnded{}), "%s does not answer what was asked for after JoinGroup was sent", while)
		require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
		join := d.sent(classic.InputJoinGroup)
		require.Equal(t, []byte{2}, join.Protocols[0].Metadata)
		require.Equal(t, "changed", join.Reason)
		d.rejoin()
		require.Equal(t, "poll ends", d.step(Poll{}))
	}
}

// A rejoin that is asked for before JoinGroup is sent is answered by it.
func TestRejoinIsAnsweredByTheNextJoin(t *testing.T) {
	d := drive(t).join()
	d.step(RejoinAsked{"once"})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	d.step(RejoinAsked{"twice"})
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "twice", d.sent(classic.InputJoinGroup).Reason)
	d.rejoin()
	require.Empty(t, d.core.Status().Reason)
	require.Equal(t, "poll ends", d.step(Poll{}))
}

// The reason of a rejoin travels in JoinGroup (KIP-800).
func TestReasonsTravel(t *testing.T) {
	for reason, happen := range map[string]func(*driven){
		"group is already rebalancing":                           func(d *driven) { d.end(d.beat(), classic.CodeRebalanceInProgress) },
		"encountered ILLEGAL_GENERATION from Heartbeat response": func(d *driven) { d.end(d.beat(), classic.CodeIllegalGeneration) },
		"encountered UNKNOWN_MEMBER_ID from Heartbeat response":  func(d *driven) { d.end(d.beat(), classic.CodeUnknownMemberID) },
		"{code} is what the application says":                    func(d *driven) { d.step(RejoinAsked{"{code} is what the application says"}) },
		"":                                                       func(d *driven) { d.step(RejoinAsked{""}) },
		"the application did not poll within max.poll.interval.ms": func(d *driven) {
			for d.state() == classic.Stable {
				d.after(3 * time.Second)
				if d.core.underway(classic.InputHeartbeat) {
					d.answer(classic.InputHeartbeat, classic.CodeNone)
				}
			}
		},
		"offset commit failed since group is already rebalancing": func(d *driven) {
			d.step(CommitAsked{Member: "m-1", Generation: 5})
			d.answer(classic.InputOffsetCommit, classic.CodeRebalanceInProgress)
		},
	} {
		d := drive(t).join()
		happen(d)
		d.step(Poll{})
		d.step(CallbackEnded{})
		require.Equal(t, reason, d.sent(classic.InputJoinGroup).Reason)
	}

	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Empty(t, d.sent(classic.InputJoinGroup).Reason, "the first join has none")
	d.answer(classic.InputJoinGroup, classic.CodeMemberIDRequired)
	require.Equal(t, "need to re-join with the given member-id: m-1", d.sent(classic.InputJoinGroup).Reason)
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.answer(classic.InputSyncGroup, classic.CodeRebalanceInProgress)
	d.after(time.Second)
	require.Equal(t, "rebalance failed due to REBALANCE_IN_PROGRESS", d.sent(classic.InputJoinGroup).Reason)
	for _, code := range []classic.Code{classic.CodeCoordinatorLoadInProgress, classic.CodeThrottlingQuotaExceeded} {
		d.answer(classic.InputJoinGroup, code)
		d.after(time.Second)
		require.Equal(t, "rebalance failed due to "+code.String(), d.sent(classic.InputJoinGroup).Reason)
	}
}

// A lookup that is under way when the leader's JoinGroup is answered goes on: there is no second one beside it.
func TestLeaderAssignsDuringALookup(t *testing.T) {
	d := drive(t).join()
	beat := d.beat()
	d.step(RejoinAsked{})
	d.step(Poll{})
	d.step(CallbackEnded{})
	require.Equal(t, "FindCoordinator", d.end(beat, classic.CodeDisconnect))
	require.Equal(t, "assign", d.answer(classic.InputJoinGroup, classic.CodeNone, leads))
	require.Empty(t, d.after(time.Second))
}

// A member id that JoinGroup asks for is used at once, and no failure is counted.
func TestMemberIDRequired(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone))
	require.Equal(t, "JoinGroup m-1/-1", d.answer(classic.InputJoinGroup, classic.CodeMemberIDRequired))
	require.Zero(t, d.core.clocks.attempts[classic.TimerJoinRetry])
	d.rejoin()
	require.Equal(t, "m-1", d.core.Status().Member)
}

// What a join's failure means for the poll that waits: again at once, again after a pause, or the poll's end. Where the
// generation is good, SyncGroup alone is sent again.
func TestJoinFailures(t *testing.T) {
	const join, sync = classic.InputJoinGroup, classic.InputSyncGroup
	for _, c := range []struct {
		api    classic.Input
		code   classic.Code
		did    string // at once, in answer to the first failure
		paused string // after a pause, in which a coordinator that was lost is found
	}{
		{join, classic.CodeRebalanceInProgress, "JoinGroup m-2/5", "JoinGroup m-2/5"},
		{join, classic.CodeUnknownMemberID, "JoinGroup /-1", "JoinGroup /-1"},
		{join, classic.CodeCoordinatorLoadInProgress, "", "JoinGroup m-2/5"},
		{join, classic.CodeNotCoordinator, "", "JoinGroup m-2/5"},
		{join, classic.CodeDisconnect, "", "JoinGroup m-2/5"},
		{join, classic.CodeGroupAuthorizationFailed, "poll ends: GROUP_AUTHORIZATION_FAILED", "JoinGroup m-2/5"},
		{join, classic.Code(999), "poll ends: UNEXPECTED", "JoinGroup m-2/5"},
		{sync, classic.CodeRebalanceInProgress, "JoinGroup m-2/6", "JoinGroup m-2/6"},
		{sync, classic.CodeUnknownMemberID, "JoinGroup /-1", "JoinGroup /-1"},
		{sync, classic.CodeIllegalGeneration, "JoinGroup m-2/-1", "JoinGroup m-2/-1"},
		{sync, classic.CodeCoordinatorLoadInProgress, "", "SyncGroup m-2/6"},
		{sync, classic.CodeNotCoordinator, "", "SyncGroup m-2/6"},
		{sync, classic.CodeDisconnect, "", "SyncGroup m-2/6"},
		{sync, classic.CodeSendTimeout, "", "SyncGroup m-2/6"},
		{sync, classic.CodeGroupAuthorizationFailed, "poll ends: GROUP_AUTHORIZATION_FAILED", "JoinGroup m-2/6"},
		{sync, classic.Code(999), "poll ends: UNEXPECTED", "JoinGroup m-2/6"},
	} {
		for repeated := range 2 {
			d := drive(t)
			d.ids = 1
			d.join()
			d.step(RejoinAsked{})
			d.step(Poll{})
			require.Equal(t, "JoinGroup m-2/5", d.step(CallbackEnded{}))
			name := fmt.Sprintf("%s: %s, %d failures before", c.api, c.code, repeated)
			did := c.did
			if repeated > 0 {
				require.Equal(t, "JoinGroup m-2/5", d.answer(join, classic.CodeRebalanceInProgress), "at once")
				if strings.HasPrefix(did, "JoinGroup") {
					did = ""
				}
			}
			if c.api == sync {
				d.answer(join, classic.CodeNone)
			}
			found := d.answer(c.api, c.code)
			if found == "lost 5" {
				found = d.step(CallbackEnded{})
			}
			require.Equal(t, did, found, name)
			d.step(Poll{})
			if d.after(500 * time.Millisecond); d.core.underway(classic.InputFindCoordinator) {
				d.answer(classic.InputFindCoordinator, classic.CodeNone)
			}
			d.after(time.Second)
			last := d.open[len(d.open)-1]
			require.Equal(t, c.paused, fmt.Sprintf("%s %s/%d", last.API, last.Member, last.Generation), name)
		}
	}
}

// A leader divides the work among those that the coordinator names, in its order; SyncGroup carries the result.
func TestLeaderAssigns(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	members := []JoinMember{{ID: "z"}, {ID: "m-1", Instance: "i", Metadata: []byte("a")}}
	require.Equal(t, "assign", d.answer(classic.InputJoinGroup, classic.CodeNone, leads, func(r *Response) { r.Members = members }))
	run := d.out[len(d.out)-1].(RunAssignment)
	require.Equal(t, AssignmentInput{Group: "g", Generation: 5, Leader: "m-1", Protocol: "range", Members: members}, run.Input)
	plan := []Assignment{{Member: "m-1", Data: []byte("b")}}
	require.Empty(t, d.step(Assigned{Join: run.Join + 1, Assignments: plan}), "of another join")
	require.Empty(t, d.step(AssignmentFailed{Join: run.Join - 1, Err: errors.New("of another join")}))
	require.Equal(t, "SyncGroup m-1/5", d.step(Assigned{Join: run.Join, Assignments: plan}))
	require.Equal(t, plan, d.sent(classic.InputSyncGroup).Assignments)
	require.Empty(t, d.step(Assigned{Join: run.Join, Assignments: plan}), "a second time")
}

// A leader that is told to skip the assignment (KIP-814) sends an empty one.
func TestLeaderSkipsTheAssignment(t *testing.T) {
	d := drive(t, static)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "SyncGroup m-1/5", d.answer(classic.InputJoinGroup, classic.CodeNone, leads, func(r *Response) { r.SkipAssignment = true }))
	require.Empty(t, d.sent(classic.InputSyncGroup).Assignments)
}

// An assignor that fails fails the join; one that fails after the member was reset is not listened to.
func TestAssignmentFails(t *testing.T) {
	cause := errors.New("nobody knows how")
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.answer(classic.InputJoinGroup, classic.CodeNone, leads)
	session := d.core.clocks.end(classic.TimerSession)
	d.now += time.Second
	require.Equal(t, "poll ends: ASSIGNMENT", d.step(AssignmentFailed{Join: d.core.join.id, Err: cause}))
	require.ErrorIs(t, d.out[len(d.out)-1].(PollEnded).Err, cause)
	require.Equal(t, session, d.core.clocks.end(classic.TimerSession), "the coordinator has said nothing")
	require.Empty(t, d.step(Poll{}), "after a pause")
	require.Equal(t, "JoinGroup m-1/5", d.after(120*time.Millisecond))

	d.answer(classic.InputJoinGroup, classic.CodeNone, leads)
	d.end(d.beat(), classic.CodeIllegalGeneration)
	require.Equal(t, "abandon, JoinGroup m-1/-1", d.did())
	require.Empty(t, d.step(AssignmentFailed{Join: d.core.join.id - 1, Err: cause}))
	d.rejoin()
}

// Another protocol type or name in an answer than the member's own is an error; none is not.
func TestProtocolOfAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(*Response)
		joins, syncs bool
	}{
		"none":         {func(r *Response) { r.ProtocolType, r.Protocol = nil, nil }, true, true},
		"its own type": {func(r *Response) { r.ProtocolType = new("consumer") }, true, true},
		"another type": {func(r *Response) { r.ProtocolType = new("connect") }, false, false},
		"another name": {func(r *Response) { r.Protocol = new("roundrobin") }, true, false},
	} {
		d := drive(t)
		d.step(Poll{})
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		did := d.answer(classic.InputJoinGroup, classic.CodeNone, c.change)
		require.Equal(t, c.joins, did == "SyncGroup m-1/5", "%s: %s", name, did)
		if !c.joins {
			require.Equal(t, "poll ends: INCONSISTENT_GROUP_PROTOCOL", did)
			require.ErrorContains(t, d.out[len(d.out)-1].(PollEnded).Err, `the answer names the protocol type "connect" and the protocol `)
			continue
		}
		protocol := d.core.who.protocol
		did = d.answer(classic.InputSyncGroup, classic.CodeNone, c.change, func(r *Response) {
			if name == "another name" {
				r.Protocol = new(protocol + "x")
			}
		})
		require.Equal(t, c.syncs, did == "assigned 5", "%s: %s", name, did)
	}
}

// JoinGroup is held back by the broker, and has more time for its answer than other requests.
func TestRequestTimeouts(t *testing.T) {
	for _, c := range []struct{ request, poll, want time.Duration }{
		{0, 0, 305 * time.Second}, {10 * time.Minute, 0, 10 * time.Minute}, {time.Second, time.Minute, 65 * time.Second},
	} {
		d := drive(t, func(config *Config) { config.RequestTimeout, config.MaxPollInterval = c.request, c.poll })
		d.step(Poll{})
		other := c.request
		if other == 0 {
			other = 30 * time.Second
		}
		require.Equal(t, other, d.sent(classic.InputFindCoordinator).Timeout)
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		join := d.sent(classic.InputJoinGroup)
		require.Equal(t, c.want, join.Timeout)
		require.Equal(t, d.core.config.MaxPollInterval, join.RebalanceTimeout)
		require.Equal(t, d.core.config.SessionTimeout, join.SessionTimeout)
	}
}

// A join whose coordinator was lost meanwhile goes on with the next one, under the identity that it was given.
func TestCoordinatorLostWhileJoining(t *testing.T) {
	d := drive(t).join()
	heartbeat := d.beat()
	d.step(RejoinAsked{})
	d.step(Poll{})
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "FindCoordinator", d.end(heartbeat, classic.CodeDisconnect))
	require.Empty(t, d.answer(classic.InputJoinGroup, classic.CodeNone), "there is nobody to send SyncGroup to")
	require.Equal(t, classic.CompletingRebalance, d.state())
	require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone), "after a pause")
	require.Equal(t, "SyncGroup m-1/6", d.after(120*time.Millisecond))
	require.Equal(t, "assigned 6", d.answer(classic.InputSyncGroup, classic.CodeNone))
}

// JoinGroup carries what the coordinator needs to know of the member: each protocol with its metadata, and both timeouts.
func TestJoinGroupOffersAllThatTheMemberHas(t *testing.T) {
	protocols := []Protocol{{Name: "range", Metadata: []byte("a")}, {Name: "sticky", Metadata: []byte("b")}, {Name: "none"}}
	d := drive(t, static, func(c *Config) {
		c.Protocols, c.SessionTimeout, c.MaxPollInterval = protocols, 11*time.Second, 13*time.Second
	})
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	offered := func(protocols []Protocol) {
		t.Helper()
		sent := d.sent(classic.InputJoinGroup)
		require.Equal(t, protocols, sent.Protocols)
		require.Equal(t, []any{"g", "consumer", "i", 11 * time.Second, 13 * time.Second},
			[]any{sent.Group, sent.ProtocolType, sent.Instance, sent.SessionTimeout, sent.RebalanceTimeout})
	}
	offered(protocols)
	d.answer(classic.InputJoinGroup, classic.CodeMemberIDRequired)
	offered(protocols)
	d.rejoin()
	protocols = []Protocol{{Name: "sticky", Metadata: []byte("c")}, {Name: "range"}}
	d.step(ProtocolsChanged{protocols})
	d.step(RejoinAsked{})
	d.step(Poll{})
	d.step(CallbackEnded{})
	offered(protocols)
}
