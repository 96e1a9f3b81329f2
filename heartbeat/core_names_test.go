package heartbeat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// A failure goes by the name of the code that was answered, in the log as in what is raised. What has another name says more
// than the code does, or has no code.
func TestFailuresAreNamedByTheirCode(t *testing.T) {
	others := map[classic.Result]string{ // of answers with a code that is an error
		classic.ResultJoinGroupUnexpected: "UNEXPECTED", classic.ResultHeartbeatUnexpected: "UNEXPECTED", classic.ResultOffsetCommitUnexpected: "UNEXPECTED",
		classic.ResultJoinGroupUnjoined: "UNJOINED_GROUP", classic.ResultJoinGroupGivenUp: "UNJOINED_GROUP",
		classic.ResultOffsetCommitRejoining: "REBALANCE_IN_PROGRESS", classic.ResultOffsetCommitTooLate: "COMMIT_FAILED", classic.ResultOffsetCommitUnknown: "COMMIT_UNKNOWN",
	}
	without := map[classic.Result]string{ // of answers that succeed, of events and of loops
		classic.ResultJoinGroupInconsistent: "INCONSISTENT_GROUP_PROTOCOL", classic.ResultJoinGroupUnjoined: "UNJOINED_GROUP",
		classic.ResultJoinGroupNoNode: "COORDINATOR_NOT_AVAILABLE", classic.ResultJoinGroupLate: "ILLEGAL_GENERATION", classic.ResultJoinGroupNoPlan: "ASSIGNMENT",
		classic.ResultHeartbeatTurnLeaseEnded: "LEASE_EXPIRED", classic.ResultHeartbeatTurnSilent: "COORDINATOR_SILENT",
		classic.ResultHeartbeatTurnSessionOver: "SESSION_EXPIRED", classic.ResultHeartbeatTurnPollOver: "POLL_EXPIRED",
		classic.ResultCallbackFailedThrow: "CALLBACK", classic.ResultLoopBrokeBroke: "LOOP", classic.ResultReleasedUntold: "COORDINATOR_NOT_AVAILABLE",
		classic.ResultOffsetCommitRejoining: "REBALANCE_IN_PROGRESS", classic.ResultOffsetCommitTooLate: "COMMIT_FAILED", classic.ResultOffsetCommitNoNode: "COORDINATOR_NOT_AVAILABLE",
	}
	kept := map[classic.Result]bool{ // an earlier failure
		classic.ResultOffsetCommitThrow: true, classic.ResultHeartbeatTurnThrow: true, classic.ResultPollThrow: true,
	}
	for _, rule := range classic.Rules() {
		refused := rule.Input.Kind() == fsm.KindResponse && !strings.HasPrefix(rule.Name, rule.Input.String()+"/NONE")
		name, own := "", rule.Result.Error().Kind == fsm.ErrorOwn
		if !own {
			name = errorName(rule, classic.CodeNone)
		}
		switch other := others[rule.Result]; {
		case !refused:
			require.Equal(t, without[rule.Result], name, rule.Name)
			require.Equal(t, kept[rule.Result], own, rule.Name)
		case other != "":
			require.Equal(t, other, name, rule.Name)
		case rule.Result != classic.ResultHeartbeatReceived && rule.Result != classic.ResultLeaveGroupLeft: // which are no failures
			require.True(t, own, "%s is called %q", rule.Name, name)
		}
	}
}
