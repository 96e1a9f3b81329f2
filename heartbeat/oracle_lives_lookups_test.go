package heartbeat

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// A Core may be one lookup ahead of Kafka's client, and not two.
func TestLookupsAhead(t *testing.T) {
	r := newOracleReading(t)
	for _, life := range equalLives(t, r, 3) {
		for step := range len(life.Steps) - 1 {
			c, n, done := newLivesTally(), 0, false
			c.meddle = func(l *relived) {
				if n++; n == step+1 && !l.over && len(l.deviations()) == 0 {
					done = true
					for len(l.sent[classic.InputFindCoordinator]) < l.count[classic.InputFindCoordinator]+2 {
						l.sent[classic.InputFindCoordinator] = append(l.sent[classic.InputFindCoordinator], Request{})
					}
				}
			}
			if c.relive(t, r, life); !done { // after the close nobody looks for a coordinator; what deviates has its own test
				continue
			}
			require.Equal(t, 1, c.failed, "life %d step %d: two lookups ahead, and no difference", life.Life, step+1)
			require.Contains(t, c.failures[0], "\tlookups ahead: ")
		}
	}
}

// What deviates in lookups excuses one of Kafka's only as long as it says: a lookup that is under way, or the pause after one.
func TestLookupExcuseEnds(t *testing.T) {
	r := newOracleReading(t)
	lives := equalLives(t, r, 60)
	for name, ended := range map[string]func(l *relived, n int) bool{
		"heartbeat/not coordinator_known and lookup_in_flight": func(l *relived, n int) bool { return l.ended[l.sent[classic.InputFindCoordinator][n-1].ID] },
		"result FindCoordinator/raise":                         func(l *relived, n int) bool { return len(l.sent[classic.InputFindCoordinator]) > n },
	} {
		t.Run(name, func(t *testing.T) {
			tried := 0
			for _, life := range lives {
				c, n, over, done := newLivesTally(), 0, false, false
				c.meddle = func(l *relived) {
					switch {
					case done:
					case slices.Contains(l.deviations(), name):
						n, over = len(l.sent[classic.InputFindCoordinator]), false
					case over && len(l.deviations()) == 0 && len(l.lookup) == 0 && !l.over:
						l.count[classic.InputFindCoordinator] += 2
						done = true
					case n > 0:
						over = ended(l, n) // and is no excuse from the next step on
					}
				}
				c.relive(t, r, life)
				if done {
					tried++
					require.Equal(t, 1, c.failed, "life %d: a lookup of Kafka's too many, and no undeclared difference", life.Life)
				}
			}
			require.NotZero(t, tried, "in no life has %s decided, and ended, before a step in which nothing deviates", name)
		})
	}
}
