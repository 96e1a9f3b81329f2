package heartbeat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// What a lookup has failed with for good is told at once, also while the application lets go of what it owns: the poll
// that waits for that could only wait for nothing.
func TestALookupsFailureDoesNotWaitForACallback(t *testing.T) {
	d := drive(t).join()
	d.end(d.beat(), classic.CodeRebalanceInProgress)
	require.Equal(t, "revoked 5", d.step(Poll{}))
	require.Equal(t, "FindCoordinator", d.end(d.beat(), classic.CodeDisconnect))
	require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.answer(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed))
	require.True(t, d.core.has(classic.CallbackRunning))
}

// Of a loop that has failed a poll is told before it is told of a lookup: the loop's cause is what ended the membership.
func TestALoopsFailureIsToldBeforeALookups(t *testing.T) {
	d := drive(t).join()
	fenced := d.beat()
	require.Empty(t, d.end(d.beat(), classic.CodeDisconnect), "it is being looked up, for its silence")
	d.answer(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed)
	d.end(fenced, classic.CodeFencedInstanceID)
	require.Equal(t, "poll ends: FENCED_INSTANCE_ID", d.step(Poll{}))
	require.Equal(t, "poll ends: GROUP_AUTHORIZATION_FAILED", d.step(Poll{}))
}
