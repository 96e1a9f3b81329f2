package heartbeat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// leftWhileJoining is a member that has left while its JoinGroup without a member id was under way.
func leftWhileJoining(t *testing.T, mode LeaveMode) (*driven, Request) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	join := d.sent(classic.InputJoinGroup)
	require.Contains(t, d.step(LeaveAsked{Mode: mode}), "left")
	return d, join
}

func late(join Request) Response {
	return Response{ID: join.ID, Member: "late", Generation: 7, Leader: "x"}
}

// A late member id is given back once, by a LeaveGroup that nobody waits for and that leaves the member as it is.
func TestALateMemberIDIsGivenBackOnce(t *testing.T) {
	d, join := leftWhileJoining(t, LeaveIfDynamic)
	d.step(Poll{})
	d.rejoin()
	before := d.core.who
	require.Equal(t, "LeaveGroup late/-1", d.step(late(join)))
	require.Empty(t, d.step(late(join)))
	for _, code := range []classic.Code{classic.CodeUnknownMemberID, classic.CodeNotCoordinator, classic.CodeGroupAuthorizationFailed} {
		d, join := leftWhileJoining(t, LeaveIfDynamic)
		d.step(late(join))
		require.Empty(t, d.answer(classic.InputLeaveGroup, code), "%s", code)
	}
	require.Equal(t, before, d.core.who)
	require.Equal(t, classic.Stable, d.state())
}

// It is kept where the member was told not to leave, and forgotten where nobody could be told of it.
func TestALateMemberIDThatIsNotGivenBack(t *testing.T) {
	t.Run("told not to leave", func(t *testing.T) {
		d, join := leftWhileJoining(t, LeaveNever)
		require.Empty(t, d.step(late(join)))
	})
	t.Run("no coordinator", func(t *testing.T) {
		d, join := leftWhileJoining(t, LeaveIfDynamic)
		d.step(Poll{})
		d.answer(classic.InputJoinGroup, classic.CodeNotCoordinator)
		require.Empty(t, d.step(late(join)))
	})
	t.Run("closed", func(t *testing.T) {
		d, join := leftWhileJoining(t, LeaveIfDynamic)
		d.step(CloseAsked{})
		require.Empty(t, d.step(late(join)))
	})
	t.Run("an answer without one", func(t *testing.T) {
		d, join := leftWhileJoining(t, LeaveIfDynamic)
		require.Empty(t, d.step(Response{ID: join.ID, Generation: 7}))
	})
	t.Run("the member's own", func(t *testing.T) {
		d := rejoining(t)
		join := d.sent(classic.InputJoinGroup)
		d.step(leaveNow)
		d.step(CallbackEnded{})
		require.Empty(t, d.step(late(join)), "it was asked for under an id, which the member has left with")
	})
}

// Each of several JoinGroups that were abandoned is listened for.
func TestLateMemberIDs(t *testing.T) {
	d, first := leftWhileJoining(t, LeaveIfDynamic)
	d.step(Poll{})
	second := d.sent(classic.InputJoinGroup)
	require.NotEqual(t, first.ID, second.ID)
	require.Contains(t, d.step(leaveNow), "left")
	require.Equal(t, "LeaveGroup late/-1", d.step(late(second)))
	require.Equal(t, "LeaveGroup late/-1", d.step(late(first)))
}

// A coordinator that has moved back is asked to forget what it has given.
func TestALateMemberIDOfACoordinatorThatIsBack(t *testing.T) {
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	join := d.sent(classic.InputJoinGroup)
	d.after(10 * time.Second)
	require.Equal(t, "JoinGroup /-1", d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(2)))
	d.after(10 * time.Second)
	d.answer(classic.InputFindCoordinator, classic.CodeNone, onNode(1))
	require.Equal(t, "LeaveGroup late/-1", d.step(late(join)))
	require.Equal(t, classic.PreparingRebalance, d.state())
}
