package heartbeat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

func (f listenerFact) String() string {
	return strings.TrimSpace(fmt.Sprintf("heartbeat ends with %s in %s, identity %s, static %t, %d failures before %s", f.Code, f.State, f.Identity, f.Static, f.AttemptsBefore, f.Variant))
}

// compareListener holds what the results of Heartbeat do against what became of Kafka's heartbeat thread. Its flag
// in_flight is not compared: no rule asks whether a heartbeat is in flight.
func compareListener(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
	outcomes := readFacts[listenerFact](t, "listener")
	for _, f := range outcomes {
		if f.Variant == "consecutive" { // the same thread, in STABLE, a heartbeat at a time, and no time passes
			rule := r.decide("Heartbeat", f.Code, factQuestion{state: "STABLE", flags: classic.CoordinatorKnown})
			want := r.afterHeartbeat(rule, f.AttemptsBefore, 3000)
			delete(want, "session_timer_reset")
			c.compare(f, []*spec.Rule{rule}, want, factView{
				"attempts": fmt.Sprint(f.Attempts), "failed": fmt.Sprint(f.Failed), "time_to_next_heartbeat_ms": fmt.Sprint(f.TimeToNextHeartbeatMs),
			})
			continue
		}
		left := 2500 // of the interval, when the outcome comes
		if f.Variant == "due_when_handled" {
			left = 0
		}
		q := factQuestion{state: f.State, flags: classic.CoordinatorKnown, stale: f.Identity != "same", static: f.Static}
		rule := r.decide("Heartbeat", f.Code, q)
		used := []*spec.Rule{rule}
		want := r.afterHeartbeat(rule, f.AttemptsBefore, left)
		want["state"] = nextState(rule, f.State)
		want["class"] = string(rule.Result.Class)

		failed := want["failed"] == "true"
		poll := r.decide("poll", "", factQuestion{state: want["state"], flags: classic.LoopExists | on(classic.LoopFailed, failed)})
		used = append(used, poll)
		want["poll raises"] = fmt.Sprint(poll.Result != nil && poll.Result.Name == "throw")
		want["poll drops the loop"] = fmt.Sprint(has(poll.Effects(), "drop_loop"))

		h := f.Handled
		c.compare(f, used, want, factView{
			"attempts": fmt.Sprint(h.Attempts), "session_timer_reset": fmt.Sprint(h.SessionTimerReset), "failed": fmt.Sprint(h.Failed),
			"time_to_next_heartbeat_ms": fmt.Sprint(h.TimeToNextHeartbeatMs), "state": h.State,
			"class":               string(heardAs(h.Failed, h.SessionTimerReset)),
			"poll raises":         fmt.Sprint(strings.HasPrefix(f.Settled.PollHeartbeat, "throws:"+strings.Split(h.Failure, ":")[0]) && h.Failed),
			"poll drops the loop": fmt.Sprint(strings.HasSuffix(f.Settled.PollHeartbeat, "(thread dropped)")),
		})
	}
	return len(outcomes), ""
}

// heardAs is the class of the result that Kafka's listener makes of an answer: one that ends the loop, one that shows the
// coordinator alive, or one after which the loop backs off.
func heardAs(failed, alive bool) spec.Class {
	switch {
	case failed:
		return spec.Fatal
	case alive:
		return spec.OK
	}
	return spec.Backoff
}

// afterHeartbeat is what the effects of a rule make of the failures in a row, the session and the next heartbeat, of
// whose interval left milliseconds are to go.
func (r *oracleReading) afterHeartbeat(rule *spec.Rule, attempts, left int) factView {
	session, failed := false, false
	for _, do := range rule.Effects() {
		for _, timer := range do.Effect.Starts {
			switch timer.Name {
			case "session":
				session = true
			case "heartbeat_retry":
				left = timer.Default
				for range attempts {
					left = min(2*left, timer.Most)
				}
				attempts++
			}
		}
		for _, timer := range do.Effect.Forgets {
			if timer.Name == "heartbeat_retry" {
				attempts = 0
			}
		}
		for _, flag := range do.Effect.Sets {
			failed = failed || flag.Name == "loop_failed"
		}
	}
	return factView{
		"attempts": fmt.Sprint(attempts), "session_timer_reset": fmt.Sprint(session), "failed": fmt.Sprint(failed), "time_to_next_heartbeat_ms": fmt.Sprint(left),
	}
}
