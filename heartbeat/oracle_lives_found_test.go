package heartbeat

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is otherwise in a life of Kafka's client is found, where and in what: one thing is changed in lives that are
// equal, and the comparison must name it.
func TestLivesDiffer(t *testing.T) {
	r := newOracleReading(t)
	lives := equalLives(t, r, 25)
	request := func(api string, change func(*lifeRequest)) func(*lifeView) bool {
		return func(v *lifeView) bool {
			for i := range v.Requests {
				if v.Requests[i].API == api {
					change(&v.Requests[i])
					return true
				}
			}
			return false
		}
	}
	later := func(timer int) func(*lifeView) bool {
		return func(v *lifeView) bool {
			v.Deadlines = slices.Clone(v.Deadlines)
			v.Deadlines[timer]++
			return v.State == "STABLE" && v.HeartbeatThread == "enabled"
		}
	}
	for _, c := range []struct {
		aspect string
		change func(*lifeView) bool // false where there is nothing to change
	}{
		{"state", func(v *lifeView) bool { v.State = "PREPARING"; return true }},
		{"member", func(v *lifeView) bool { v.Member += "x"; return true }},
		{"generation", func(v *lifeView) bool { v.Generation++; return true }},
		{"protocol", func(v *lifeView) bool { v.Protocol = new("other"); return true }},
		{"rejoin_needed", func(v *lifeView) bool { v.RejoinNeeded = !v.RejoinNeeded; return true }},
		{"coordinator", func(v *lifeView) bool { v.CoordinatorKnown = !v.CoordinatorKnown; return true }},
		{"coordinator", func(v *lifeView) bool { v.Coordinator++; return v.CoordinatorKnown }},
		{"thread", func(v *lifeView) bool { v.HeartbeatThread = "failed"; return true }},
		{"error", func(v *lifeView) bool { v.Error, v.ErrorCode = "X", 0; return true }},
		{"error", func(v *lifeView) bool { had := v.Error != ""; v.Error, v.ErrorCode = "", 0; return had }},
		{"callbacks", func(v *lifeView) bool {
			v.Callbacks = append(v.Callbacks, lifeCallback{Call: "leave_prepare"})
			return true
		}},
		{"joins", func(v *lifeView) bool {
			v.Callbacks = append(v.Callbacks, lifeCallback{Call: "join_complete"})
			return true
		}},
		{"commits", func(v *lifeView) bool {
			if len(v.Commits) > 0 {
				v.Commits[0].Retriable = !v.Commits[0].Retriable
			}
			return len(v.Commits) > 0 && v.Commits[0].Error != ""
		}},
		{"lookups", func(v *lifeView) bool {
			v.Requests = append(v.Requests, lifeRequest{ID: 1000, API: "FindCoordinator"}, lifeRequest{ID: 1001, API: "FindCoordinator"})
			return true
		}},
		{"interval timer", later(0)},
		{"session timer", later(1)},
		{"max_poll timer", later(2)},
		{"requests", request("JoinGroup", func(q *lifeRequest) { q.Member += "x" })},
		{"requests", request("JoinGroup", func(q *lifeRequest) { q.Timeout++ })},
		{"requests", request("SyncGroup", func(q *lifeRequest) { q.Generation++ })},
		{"requests", request("SyncGroup", func(q *lifeRequest) { q.Assignments = append(q.Assignments, "x") })},
		{"requests", request("Heartbeat", func(q *lifeRequest) { q.Instance = new("x") })},
		{"requests", request("Heartbeat", func(q *lifeRequest) { q.To++ })},
		{"requests", request("LeaveGroup", func(q *lifeRequest) { q.Member = "" })},
		{"requests", request("OffsetCommit", func(q *lifeRequest) { q.Generation-- })},
	} {
		t.Run(c.aspect, func(t *testing.T) {
			for _, life := range lives {
				for i := range life.Steps {
					if s := &life.Steps[i]; s.Do.Close == nil && i < len(life.Steps)-4 {
						changed := copyOf(s.Saw)
						if !c.change(&changed) {
							continue
						}
						was := s.Saw
						s.Saw = changed
						tally := newLivesTally()
						tally.relive(t, r, life)
						s.Saw = was
						require.Equal(t, 1, tally.failed+tally.families[life.Family].declared, "life %d step %d", life.Life, s.Step)
						if tally.failed == 1 {
							require.Contains(t, tally.failures[0], "\t"+c.aspect+": ", "life %d step %d", life.Life, s.Step)
							return
						}
					}
				}
			}
			require.Fail(t, "nowhere is there anything to change")
		})
	}
}

// equalLives are the first n that are equal to their end.
func equalLives(t *testing.T, r *oracleReading, n int) (lives []*lifeFact) {
	t.Helper()
	eachLife(t, "testdata/oracle/lives.ndjson.gz", func(f *lifeFact) {
		if c := newLivesTally(); len(lives) < n {
			c.relive(t, r, f)
			if c.families[f.Family].equal == 1 {
				lives = append(lives, f)
			}
		}
	})
	return lives
}

// copyOf is a view that can be changed.
func copyOf(v lifeView) lifeView {
	v.Requests = append([]lifeRequest(nil), v.Requests...)
	v.Callbacks = append([]lifeCallback(nil), v.Callbacks...)
	v.Commits = append([]lifeCommit(nil), v.Commits...)
	return v
}
