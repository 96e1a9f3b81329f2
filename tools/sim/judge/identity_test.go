package judge

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// An answer is about who the member was when it asked: of two that come after each other, the first can have made it another.
func TestALateAnswerChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		resets, stale bool // by the answer to a heartbeat, before; the rule that decides knows that
		want          []Invariant
	}{
		"in time":          {},
		"late, and known":  {resets: true, stale: true},
		"late, and heeded": {resets: true, want: []Invariant{LateAnswersIgnored}},
	} {
		s := newScene("m1")
		s.joins("m1", "a", 4, 0)
		s.see(Event{Member: "m1", Kind: Sent, API: classic.InputHeartbeat, Request: 2, Who: Identity{"a", 4}})
		s.see(Event{Member: "m1", Kind: Sent, API: classic.InputOffsetCommit, Request: 3, Who: Identity{"a", 4}})
		from := classic.Stable
		if c.resets {
			from = classic.Unjoined
			s.see(Event{Member: "m1", Kind: Answered, API: classic.InputHeartbeat, Request: 2, Code: classic.CodeIllegalGeneration})
			s.see(Event{Member: "m1", Kind: Fired, Rule: classic.DecideHeartbeat(classic.Memory{State: classic.Stable}, classic.CodeIllegalGeneration, classic.HeartbeatGuards{}),
				Code: classic.CodeIllegalGeneration, Request: 2, From: classic.Stable, To: classic.Unjoined})
		}
		s.see(Event{Member: "m1", Kind: Answered, API: classic.InputOffsetCommit, Request: 3, Code: classic.CodeUnknownMemberID})
		s.see(Event{Member: "m1", Kind: Fired, Rule: classic.DecideOffsetCommit(classic.Memory{State: from}, classic.CodeUnknownMemberID, classic.OffsetCommitGuards{Stale: c.stale}),
			Code: classic.CodeUnknownMemberID, Request: 3, From: from, To: classic.Unjoined})
		require.Equal(t, c.want, s.invariants(), name)
	}
}
