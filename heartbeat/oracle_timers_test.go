package heartbeat

import (
	"fmt"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// timerFact is what Kafka's Heartbeat says of its timers after one step of a sequence.
type timerFact struct {
	Sequence, Step int
	Do             string
	Ms             int // of pass
	LateMs         int `json:"late_ms"` // of polled

	// Of the first step.
	Kind                       string
	Session, Interval, Backoff int
	MaxPoll                    int `json:"max_poll"`
	BackoffMax                 int `json:"backoff_max"`
	Due                        bool
	SessionExpired             bool `json:"session_expired"`
	PollExpired                bool `json:"poll_expired"`
	NextMs                     int  `json:"next_ms"`
	SessionMs                  int  `json:"session_ms"`
	PollMs                     int  `json:"poll_ms"`
	Attempts                   int
	InFlight                   bool `json:"in_flight"` // a mark of Kafka's, which no rule asks for
}

func (f timerFact) String() string {
	return fmt.Sprintf("sequence %d, step %d: %s", f.Sequence, f.Step, f.Do)
}

// The timers of a Core run as those of Kafka's Heartbeat do, through the same steps: what is over, what is left of each, and
// how long a failed heartbeat is put off. testdata/oracle/figures_timers has what comes out.
func TestOracleOfTimers(t *testing.T) {
	r, c := newOracleReading(t), newOracleTally(nil, nil)
	c.record(t, "timers")
	defer c.tell(t)
	_, kafka := openFacts(t, "timers_backoff")
	require.Equal(t, 2, kafka.Multiplier, "the backoffs of Kafka's client grow otherwise than by two: Start doubles them")
	datadriven.RunTest(t, "testdata/oracle/figures_timers", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "timers":
			return c.figures(t, countFacts(t, "timers"), func() (int, string) { return compareTimers(t, r, c) })
		case "backoff":
			return c.figures(t, countFacts(t, "timers_backoff"), func() (int, string) { return compareBackoff(t, c) })
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
	c.recorded().hold(t, r.machine)
}

func compareTimers(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
	steps := readFacts[timerFact](t, "timers")
	rounded := 0
	for len(steps) > 0 {
		end := 1
		for end < len(steps) && steps[end].Step > 0 {
			end++
		}
		if steps[0].Kind == "thread" {
			rounded += compareAwake(r, c, steps[:end])
		} else {
			rounded += compareAsleep(r, c, steps[:end], func(*timedCore, timerFact) {})
		}
		facts += end
		steps = steps[end:]
	}
	return facts, fmt.Sprintf("%d of the equal but for a millisecond: %s\n", rounded, kafkaRounds)
}

// compareAsleep tells a Core whose loop sleeps of each step, so that nothing else moves its timers, and meddles with it before
// it is compared.
func compareAsleep(r *oracleReading, c *oracleTally, steps []timerFact, meddle func(*timedCore, timerFact)) (rounded int) {
	core := steps[0].core(r)
	for _, f := range steps {
		used := core.told(f)
		rounded += core.round(f)
		meddle(core, f)
		c.compare(f, used, core.timers(), f.timers())
	}
	return rounded
}

// compareAwake lets the loop of a Core run: it is to send heartbeats when Kafka's timers say that one is due, and to end when
// they say that the session or the poll has expired, which is when these sequences end.
func compareAwake(r *oracleReading, c *oracleTally, steps []timerFact) (rounded int) {
	core := steps[0].core(r)
	core.told(steps[0])
	core.memory.Flags |= classic.LoopEnabled
	c.compare(steps[0], nil, core.timers(), steps[0].timers())
	for i := 1; i < len(steps); i++ {
		f, sends := steps[i], ""
		core.event(f)
		rounded += core.round(f)
		if i+1 < len(steps) && steps[i+1].Do == "sent" {
			i, sends = i+1, "Heartbeat"
			c.compare(f, nil, factView{"due": fmt.Sprint(len(core.heartbeats()) > 0)}, factView{"due": fmt.Sprint(f.Due)})
		}
		want, got := core.timers(), steps[i].timers()
		want["sends"], got["sends"] = apis(core.heartbeats()), sends
		want["expires"], got["expires"] = core.expiry(), steps[i].expiry()
		c.compare(steps[i], nil, want, got)
	}
	return rounded
}

// expiry is what the heartbeat thread ends for; its loop asks for the session first.
func (f timerFact) expiry() string {
	switch {
	case f.SessionExpired:
		return "session"
	case f.PollExpired:
		return "poll"
	}
	return ""
}

// timers is the view of a fact.
func (f timerFact) timers() factView {
	deadline := 0
	for _, left := range []int{f.NextMs, f.SessionMs, f.PollMs} {
		if left > 0 && (deadline == 0 || left < deadline) {
			deadline = left
		}
	}
	return timerView(f.Due, f.SessionExpired, f.PollExpired, f.NextMs, f.SessionMs, f.PollMs, deadline, f.Attempts)
}

func timerView(due, session, poll bool, nextMs, sessionMs, pollMs, deadlineMs, attempts int) factView {
	return factView{
		"due": fmt.Sprint(due), "session_expired": fmt.Sprint(session), "poll_expired": fmt.Sprint(poll),
		"next_ms": fmt.Sprint(nextMs), "session_ms": fmt.Sprint(sessionMs), "poll_ms": fmt.Sprint(pollMs),
		"deadline_ms": fmt.Sprint(deadlineMs), "attempts": fmt.Sprint(attempts),
	}
}

// timedCore is a Core that is told what Kafka's Heartbeat was told, at the same times.
type timedCore struct {
	*oracleCore
	at time.Duration
}

// core is a member with the settings of a sequence.
func (f timerFact) core(r *oracleReading) *timedCore {
	r.t.Helper()
	core := newOracleCore(r, "STABLE", classic.CoordinatorKnown, identity{"member-1", 5, "range"}, false)
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	core.config.SessionTimeout, core.config.MaxPollInterval, core.config.HeartbeatInterval = ms(f.Session), ms(f.MaxPoll), ms(f.Interval)
	core.config.RetryBackoff, core.config.RetryBackoffMax = ms(f.Backoff), ms(f.BackoffMax)
	require.NoError(r.t, core.config.check(), f.String())
	var err error
	core.clocks.lengths, err = core.config.lengths()
	require.NoError(r.t, err)
	return &timedCore{oracleCore: core, at: oracleNow}
}

// tell is Step at the present time, with the jitter of a backoff that is not to have any.
func (c *timedCore) tell(in Input) {
	c.clocks.jitter = jitterThatDraws(1 << 52)
	c.out = append(c.out[:0:0], c.Step(c.at, in)...)
	c.onlyKafkas()
}

// onlyKafkas stops the timers that Kafka's Heartbeat does not have: of checks, leases and lookups.
func (c *timedCore) onlyKafkas() {
	c.clocks.set(classic.TimerSilence, latest) // it would be due
	for _, timer := range []classic.Timer{classic.TimerSessionLease, classic.TimerRebalanceLease, classic.TimerLookupRetry} {
		c.clocks.set(timer, 0)
	}
}

// told tells a Core whose loop sleeps of one step, and returns the rules that decide.
func (c *timedCore) told(f timerFact) []*spec.Rule {
	c.r.t.Helper()
	asleep := classic.LoopExists | classic.CoordinatorKnown
	switch f.Do {
	case "joined":
		c.memory = classic.Memory{State: classic.PreparingRebalance, Flags: asleep}
		c.sent("JoinGroup", c.who)
		c.tell(Response{ID: c.lastID, Member: c.who.member, Generation: c.who.generation, Leader: "member-9"})
		require.True(c.r.t, c.has(classic.LoopEnabled), "%s: no join enables the loop", f)
	case "sent":
		c.tell(Tick{})
		c.memory.Flags |= classic.LoopEnabled
		c.fired(classic.HandleHeartbeatTurn(&c.memory, classic.HeartbeatTurnGuards{HeartbeatDue: true}, c.effects()))
		c.onlyKafkas()
		require.True(c.r.t, c.underway(classic.InputHeartbeat), "%s: no turn of the loop sends one", f)
	case "received", "failed":
		c.sent("Heartbeat", c.who)
		c.event(f)
	case "found":
		c.memory.Flags &^= classic.CoordinatorKnown
		c.sent("FindCoordinator", c.who)
		c.tell(Response{ID: c.lastID})
	default:
		c.event(f)
	}
	c.open, c.memory = nil, classic.Memory{State: classic.Stable, Flags: asleep}
	return c.used()
}

// event is a step that comes from outside.
func (c *timedCore) event(f timerFact) {
	c.r.t.Helper()
	c.decided = nil
	switch f.Do {
	case "polled":
		c.at -= time.Duration(f.LateMs) * time.Millisecond
		c.tell(Poll{})
		c.at += time.Duration(f.LateMs) * time.Millisecond
		require.Contains(c.r.t, c.out, Output(PollEnded{}), "%s: the poll does not end", f)
	case "received", "failed":
		require.True(c.r.t, c.underway(classic.InputHeartbeat), "%s: the Core has sent no heartbeat", f)
		end := Response{ID: c.open[0].request.ID}
		if f.Do == "failed" {
			end.Code = classic.CodeSendTimeout
		}
		c.tell(end)
	case "pass":
		c.at += time.Duration(f.Ms) * time.Millisecond
		c.tell(Tick{})
	default:
		c.r.t.Fatalf("%s: no such step", f)
	}
}

// round takes Kafka's pause after a failure for a Core's where it is a millisecond shorter, so that what follows is not late.
func (c *timedCore) round(f timerFact) int {
	pause := time.Duration(f.NextMs) * time.Millisecond
	if f.Do != "failed" || c.clocks.end(classic.TimerInterval)-c.now != pause+time.Millisecond {
		return 0
	}
	c.clocks.set(classic.TimerInterval, c.now+pause)
	return 1
}

// timers is the view of a Core.
func (c *timedCore) timers() factView {
	left := func(timer classic.Timer) int { return int(max(c.clocks.end(timer)-c.now, 0) / time.Millisecond) }
	deadline := 0
	if next, ok := c.Deadline(); ok && next < latest {
		deadline = int((next - c.now) / time.Millisecond)
	}
	return timerView(c.over(classic.TimerInterval), c.over(classic.TimerSession), c.over(classic.TimerMaxPoll),
		left(classic.TimerInterval), left(classic.TimerSession), left(classic.TimerMaxPoll), deadline,
		c.clocks.attempts[classic.TimerHeartbeatRetry])
}

// heartbeats are those that the last step has sent.
func (c *timedCore) heartbeats() (sent []Request) {
	for _, r := range c.requests() {
		if r.API == classic.InputHeartbeat {
			sent = append(sent, r)
		}
	}
	return sent
}

// expiry is what the loop has found to be over in the last step.
func (c *timedCore) expiry() string {
	for _, rule := range c.decided {
		switch rule.Result {
		case classic.ResultHeartbeatTurnSessionOver:
			return "session"
		case classic.ResultHeartbeatTurnPollOver:
			return "poll"
		}
	}
	return ""
}
