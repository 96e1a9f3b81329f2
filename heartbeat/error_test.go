package heartbeat

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// An error says of which group it is, what happened, in which state, why, and which rule decided, with its line.
func TestErrorSaysWhatHappened(t *testing.T) {
	cause := errors.New("the wire is cut")
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.step(Response{ID: d.sent(classic.InputJoinGroup).ID, Code: classic.CodeGroupAuthorizationFailed, Err: cause})
	var err *Error
	require.ErrorAs(t, d.out[len(d.out)-1].(PollEnded).Err, &err)
	require.ErrorIs(t, err, cause)
	require.Equal(t, Error{
		Name: "GROUP_AUTHORIZATION_FAILED", Input: classic.InputJoinGroup, Code: classic.CodeGroupAuthorizationFailed, Group: "g",
		Generation: NoGeneration, State: classic.PreparingRebalance, Rule: err.Rule, Err: cause,
	}, *err)
	require.Regexp(t, `^group "g": JoinGroup in PREPARING_REBALANCE: GROUP_AUTHORIZATION_FAILED \(.+[^.]\): the wire is cut; rule JoinGroup/GROUP_AUTHORIZATION_FAILED.* at classic.yaml:\d+$`, err.Error())

	// The next error knows nothing of the last one.
	d.step(CommitAsked{Member: "m-9", Generation: 3})
	require.ErrorAs(t, d.out[len(d.out)-1].(CommitEnded).Err, &err)
	require.Equal(t, Error{
		Name: "REBALANCE_IN_PROGRESS", Input: classic.InputCommit, Group: "g", Generation: NoGeneration, State: classic.PreparingRebalance, Rule: err.Rule,
	}, *err)

	d.step(Poll{})
	d.after(120 * time.Millisecond)
	require.Equal(t, "poll ends: UNEXPECTED", d.answer(classic.InputJoinGroup, classic.Code(999)))
	require.ErrorAs(t, d.out[len(d.out)-1].(PollEnded).Err, &err)
	require.Regexp(t, `JoinGroup in PREPARING_REBALANCE: UNEXPECTED after UNKNOWN\(999\); rule JoinGroup/otherwise/not retriable at classic.yaml:\d+$`, err.Error())
}
