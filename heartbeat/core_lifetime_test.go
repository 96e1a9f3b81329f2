package heartbeat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// onNode is what FindCoordinator answers.
func onNode(node int32) func(*Response) { return func(r *Response) { r.Node = node } }

// rejoining is a member of generation 5 whose JoinGroup with its id is held.
func rejoining(t *testing.T, changes ...func(*Config)) *driven {
	d := drive(t, changes...).join()
	d.step(RejoinAsked{"metadata changed"})
	require.Equal(t, "revoked 5", d.step(Poll{}))
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	return d
}

// syncing is a member of generation 5 whose SyncGroup is held; it leads.
func syncing(t *testing.T, changes ...func(*Config)) *driven {
	d := drive(t, changes...)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	require.Equal(t, "assign", d.answer(classic.InputJoinGroup, classic.CodeNone, leads))
	require.Equal(t, "SyncGroup m-1/5", d.step(Assigned{Join: d.core.join.id, Assignments: []Assignment{{Member: "m-1", Data: []byte("all")}}}))
	return d
}

// abandoned are the requests that the last step has abandoned.
func (d *driven) abandoned() (ids []uint64) {
	for _, o := range d.out {
		if a, ok := o.(Abandoned); ok && !a.Listen {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// What ends a request before its limit: another coordinator, and whatever makes its answer useless.
func TestWhatEndsRequests(t *testing.T) {
	for n := range 8 * int(classic.Stable+1) {
		state, stale, replaced, known := classic.State(n/8), n&1 != 0, n&2 != 0, n&4 != 0
		memory := classic.Memory{State: state}
		if known {
			memory.Flags = classic.CoordinatorKnown
		}
		for api, want := range map[classic.Input]bool{
			classic.InputFindCoordinator: false,
			classic.InputJoinGroup:       replaced || state != classic.PreparingRebalance,
			classic.InputSyncGroup:       replaced || stale,
			classic.InputHeartbeat:       replaced,
			classic.InputLeaveGroup:      replaced,
			classic.InputOffsetCommit:    replaced || stale || !known,
		} {
			code, ends := classic.Abandons(api, memory, classic.RequestGuards{Stale: stale, Replaced: replaced})
			require.Equal(t, want, ends, "%s in %s: stale %t, replaced %t, coordinator known %t", api, state, stale, replaced, known)
			if ends {
				require.Equal(t, classic.CodeAbandoned, code, api)
			}
		}
	}
}

func TestJoinGroupGoesWhereItsCoordinatorHasGone(t *testing.T) {
	d := rejoining(t)
	join := d.sent(classic.InputJoinGroup)
	require.Equal(t, 305*time.Second, join.Timeout)
	require.Equal(t, "FindCoordinator", d.after(10*time.Second), "the coordinator may have died without a word")
	require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(1)), "it has not: the JoinGroup is held")
	require.Empty(t, d.abandoned())
	require.Equal(t, "FindCoordinator", d.after(10*time.Second))
	require.Equal(t, "forget request 4, JoinGroup m-1/5", d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2)), "at once, with the id")
	require.Equal(t, []uint64{join.ID}, d.abandoned())
	require.Equal(t, int32(2), d.sent(classic.InputJoinGroup).Node)
	require.Empty(t, d.step(Response{ID: join.ID, Generation: 9, Member: "m-1", Leader: "m-1"}), "its answer changes nothing")
	require.Empty(t, d.out)
	require.Equal(t, "lost 5", d.answer(classic.InputJoinGroup, classic.CodeUnknownMemberID), "an id that the new coordinator does not know")
	d.step(CallbackEnded{})
	require.Equal(t, "JoinGroup /-1", d.after(time.Second), "the second repetition has a pause")
}

func TestHeldJoinGroupIsCheckedEachThirdOfAShortSession(t *testing.T) {
	d := rejoining(t, func(c *Config) { c.SessionTimeout, c.HeartbeatInterval = 6*time.Second, time.Second })
	require.Equal(t, "", d.after(2*time.Second-time.Millisecond))
	require.Equal(t, "FindCoordinator", d.after(time.Millisecond))
}

// A coordinator whose heartbeats end as DISCONNECT is looked up, and the JoinGroup on another connection waits for what that says.
func TestJoinGroupOutlastsALostCoordinatorThatComesBack(t *testing.T) {
	d := drive(t).join()
	beat := d.beat()
	d.step(RejoinAsked{"metadata changed"})
	d.step(Poll{})
	d.step(CallbackEnded{})
	join := d.sent(classic.InputJoinGroup)
	d.end(beat, classic.CodeDisconnect)
	require.Equal(t, "FindCoordinator", d.did())
	require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(1)))
	require.Equal(t, join.ID, d.sent(classic.InputJoinGroup).ID)
	require.Equal(t, "SyncGroup m-1/6", d.answer(classic.InputJoinGroup, classic.CodeNone))
}

func TestALateMemberIDIsGivenBackWhereItIsKnown(t *testing.T) {
	for _, c := range []struct {
		name     string
		static   bool
		moved    bool
		code     classic.Code
		givesIDs string
	}{
		{name: "with a generation", code: classic.CodeNone, givesIDs: "LeaveGroup late/-1"},
		{name: "to join with", code: classic.CodeMemberIDRequired, givesIDs: "LeaveGroup late/-1"},
		{name: "refused", code: classic.CodeGroupMaxSizeReached},
		{name: "of a former coordinator", moved: true, code: classic.CodeNone},
		{name: "of a static member", static: true, code: classic.CodeNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := drive(t, func(config *Config) {
				if c.static {
					static(config)
				}
			})
			d.step(Poll{})
			d.answer(classic.InputFindCoordinator, classic.CodeNone)
			first := d.sent(classic.InputJoinGroup)
			require.Contains(t, d.step(leaveNow), "left", "it does not wait for what cannot be taken back")
			require.Empty(t, d.abandoned(), "somebody still listens")
			d.step(Poll{})
			if c.moved {
				d.answer(classic.InputJoinGroup, classic.CodeNotCoordinator)
				d.after(time.Second)
				d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2))
			}
			did := d.step(Response{ID: first.ID, Code: c.code, Member: "late", Generation: 7, Leader: "x"})
			require.Equal(t, c.givesIDs, did)
			require.NotEqual(t, "late", d.core.who.member)
		})
	}
}

func TestSyncGroupIsSentAgainInItsGeneration(t *testing.T) {
	for name, lose := range map[string]func(d *driven){
		"its connection ends": func(d *driven) {
			d.answer(classic.InputSyncGroup, classic.CodeDisconnect)
			require.Equal(t, "FindCoordinator", d.after(time.Second))
			d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(1))
		},
		"another coordinator": func(d *driven) {
			beat := d.beat()
			require.Equal(t, "FindCoordinator", d.end(beat, classic.CodeNotCoordinator))
			d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2))
			require.NotEmpty(t, d.abandoned())
		},
		"loading":  func(d *driven) { d.answer(classic.InputSyncGroup, classic.CodeCoordinatorLoadInProgress) },
		"not sent": func(d *driven) { d.answer(classic.InputSyncGroup, classic.CodeSendTimeout) },
	} {
		t.Run(name, func(t *testing.T) {
			d := syncing(t)
			lose(d)
			d.after(time.Second)
			again := d.sent(classic.InputSyncGroup)
			require.Equal(t, int32(5), again.Generation)
			require.Equal(t, []Assignment{{Member: "m-1", Data: []byte("all")}}, again.Assignments)
			require.Equal(t, "assigned 5", d.answer(classic.InputSyncGroup, classic.CodeNone))
		})
	}
}

func TestSyncGroupThatIsRefusedWhenSentAgainLeadsToARejoin(t *testing.T) {
	for code, member := range map[classic.Code]string{
		classic.CodeIllegalGeneration: "JoinGroup m-1/-1", classic.CodeUnknownMemberID: "JoinGroup /-1", classic.CodeRebalanceInProgress: "JoinGroup m-1/5",
	} {
		d := syncing(t)
		d.answer(classic.InputSyncGroup, classic.CodeDisconnect)
		d.after(time.Second)
		d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2))
		require.Equal(t, member, d.answer(classic.InputSyncGroup, code), code)
	}
}

// A coordinator that is lost between JoinGroup's answer and SyncGroup: the generation is good.
func TestSyncGroupWaitsForTheCoordinator(t *testing.T) {
	d := drive(t).join()
	first := d.beat()
	d.step(RejoinAsked{"x"})
	d.step(Poll{})
	d.step(CallbackEnded{})
	d.end(first, classic.CodeNotCoordinator)
	require.Empty(t, d.answer(classic.InputJoinGroup, classic.CodeNone))
	require.Empty(t, d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2)))
	require.Equal(t, "SyncGroup m-1/6", d.after(time.Second))
}

func TestSyncGroupEndsWithItsIdentity(t *testing.T) {
	t.Run("reset", func(t *testing.T) {
		d := syncing(t)
		held := d.sent(classic.InputSyncGroup)
		d.end(d.beat(), classic.CodeUnknownMemberID)
		require.Equal(t, []uint64{held.ID}, d.abandoned())
		require.Equal(t, "forget request 3, JoinGroup /-1", d.did(), "at once")
	})
	t.Run("left", func(t *testing.T) {
		d := syncing(t)
		held := d.sent(classic.InputSyncGroup)
		did := d.step(leaveNow)
		require.Contains(t, did, "LeaveGroup m-1/5")
		require.Contains(t, d.abandoned(), held.ID)
		d.answer(classic.InputLeaveGroup, classic.CodeNone)
		require.Equal(t, "JoinGroup /-1", d.step(Poll{}), "at once")
	})
}

func TestACommitEndsWithItsCoordinatorAndWithItsGeneration(t *testing.T) {
	commit := CommitAsked{ID: 1, Member: "m-1", Generation: 5, Offsets: []Offset{{Topic: "t"}}}
	t.Run("coordinator", func(t *testing.T) {
		d := drive(t).join()
		d.step(commit)
		sent := d.sent(classic.InputOffsetCommit)
		did := d.end(d.beat(), classic.CodeDisconnect)
		require.Contains(t, did, "commit ends: ABANDONED")
		require.Equal(t, []uint64{sent.ID}, d.abandoned())
		var e *Error
		require.ErrorAs(t, d.ended(), &e)
		require.True(t, e.Retriable)
	})
	t.Run("generation", func(t *testing.T) {
		d := drive(t).join()
		d.step(commit)
		did := d.end(d.beat(), classic.CodeUnknownMemberID)
		require.Contains(t, did, "commit ends: COMMIT_UNKNOWN")
		var e *Error
		require.ErrorAs(t, d.ended(), &e)
		require.False(t, e.Retriable)
	})
}

// ended is the error of the commit that has ended in the last step.
func (d *driven) ended() error {
	for _, o := range d.out {
		if end, ok := o.(CommitEnded); ok {
			return end.Err
		}
	}
	return nil
}

func TestASilentCoordinatorIsCheckedAfterTwoIntervals(t *testing.T) {
	d := drive(t).join()
	first := d.beat()
	d.step(Poll{})
	d.end(first, classic.CodeNone)
	answered := d.now
	for d.now < answered+6*time.Second-10*time.Millisecond {
		require.NotContains(t, d.after(10*time.Millisecond), "FindCoordinator")
	}
	require.Contains(t, d.after(10*time.Millisecond), "FindCoordinator")
	open := len(d.core.open)
	require.Contains(t, d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2)), "Heartbeat m-1/5", "it goes there at once")
	require.Less(t, len(d.core.open), open, "those to the former coordinator are forgotten")
	require.Equal(t, classic.Stable, d.state())
	require.Equal(t, d.now+6*time.Second, d.core.clocks.end(classic.TimerSilence), "the next one has as long")
}

// A heartbeat of a generation that has ended stays under way, and holds nothing up.
func TestAHeartbeatThatIsStaleHoldsNothingUp(t *testing.T) {
	d := drive(t).join()
	stale := d.beat()
	d.step(RejoinAsked{"metadata changed"})
	d.step(Poll{})
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	d.rejoin()
	joined := d.now
	beat := d.beat()
	require.Equal(t, int32(6), beat.Generation)
	require.LessOrEqual(t, d.now-joined, 3*time.Second)
	require.Empty(t, d.end(stale, classic.CodeIllegalGeneration), "it is about an earlier generation")
	require.Equal(t, classic.Stable, d.state())
	d.step(leaveNow)
	d.step(CallbackEnded{})
	require.Equal(t, "left", d.answer(classic.InputLeaveGroup, classic.CodeNone), "the next one is not answered")
}

// A broker that cannot say which is the coordinator of a member that has one changes nothing, whatever it says.
func TestACheckThatFailsIsNotRaised(t *testing.T) {
	for _, code := range []classic.Code{classic.CodeAuthenticationException, classic.CodeGroupAuthorizationFailed, classic.Code(999), classic.CodeDisconnect} {
		d := drive(t).join()
		beat := d.beat()
		for !d.core.underway(classic.InputFindCoordinator) {
			d.after(100 * time.Millisecond)
		}
		require.Empty(t, d.answer(classic.InputFindCoordinator, code), code)
		d.end(beat, classic.CodeNone)
		require.Equal(t, "poll ends", d.step(Poll{}), code)
		require.Equal(t, classic.Stable, d.state())
	}
}

// A coordinator that refuses heartbeats is not silent.
func TestACoordinatorThatRefusesIsNotChecked(t *testing.T) {
	d := drive(t).join()
	for began := d.now; d.now < began+time.Minute; {
		end, _ := d.core.Deadline()
		d.now = max(d.now, end)
		require.NotContains(t, d.step(Tick{}), "FindCoordinator")
		if d.core.underway(classic.InputHeartbeat) {
			d.answer(classic.InputHeartbeat, classic.CodeGroupAuthorizationFailed)
		}
		d.step(Poll{})
		if d.now > began+40*time.Second {
			return // the session ends later, and then the coordinator is looked up
		}
	}
}
