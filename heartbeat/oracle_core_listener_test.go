package heartbeat

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// compareCoreListener lets a heartbeat end in two Cores: in one whose loop sleeps, so that it only handles the outcome,
// and in one whose loop goes on until it waits, which is polled then.
func compareCoreListener(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
	outcomes := readFacts[listenerFact](t, "listener")
	var row *oracleCore // of heartbeats in sequence
	for _, f := range outcomes {
		if f.Variant == "consecutive" { // the same thread, in STABLE, a heartbeat at a time, and no time passes
			if row == nil {
				row = newOracleCore(r, "STABLE", classic.CoordinatorKnown, identity{"member-1", 5, "range"}, false)
			}
			want, used := f.next(row)
			c.compare(f, used, want, factView{
				"attempts": fmt.Sprint(f.Attempts), "failed": fmt.Sprint(f.Failed), "time_to_next_heartbeat_ms": fmt.Sprint(f.TimeToNextHeartbeatMs),
			})
			continue
		}
		sleeping := f.core(r, false)
		f.end(sleeping)
		used := sleeping.used()
		want := f.Handled.shownBy(sleeping, "handled")
		got := f.Handled.shown("handled")

		awake := f.core(r, true)
		f.end(awake)
		require.Equal(t, used, awake.used(), "%s: what a loop does changes what its heartbeat's outcome means", f)
		merge(want, f.Settled.shownBy(awake, "settled"))
		merge(got, f.Settled.shown("settled"))
		want["enabled"], got["enabled"] = fmt.Sprint(awake.has(classic.LoopEnabled)), fmt.Sprint(f.Settled.Enabled)

		awake.step(Poll{})
		used = append(used, awake.used()...)
		want["poll raises"], got["poll raises"] = "", ""
		if err := awake.raised(); err != nil {
			want["poll raises"] = err.Code.String()
		}
		if f.Handled.Failed && strings.HasPrefix(f.Settled.PollHeartbeat, "throws:"+strings.Split(f.Handled.Failure, ":")[0]) {
			got["poll raises"] = f.Code
		}
		want["poll drops the loop"] = fmt.Sprint(!awake.has(classic.LoopExists))
		got["poll drops the loop"] = fmt.Sprint(strings.HasSuffix(f.Settled.PollHeartbeat, "(thread dropped)"))
		c.compare(f, used, want, got)
	}
	return len(outcomes), ""
}

// core is set up as the thread was when its heartbeat ended, 2500 ms before the next.
func (f listenerFact) core(r *oracleReading, awake bool) *oracleCore {
	core := newOracleCore(r, f.State, classic.CoordinatorKnown|on(classic.LoopEnabled, awake), f.before(), f.Static)
	core.clocks.attempts[classic.TimerHeartbeatRetry] = f.AttemptsBefore
	core.clocks.set(classic.TimerSession, oracleNow+5*time.Second)
	core.clocks.set(classic.TimerMaxPoll, oracleNow+50*time.Second)
	core.clocks.set(classic.TimerInterval, oracleNow)
	if f.Variant != "due_when_handled" {
		core.clocks.set(classic.TimerInterval, core.clocks.end(classic.TimerInterval)+2500*time.Millisecond)
	}
	core.sent("Heartbeat", identity{"member-1", 5, "range"})
	return core
}

// before is the identity when the heartbeat ended.
func (f listenerFact) before() identity {
	return map[string]identity{
		"same": {"member-1", 5, "range"}, "generation_changed": {"member-1", 6, "range"}, "member_changed": {"member-2", 5, "range"}, "reset": nobody,
	}[f.Identity]
}

func (f listenerFact) end(c *oracleCore) {
	c.r.t.Helper()
	code, err := classic.ParseCode(f.Code)
	require.NoError(c.r.t, err)
	c.step(Response{ID: c.lastID, Code: code})
}

// next lets the next heartbeat of a row be sent and end.
func (f listenerFact) next(c *oracleCore) (want factView, used []*spec.Rule) {
	c.r.t.Helper()
	require.Equal(c.r.t, f.AttemptsBefore, c.clocks.attempts[classic.TimerHeartbeatRetry])
	c.clocks.set(classic.TimerInterval, oracleNow+c.config.HeartbeatInterval)
	c.sent("Heartbeat", c.who)
	f.end(c)
	return factView{
		"attempts": fmt.Sprint(c.clocks.attempts[classic.TimerHeartbeatRetry]), "failed": fmt.Sprint(c.has(classic.LoopFailed)),
		"time_to_next_heartbeat_ms": fmt.Sprint(c.left(classic.TimerInterval, f.TimeToNextHeartbeatMs)),
	}, c.used()
}

// shownBy is what a Core shows of itself in the words of the facts, with the moment before each.
func (f threadFact) shownBy(c *oracleCore, moment string) factView {
	view := threadFact{
		Attempts:              c.clocks.attempts[classic.TimerHeartbeatRetry],
		SessionTimerReset:     c.clocks.end(classic.TimerSession) == oracleNow+c.config.SessionTimeout,
		TimeToNextHeartbeatMs: c.left(classic.TimerInterval, f.TimeToNextHeartbeatMs),
		Closed:                c.has(classic.LoopClosed),
		State:                 c.memory.State.String(), MemberID: c.who.member, Generation: int(c.who.generation),
		RejoinNeeded: c.has(classic.RejoinNeeded), RejoinReason: c.rejoinReason("Heartbeat"), CoordinatorKnown: c.has(classic.CoordinatorKnown),
	}
	if c.has(classic.LoopFailed) {
		view.Failed = true
	}
	if c.has(classic.LookupInFlight) {
		view.FindCoordinatorFuture = "pending"
	}
	var sent, heartbeats []any
	for _, r := range c.requests() {
		sent = append(sent, r.API.String())
		if r.API == classic.InputHeartbeat {
			heartbeats = append(heartbeats, map[string]any{"generation": r.Generation, "member_id": r.Member})
		}
	}
	view.Sent, view.SentHeartbeats = sent, heartbeats
	return view.shown(moment)
}

// shown is a thread's fact as a view.
func (f threadFact) shown(moment string) factView {
	list := func(v any) string {
		if l, ok := v.([]any); ok && len(l) > 0 {
			return fmt.Sprint(l)
		}
		return ""
	}
	view := factView{}
	for aspect, value := range map[string]any{
		"attempts": f.Attempts, "session_timer_reset": f.SessionTimerReset, "time_to_next_heartbeat_ms": f.TimeToNextHeartbeatMs,
		"failed": f.Failed, "closed": f.Closed, "state": f.State, "member_id": f.MemberID, "generation": f.Generation,
		"rejoin_needed": f.RejoinNeeded, "rejoin_reason": f.RejoinReason, "coordinator_known": f.CoordinatorKnown,
		"disconnect_requested": f.DisconnectRequested, "lookup_in_flight": f.FindCoordinatorFuture == "pending",
		"sent": list(f.Sent), "sent_heartbeats": list(f.SentHeartbeats),
	} {
		view[moment+" "+aspect] = fmt.Sprint(value)
	}
	return view
}

func merge(into, from factView) {
	for aspect, value := range from {
		into[aspect] = value
	}
}
