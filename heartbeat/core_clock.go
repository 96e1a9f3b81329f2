package heartbeat

//kbeat:pure

import (
	"math"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// clocks are the timers of the specification: how long each lasts, how often it has been tried, and when what it runs on
// has run out.
type clocks struct {
	lengths  lengths
	attempts [classic.NumTimers + 1]int
	ends     [classic.NumClocks]time.Duration
	jitter   jitter
	even     bool // pauses have no jitter: for tests that compare them
}

// end is when the timer is over.
func (c *clocks) end(t classic.Timer) time.Duration { return c.ends[t.Clock()] }

// set lets the timer be over at end.
func (c *clocks) set(t classic.Timer, end time.Duration) { c.ends[t.Clock()] = end }

// over reports whether the timer is over; one that was never started is.
func (c *Core) over(t classic.Timer) bool { return c.clocks.end(t) <= c.now }

// next is the earliest end after now.
func (c *clocks) next(now time.Duration) (time.Duration, bool) {
	first, found := time.Duration(math.MaxInt64), false
	for _, end := range c.ends {
		if end > now && end < first {
			first, found = end, true
		}
	}
	return first, found
}

// share is the share by which a pause may be longer or shorter.
func (c *clocks) share(jitter float64) float64 {
	if c.even {
		return 0
	}
	return jitter
}

// Start lets timers run from now. One that grows lasts twice as long with each attempt, up to its most.
func (e *effects) Start(timers classic.Timers) {
	for t := range timers.All() {
		e.clocks.set(t, e.endOf(t))
	}
}

// endOf is when a timer that starts now is over.
func (e *effects) endOf(t classic.Timer) time.Duration {
	length, spec := e.clocks.lengths[t], t.Spec()
	switch {
	case spec.FromSending: // answers can overtake each other
		return max(e.clocks.end(t), e.step.sent.at+length)
	case spec.Most > 0:
		attempt := e.clocks.attempts[t] - spec.Free
		e.clocks.attempts[t]++
		if attempt < 0 {
			return e.now
		}
		most := time.Duration(float64(length) / float64(e.config.RetryBackoff) * float64(e.config.RetryBackoffMax))
		length = backoff(length, most, attempt, e.clocks.share(spec.Jitter), &e.clocks.jitter)
	}
	return e.now + length
}

// endTimers handles the ends of timers that are events.
func (c *Core) endTimers() {
	if c.has(classic.JoinLost) && c.over(classic.TimerLostJoin) {
		c.fired(classic.HandleLostJoinOver(&c.memory, c.effects()))
		c.step = step{who: c.who}
	}
}

// Forget counts the attempts of timers from the first again.
func (e *effects) Forget(timers classic.Timers) {
	for t := range timers.All() {
		e.clocks.attempts[t] = 0
	}
}

// backoff is the pause after the failure that follows attempts others:
//
//	first · 2^attempts, at most most, times a factor between 1-share and 1+share, at most most
//
// as in Kafka's ExponentialBackoff (KIP-580), in whole milliseconds. One that cannot grow does not vary either.
func backoff(first, most time.Duration, attempts int, share float64, j *jitter) time.Duration {
	pause := most
	if attempts < 63 && first <= most>>attempts {
		pause = first << attempts
	}
	if share > 0 && first < most {
		// The conversion keeps processors that multiply and add in one go from rounding otherwise than the rest.
		pause = time.Duration(float64(pause) * (1 - share + float64(2*share*j.next())))
	}
	return min(pause, most).Truncate(time.Millisecond)
}

// jitter is a sequence of numbers that look random and follow from its start: SplitMix64 (Steele, Lea, Flood 2014).
type jitter uint64

// next is in [0, 1).
func (j *jitter) next() float64 {
	*j += 0x9e3779b97f4a7c15
	z := uint64(*j)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float64((z^z>>31)>>11) / (1 << 53)
}
