package heartbeat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

func (f loopFact) String() string {
	return strings.TrimSpace(fmt.Sprintf("loop in %s: closed %t, enabled %t, failed %t, coordinator %s, lookup %s, session expired %t, poll expired %t, heartbeat due %t, static %t %s",
		f.State, f.Closed, f.Enabled, f.Failed, f.Coordinator, f.Lookup, f.SessionExpired, f.PollExpired, f.HeartbeatDue, f.Static, f.Variant))
}

// question maps Kafka's lookup, which Kafka remembers until poll has seen its end. One that is pending is in flight here.
// One that is done holds the next one back for a backoff, as the timer lookup_retry does here.
func (f loopFact) question() factQuestion {
	return factQuestion{
		state: f.State,
		flags: on(classic.LoopClosed, f.Closed) | on(classic.LoopEnabled, f.Enabled) | on(classic.LoopFailed, f.Failed) |
			on(classic.LookupInFlight, f.Lookup == "pending") | on(classic.CoordinatorKnown, f.Coordinator != "unknown"),
		static:    f.Static,
		lookupDue: f.Lookup != "done", sessionExpired: f.SessionExpired, pollExpired: f.PollExpired, heartbeatDue: f.HeartbeatDue,
	}
}

// forgotten is what a lookup that is done means where the coordinator is lost in the same pass: Kafka's thread first
// forgets a lookup that ended long ago, and waits a backoff. Here its end was handled when it came, the timer is over, and
// the next lookup goes out at once. Such passes are compared as if the timer were not over.
func (f loopFact) forgotten(used []*spec.Rule) bool {
	return f.Lookup == "done" && f.Coordinator == "connection_failed" &&
		slices.ContainsFunc(used, func(rule *spec.Rule) bool { return strings.HasSuffix(rule.Name, "not lookup_due") })
}

// compareLoop takes turns of the loop `heartbeat` until one turn waits or ends, which is one pass of Kafka's thread.
func compareLoop(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
	passes := readFacts[loopFact](t, "loop")
	forgotten := 0
	for _, f := range passes {
		if strings.HasPrefix(f.Variant, "poll_throws") || f.Variant == "interrupted" {
			rule := r.decide("loop_broke", "", f.question())
			c.compare(f, []*spec.Rule{rule}, brokenLoop(rule), f.broke())
			continue
		}
		p := loopPass{r: r, q: f.question(), member: "member-1", generation: 5, heartbeatMs: 3000}
		if f.HeartbeatDue {
			p.heartbeatMs = 0
		}
		p.run(f.Coordinator == "connection_failed")
		if f.forgotten(p.used) {
			forgotten++
		}
		c.compare(f, p.used, p.seen(f), f.seen())
	}
	return len(passes), forgottenLookups(forgotten)
}

func forgottenLookups(n int) string {
	return fmt.Sprintf("%d of them as if a lookup that ended long ago still held back the next\n", n)
}

// brokenLoop is what the rule for a loop that failed by itself makes of it.
func brokenLoop(rule *spec.Rule) factView {
	flags := map[string]bool{}
	for _, do := range rule.Effects() {
		for _, flag := range do.Effect.Sets {
			flags[flag.Name] = true
		}
	}
	return factView{"closed": fmt.Sprint(flags["loop_closed"]), "failed": fmt.Sprint(flags["loop_failed"]), "rejoin_needed": fmt.Sprint(flags["rejoin_needed"])}
}

// passEnds are the results with which a pass ends, in the words of the facts; after the others the loop goes on at once.
var passEnds = map[string]string{"exit": "exited", "sleep": "waits", "wait": "waits_backoff"}

// loopPass is one pass of Kafka's thread, in turns of our loop.
type loopPass struct {
	r    *oracleReading
	q    factQuestion
	used []*spec.Rule

	member                                          string
	generation, heartbeatMs                         int
	polled, disabled, coordinatorLost, rejoinNeeded bool
	sent                                            []string
	ended                                           string
}

// run stops where Kafka's pass ends. The thread does its network work, which finds out that a connection is gone, once
// in a pass: after the lines that ask about the thread itself, before those that ask about the member.
func (p *loopPass) run(connectionFailed bool) {
	const mostTurns = 5 // more would go round in circles
	network := 1 + p.r.heartbeatLine("heartbeat/loop_failed")
	for turn := 0; turn < mostTurns; turn++ {
		rule := p.r.decide("heartbeat", "", p.q)
		if p.r.heartbeatLine(rule.Name) >= network {
			if turn > 0 {
				p.ended = "next_iteration"
				return
			}
			p.polled = true
			if connectionFailed && p.q.flags.Has(classic.CoordinatorKnown) {
				p.q.flags &^= classic.CoordinatorKnown
				p.coordinatorLost = true
				rule = p.r.decide("heartbeat", "", p.q)
			}
		}
		p.used = append(p.used, rule)
		p.do(rule)
		if ended := passEnds[rule.Result.Name]; ended != "" {
			p.ended = ended
			return
		}
	}
	p.ended = "never"
}

func (p *loopPass) do(rule *spec.Rule) {
	for _, do := range rule.Effects() {
		x := do.Effect
		for _, in := range x.Sends {
			p.sent = append(p.sent, in.Name)
		}
		if slices.ContainsFunc(x.Starts, func(timer *spec.Timer) bool { return timer.Name == "interval" }) {
			p.heartbeatMs = 3000
		}
		switch identityNames(x.Drops) {
		case "":
		case "generation":
			p.generation = -1
		default:
			p.generation, p.member = -1, ""
		}
		sets, clears := p.r.flags(x.Sets), p.r.flags(x.Clears)
		p.coordinatorLost = p.coordinatorLost || clears.Has(classic.CoordinatorKnown) && p.q.flags.Has(classic.CoordinatorKnown)
		p.q.flags = p.q.flags&^clears | sets
		p.rejoinNeeded = p.rejoinNeeded || sets.Has(classic.RejoinNeeded)
		p.disabled = p.disabled || clears.Has(classic.LoopEnabled)
	}
	p.q.state = nextState(rule, p.q.state)
}

func (p *loopPass) seen(f loopFact) factView {
	return factView{
		"polled": fmt.Sprint(p.polled), "disabled": fmt.Sprint(p.disabled), "requests": strings.Join(p.sent, ", "),
		"coordinator_lost": fmt.Sprint(p.coordinatorLost), "disconnect_requested": "false",
		"lookup_in_flight": fmt.Sprint(p.q.flags.Has(classic.LookupInFlight)), "heartbeat_timer_ms": fmt.Sprint(p.heartbeatMs),
		"state": p.q.state, "member_id": p.member, "generation": fmt.Sprint(p.generation),
		"rejoin_needed": fmt.Sprint(p.rejoinNeeded), "closed": fmt.Sprint(f.Closed), "ended": p.ended,
	}
}

// broke is what a loop that failed by itself shows.
func (f loopFact) broke() factView {
	return factView{
		"closed": fmt.Sprint(f.Did.Closed), "failed": fmt.Sprint(f.Did.Failure != ""), "rejoin_needed": fmt.Sprint(f.Did.RejoinNeeded),
	}
}

func (f loopFact) seen() factView {
	return factView{
		"polled": fmt.Sprint(f.Did.Polled), "disabled": fmt.Sprint(f.Did.Disabled), "requests": strings.Join(f.Did.Sent, ", "),
		"coordinator_lost": fmt.Sprint(f.Did.CoordinatorLost), "disconnect_requested": fmt.Sprint(f.Did.DisconnectRequested),
		"lookup_in_flight": fmt.Sprint(f.Did.LookupAfter == "pending"), "heartbeat_timer_ms": fmt.Sprint(f.Did.HeartbeatTimerMs),
		"state": f.Did.State, "member_id": f.Did.MemberID, "generation": fmt.Sprint(f.Did.Generation),
		"rejoin_needed": fmt.Sprint(f.Did.RejoinNeeded), "closed": fmt.Sprint(f.Did.Closed), "ended": f.Did.Ended,
	}
}
