package heartbeat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// Of a deviation it is on record what each side does: another value is noticed, though Kafka's is still another one, and though
// the deviation makes a difference in as many facts, and in the same aspects, as before.
func TestDifferencesNoticeValues(t *testing.T) {
	deviating := &spec.Rule{Name: "rule", Deviates: "on purpose"}
	effect := &spec.Effect{Name: "effect", Deviates: "it is not needed"}
	machine := &spec.Machine{Effects: []*spec.Effect{effect}, Events: []*spec.Input{{Cases: []*spec.Case{
		{Decision: deviating}, {Decision: &spec.Rule{Name: "plain"}},
	}}}}
	seen := func(comparison string, ours ...string) *differences {
		tally := newOracleTally(nil, nil)
		tally.differences = newDifferences(comparison)
		for _, state := range ours {
			tally.compare(cellFact{API: "Heartbeat", Code: "NONE"}, []*spec.Rule{deviating}, factView{"state": state}, factView{"state": "STABLE"})
		}
		return tally.recorded()
	}
	text := ""
	for _, comparison := range []string{"Core", "decisions"} {
		renewed, otherwise := seen(comparison, "UNJOINED", "UNJOINED", "STABLE").renew(text, machine)
		require.Len(t, otherwise, 1)
		text = renewed
	}
	_, body, _ := strings.Cut(text, differencesHead)
	require.Equal(t, `
effect effect
  deviates: it is not needed
  no fact comes to it, or shows a difference

rule
  deviates: on purpose
  decisions: 2 of 3
    2 × state: STABLE → UNJOINED
        as in Heartbeat NONE in , identity , static false
  Core: 2 of 3
    2 × state: STABLE → UNJOINED
        as in Heartbeat NONE in , identity , static false
`, body)

	for name, c := range map[string]struct {
		ours []string
		now  string // without the first facts; "" for what is on record
	}{
		"the same":             {[]string{"UNJOINED", "UNJOINED", "STABLE"}, ""},
		"another value":        {[]string{"PREPARING_REBALANCE", "PREPARING_REBALANCE", "STABLE"}, "Core: 2 of 3; 2 × state: STABLE → PREPARING_REBALANCE"},
		"in one of the facts":  {[]string{"UNJOINED", "PREPARING_REBALANCE", "STABLE"}, "Core: 2 of 3; 1 × state: STABLE → PREPARING_REBALANCE; 1 × state: STABLE → UNJOINED"},
		"in more of the facts": {[]string{"UNJOINED", "UNJOINED", "UNJOINED"}, "Core: 3 of 3; 3 × state: STABLE → UNJOINED"},
		"no difference":        {[]string{"STABLE", "STABLE", "STABLE"}, "(nothing)"},
	} {
		t.Run(name, func(t *testing.T) {
			renewed, otherwise := seen("Core", c.ours...).renew(text, machine)
			if c.now == "" {
				require.Empty(t, otherwise)
				require.Equal(t, text, renewed)
				return
			}
			require.Len(t, otherwise, 1)
			_, now, _ := strings.Cut(otherwise[0], "\n now:\n")
			var lines []string
			for line := range strings.Lines(now) {
				if line = strings.TrimSpace(line); !strings.HasPrefix(line, "as in ") {
					lines = append(lines, line)
				}
			}
			require.Equal(t, c.now, strings.Join(lines, "; "))
			require.Contains(t, renewed, "decisions: 2 of 3", "the lines of another comparison stay")
		})
	}

	deviating.Deviates = "for another reason"
	_, otherwise := seen("Core", "UNJOINED", "UNJOINED", "STABLE").renew(text, machine)
	require.Len(t, otherwise, 1)
	require.Contains(t, otherwise[0], "other reasons")
}

// Values that hang on how a fact was set up are the same in words, and those that differ never are.
func TestDifferencesInWords(t *testing.T) {
	words := oracleWords{map[string]string{"NOT_COORDINATOR": "NotCoordinatorException"}}
	cell := cellFact{API: "Heartbeat", Code: "NOT_COORDINATOR", State: "STABLE"}
	cell.Before.identityFact = identityFact{MemberID: "member-1", Generation: 6}
	heard := listenerFact{State: "STABLE", Identity: "generation_changed"}
	for _, c := range []struct{ got, want change }{
		{words.ofFact(cell, "state", "UNJOINED", "STABLE"), change{"state", "UNJOINED", "kept"}},
		{words.ofFact(cell, "identity", identityFact{MemberID: "member-1", Generation: -1}.String(), cell.Before.String()), change{"identity", "without generation", "kept"}},
		{words.ofFact(cell, "identity", identityFact{Generation: -1}.String(), identityFact{MemberID: "x", Generation: 9}.String()),
			change{"identity", "none", `generation 9 of "x", protocol none`}},
		{words.ofFact(cell, "outcome", "failure of KafkaException", "failure of NotCoordinatorException"),
			change{"outcome", "failure of KafkaException", "failure of the code's own error"}},
		{words.ofFact(cell, "rejoin_reason", "rebalance failed due to NotCoordinatorException", "rebalance failed due to NOT_COORDINATOR"),
			change{"rejoin_reason", "rebalance failed due to NotCoordinatorException", "rebalance failed due to NOT_COORDINATOR"}},
		{words.ofFact(heard, "handled generation", "-1", "6"), change{"handled generation", "none", "kept"}},
		{words.ofFact(heard, "handled attempts", "-1", "6"), change{"handled attempts", "-1", "6"}},
		{words.ofFact(loopFact{}, "generation", "5", "7"), change{"generation", "kept", "7"}},
		{words.ofFact(timerFact{}, "session_ms", "900", "12"), change{"session_ms", "more", "less"}},
		{words.ofFact(timerFact{}, "attempts", "2", "3"), change{"attempts", "2", "3"}},
		{words.ofLines("NOT_COORDINATOR:x", "reason", "due to NOT_COORDINATOR", `of "" of instance "i"`), change{"reason", "due to the code's own error", "of nobody"}},
		{words.ofLines("NONE", "identity", `"member-1" in 5`, `"member-2" in 5`), change{"identity", `"member-1" in 5`, `"member-2" in 5`}},
		{words.ofLife("lookups", "3", "12"), change{"lookups", "less", "more"}},
		{words.ofLife("generation", "3", "-1"), change{"generation", "a generation", "none"}},
		{words.ofLife("generation", "3", "4"), change{"generation", "3", "4"}},
		{words.ofLife("commits", "1", "1 COMMIT_FAILED retriable false"), change{"commits", "ok", "COMMIT_FAILED retriable false"}},
		{words.ofLife("joins", "[]", "[join_complete 1 m1 range x join_prepare 2]"), change{"joins", "", "join_complete, join_prepare"}},
		{words.ofLife("requests", "", "JoinGroup to 0 by /-1 i within 30; LeaveGroup to 1 by m2/-1; Heartbeat to 1 by m2/3  within 9"),
			change{"requests", "", "JoinGroup of nobody; LeaveGroup of a member without generation; Heartbeat of a member"}},
	} {
		require.Equal(t, c.want, c.got)
	}
}
