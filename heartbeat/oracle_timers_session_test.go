package heartbeat

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// A session that ends a millisecond early or late is found, at once after the coordinator was found or in a later step.
func TestTimersDiffer(t *testing.T) {
	r, sequences := newOracleReading(t), map[int][]timerFact{}
	for _, f := range readFacts[timerFact](t, "timers") {
		sequences[f.Sequence] = append(sequences[f.Sequence], f)
	}
	const (
		polls = 69   // passes, finds the coordinator, polls
		ends  = 2803 // passes, finds the coordinator, and passes until the session would be over that had begun before
		found = 2
	)
	for name, c := range map[string]struct {
		sequence, step int
		by             time.Duration
		undeclared     int
		says           string
	}{
		"as Kafka's":        {polls, found, 0, 0, ""},
		"early":             {polls, found, -time.Millisecond, 2, "session_ms: "},
		"late":              {polls, found, time.Millisecond, 2, "session_ms: "},
		"early in the next": {polls, found + 1, -time.Millisecond, 1, "session_ms: "},
		"late in the next":  {polls, found + 1, time.Millisecond, 1, "session_ms: "},
		"over":              {ends, found + 1, -time.Hour, 1, "session_expired: "},
	} {
		t.Run(name, func(t *testing.T) {
			tally := newOracleTally(nil, nil)
			compareAsleep(r, tally, sequences[c.sequence], func(core *timedCore, f timerFact) {
				if f.Step == c.step {
					core.clocks.set(classic.TimerSession, core.clocks.end(classic.TimerSession)+c.by)
				}
			})
			require.Equal(t, []int{c.undeclared, 0, 4 - c.undeclared}, []int{tally.failed, tally.declared, tally.equal}, "%v", tally.failures)
			for _, f := range tally.failures {
				require.Contains(t, f, c.says)
			}
		})
	}
}
