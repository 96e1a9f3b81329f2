package gen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoNames(t *testing.T) {
	for _, c := range []struct{ name, exported, unexported, file string }{
		{"STABLE", "Stable", "stable", "stable"},
		{"PREPARING_REBALANCE", "PreparingRebalance", "preparingRebalance", "preparing_rebalance"},
		{"rejoin_needed", "RejoinNeeded", "rejoinNeeded", "rejoin_needed"},
		{"FindCoordinator", "FindCoordinator", "findCoordinator", "find_coordinator"},
		{"UNKNOWN_MEMBER_ID", "UnknownMemberID", "unknownMemberID", "unknown_member_id"},
		{"id_lost", "IDLost", "idLost", "id_lost"},
		{"joined_ok", "JoinedOK", "joinedOK", "joined_ok"},
		{"APIVersions", "APIVersions", "apiVersions", "api_versions"},
		{"TO+", "ToPlus", "toPlus", "to_plus"},
		{"RCR-", "RcrMinus", "rcrMinus", "rcr_minus"},
		{"Req-Sent", "ReqSent", "reqSent", "req_sent"},
		{"tlu", "Tlu", "tlu", "tlu"},
		{"x", "X", "x", "x"},
		{"été", "Été", "été", "été"},
	} {
		have := goName(c.name)
		require.Equal(t, c.exported, have)
		require.Equal(t, c.unexported, lowerFirst(have))
		require.Equal(t, c.file, snake(have))
	}
}
