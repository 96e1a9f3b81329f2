package heartbeat

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

var committed = CommitAsked{ID: 1, Member: "m-1", Generation: 5, Offsets: []Offset{{Topic: "t"}}}

// refusals are the codes by which a coordinator says that the member is none, what they leave of its identity, and the APIs that
// carry them.
var refusals = []struct {
	api  classic.Input
	code classic.Code
	join string // the next JoinGroup
}{
	{classic.InputHeartbeat, classic.CodeIllegalGeneration, "JoinGroup m-1/-1"},
	{classic.InputHeartbeat, classic.CodeUnknownMemberID, "JoinGroup /-1"},
	{classic.InputOffsetCommit, classic.CodeIllegalGeneration, "JoinGroup m-1/-1"},
	{classic.InputOffsetCommit, classic.CodeUnknownMemberID, "JoinGroup /-1"},
	{classic.InputOffsetCommit, classic.CodeGroupIDNotFound, "JoinGroup /-1"},
}

// asked is a member of generation 5 which has sent both a heartbeat and a commit.
func asked(t *testing.T, changes ...func(*Config)) *driven {
	d := drive(t, changes...).join()
	d.beat()
	require.Equal(t, "OffsetCommit m-1/5", d.step(committed))
	return d
}

// A member that is none any more, or whose group is gone, has lost its partitions, whoever says so; a commit is told that it has
// failed.
func TestRefusalInAGeneration(t *testing.T) {
	for _, c := range refusals {
		d := asked(t)
		did := d.answer(c.api, c.code)
		if c.api == classic.InputOffsetCommit {
			require.Equal(t, "commit ends: COMMIT_FAILED", did, "%s", c.code)
		} else {
			require.Equal(t, "forget request 5, commit ends: COMMIT_UNKNOWN", did, "%s", c.code)
		}
		require.Equal(t, classic.Unjoined, d.state())
		require.Equal(t, "lost 5", d.step(Poll{}))
		require.Equal(t, c.join, d.step(CallbackEnded{}), "%s: %s", c.api, c.code)
	}
}

// While JoinGroup is under way it decides; when it was refused for good, nothing else does, though the state is the same.
func TestRefusalBesideAJoinGroup(t *testing.T) {
	for _, c := range refusals {
		for _, underway := range []bool{true, false} {
			name := fmt.Sprintf("%s: %s, a JoinGroup under way: %t", c.api, c.code, underway)
			d := asked(t)
			d.step(RejoinAsked{"x"})
			require.Equal(t, "revoked 5", d.step(Poll{}))
			require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
			if !underway {
				require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.answer(classic.InputJoinGroup, classic.CodeGroupAuthorizationFailed))
			}
			require.Equal(t, classic.PreparingRebalance, d.state())
			did := d.answer(c.api, c.code)
			if underway {
				require.Equal(t, map[bool]string{true: "commit ends: REBALANCE_IN_PROGRESS"}[c.api == classic.InputOffsetCommit], did, name)
				require.Contains(t, d.answer(classic.InputJoinGroup, classic.CodeNone), "SyncGroup m-1/6", name)
				continue
			}
			require.Equal(t, classic.Unjoined, d.state(), name)
			require.Equal(t, "lost 5", d.step(Poll{}), name)
			require.Equal(t, c.join, d.step(CallbackEnded{})+d.after(time.Second), name)
		}
	}
}

// A fenced member is one that no JoinGroup under way can help, when there is none.
func TestFencedBesideAJoinGroup(t *testing.T) {
	for _, underway := range []bool{true, false} {
		d := asked(t, static)
		d.step(RejoinAsked{"x"})
		d.step(Poll{})
		d.step(CallbackEnded{})
		if !underway {
			d.answer(classic.InputJoinGroup, classic.CodeGroupAuthorizationFailed)
		}
		did := d.answer(classic.InputHeartbeat, classic.CodeFencedInstanceID)
		if underway {
			require.Empty(t, did)
			require.Contains(t, d.answer(classic.InputJoinGroup, classic.CodeNone), "SyncGroup m-1/6")
			continue
		}
		require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.step(Poll{}))
		require.Equal(t, "lost 5", d.step(Poll{}))
		require.Equal(t, "JoinGroup m-1/-1", d.step(CallbackEnded{})+d.after(time.Second))
	}
}

// A commit that says that the group rebalances makes the member join again, once; one of an earlier generation does not.
func TestRebalanceInProgress(t *testing.T) {
	for _, api := range []classic.Input{classic.InputHeartbeat, classic.InputOffsetCommit} {
		d := asked(t)
		d.answer(api, classic.CodeRebalanceInProgress)
		require.True(t, d.core.has(classic.RejoinNeeded))
		require.Equal(t, "revoked 5", d.step(Poll{}))
		require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))

		d = asked(t)
		late := d.sent(api)
		d.step(RejoinAsked{"x"})
		d.step(Poll{})
		d.step(CallbackEnded{})
		d.rejoin()
		d.end(late, classic.CodeRebalanceInProgress)
		require.False(t, d.core.has(classic.RejoinNeeded), "%s", api)
		require.Equal(t, "poll ends", d.step(Poll{}), "%s", api)
	}
}

// Offsets are committed for the member and generation that read them: an equal generation of another member is another one.
func TestCommitComparesTheMember(t *testing.T) {
	d := drive(t).join()
	d.end(d.beat(), classic.CodeUnknownMemberID)
	d.step(Poll{})
	d.step(CallbackEnded{})
	d.gen = 4
	d.rejoin()
	require.Equal(t, identity{member: "m-2", generation: 5, protocol: "range"}, d.core.who)
	require.Equal(t, "commit ends: COMMIT_FAILED", d.step(committed))
	require.Equal(t, "OffsetCommit m-2/5", d.step(CommitAsked{ID: 2, Member: "m-2", Generation: 5}))
}
