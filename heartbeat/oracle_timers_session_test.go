package heartbeat

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// unprolonged are the steps of a sequence as they would be if finding the coordinator left Kafka's session timer alone: from
// `found` on the session has what it had before, less the time since, until it begins anew. It is what take_coordinator
// declares, by value, and so what a Core that differs from Kafka has to have.
func unprolonged(steps []timerFact) []timerFact {
	out := slices.Clone(steps)
	left, found := 0, false
	for i := range out {
		switch f := &out[i]; f.Do {
		case "joined", "received":
			found = false
		case "found":
			if !found {
				left = steps[i-1].SessionMs
			}
			found = true
		case "pass":
			left = max(left-f.Ms, 0)
		}
		if found {
			out[i].SessionMs, out[i].SessionExpired = left, left == 0
		}
	}
	return out
}

// asDeclared is a fact that differs otherwise than is declared.
type asDeclared struct{ timerFact }

func (f asDeclared) String() string {
	return f.timerFact.String() + "; Kafka's session as take_coordinator has it, from before the coordinator was found"
}

// A declared difference of the timers covers one value: a session that ends a millisecond early or late, at once after the
// coordinator was found or in a later step, is undeclared.
func TestTimersDiffer(t *testing.T) {
	r, sequences := newOracleReading(t), map[int][]timerFact{}
	for _, f := range readFacts[timerFact](t, "timers") {
		sequences[f.Sequence] = append(sequences[f.Sequence], f)
	}
	const (
		polls = 69   // passes, finds the coordinator, polls
		ends  = 2803 // passes, finds the coordinator, and passes until the session is over that had begun before
		found = 2
	)
	for name, c := range map[string]struct {
		sequence, step int
		by             time.Duration
		undeclared     int
		says           string
	}{
		"as declared":        {polls, found, 0, 0, ""},
		"early":              {polls, found, -time.Millisecond, 2, "session_ms: "},
		"late":               {polls, found, time.Millisecond, 2, "session_ms: "},
		"early in the next":  {polls, found + 1, -time.Millisecond, 1, "session_ms: "},
		"late in the next":   {polls, found + 1, time.Millisecond, 1, "session_ms: "},
		"over as declared":   {ends, found, 0, 0, ""},
		"over early":         {ends, found, -3 * time.Second, 1, "session_expired: "},
		"over late":          {ends, found, time.Millisecond, 2, "session_ms: "},
		"over late, at last": {ends, found + 1, time.Millisecond, 1, "session_expired: "},
	} {
		t.Run(name, func(t *testing.T) {
			tally := newOracleTally(timerDeviations, nil)
			compareAsleep(r, tally, sequences[c.sequence], func(core *timedCore, f timerFact) {
				if f.Step == c.step {
					core.clocks.set(classic.TimerSession, core.clocks.end(classic.TimerSession)+c.by)
				}
			})
			require.Equal(t, []int{c.undeclared, 2 - c.undeclared, 2}, []int{tally.failed, tally.declared, tally.equal}, "%v", tally.failures)
			for _, f := range tally.failures {
				require.Contains(t, f, c.says)
			}
		})
	}
}
