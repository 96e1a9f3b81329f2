package heartbeat

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// compareCoreLoop lets a Core's heartbeat loop go round until it waits or ends, which is one pass of Kafka's thread.
func compareCoreLoop(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
	passes := readFacts[loopFact](t, "loop")
	forgotten := 0
	for _, f := range passes {
		core := f.core(r)
		if strings.HasPrefix(f.Variant, "poll_throws") || f.Variant == "interrupted" {
			core.step(LoopBroke{errors.New("oracle")})
			c.compare(f, core.used(), factView{
				"closed": fmt.Sprint(core.has(classic.LoopClosed)), "failed": fmt.Sprint(core.has(classic.LoopFailed)), "rejoin_needed": fmt.Sprint(core.has(classic.RejoinNeeded)),
			}, f.broke())
			continue
		}
		p := corePass{oracleCore: core, fact: f}
		want := p.run()
		if f.forgotten(p.taken) {
			forgotten++
		}
		c.compare(f, p.taken, want, f.seen())
	}
	return len(passes), forgottenLookups(forgotten)
}

// core is set up as the thread and its coordinator were before the pass.
func (f loopFact) core(r *oracleReading) *oracleCore {
	who := identity{"member-1", 5, "range"}
	core := newOracleCore(r, f.State, f.question().flags, who, f.Static)
	ended := map[classic.Timer]bool{
		classic.TimerSession: f.SessionExpired, classic.TimerMaxPoll: f.PollExpired, classic.TimerInterval: f.HeartbeatDue,
		classic.TimerLookupRetry: f.question().lookupDue,
	}
	for timer, over := range ended {
		core.clocks.set(timer, oracleNow+core.clocks.lengths[timer])
		if over {
			core.clocks.set(timer, oracleNow-time.Millisecond)
		}
	}
	if f.Lookup == "pending" {
		core.sent("FindCoordinator", who)
	}
	if f.Variant == "heartbeat_in_flight" {
		core.sent("Heartbeat", who)
	}
	return core
}

// corePass is one pass of Kafka's thread, in turns of a Core's loop.
type corePass struct {
	*oracleCore
	fact  loopFact
	taken []*spec.Rule

	polled bool
	ended  string
}

// run stops where Kafka's pass ends, as loopPass.run does. That a connection is gone the thread finds out on the way, in
// its network work; the lines before that do not ask for the coordinator, so that the Core may know it from the start.
func (p *corePass) run() factView {
	if p.fact.Coordinator == "connection_failed" {
		p.memory.Flags &^= classic.CoordinatorKnown
		p.node = AnyBroker
	}
	network := 1 + p.r.heartbeatLine("heartbeat/loop_failed")
	for range mostTurns {
		before := p.seen()
		p.turnHeartbeat()
		rule := p.r.declared(p.decided[len(p.decided)-1])
		if p.r.heartbeatLine(rule.Name) >= network {
			if len(p.taken) > 0 {
				before["ended"] = "next_iteration"
				return before
			}
			p.polled = true
		}
		p.taken = append(p.taken, rule)
		if ended := passEnds[rule.Result.Name]; ended != "" {
			p.ended = ended
			return p.seen()
		}
	}
	p.ended = "never"
	return p.seen()
}

func (p *corePass) seen() factView {
	var sent []Request
	for _, o := range p.Core.out {
		if r, ok := o.(Request); ok {
			sent = append(sent, r)
		}
	}
	lost := p.fact.Coordinator == "known" && !p.has(classic.CoordinatorKnown) || p.fact.Coordinator == "connection_failed" && p.polled
	return factView{
		"polled": fmt.Sprint(p.polled), "disabled": fmt.Sprint(p.fact.Enabled && !p.has(classic.LoopEnabled)), "requests": apis(sent),
		"coordinator_lost": fmt.Sprint(lost), "disconnect_requested": "false",
		"lookup_in_flight": fmt.Sprint(p.has(classic.LookupInFlight)), "heartbeat_timer_ms": fmt.Sprint(p.left(classic.TimerInterval, 0)),
		"state": p.memory.State.String(), "member_id": p.who.member, "generation": fmt.Sprint(p.who.generation),
		"rejoin_needed": fmt.Sprint(p.has(classic.RejoinNeeded)), "closed": fmt.Sprint(p.has(classic.LoopClosed)), "ended": p.ended,
	}
}
