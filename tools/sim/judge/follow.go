package judge

import (
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// longestPause is the longest that a member lets pass between two tries to reach its coordinator: that between two lookups.
func longestPause(c *heartbeat.Config) time.Duration { return 2 * c.RetryBackoffMax }

// heldCheck is how long a JoinGroup that is held lasts before another broker is asked for the coordinator.
func heldCheck(c *heartbeat.Config) time.Duration { return min(10*time.Second, c.SessionTimeout/3) }

// SilenceLimit is within which time a member that is not answered looks its coordinator up: two intervals, or while its
// JoinGroup is held the time after which that is checked; and then the pause after another lookup may still last.
func SilenceLimit(c *heartbeat.Config, joins bool) time.Duration {
	silence := 2 * c.HeartbeatInterval
	if joins {
		silence = max(silence, heldCheck(c))
	}
	return silence + longestPause(c)
}

// heard notes what puts off the next look at whether the coordinator still is the coordinator.
func (l *life) heard(now time.Duration, api classic.Input) {
	if api == classic.InputJoinGroup || l.quiet == never {
		l.quiet = now
	}
}

// watch notes from when on the coordinator may be looked up though it is known.
func (l *life) watch(now time.Duration, starts classic.Timers) {
	if starts.Has(classic.TimerSilence) {
		l.checkDue = now + 2*l.config.HeartbeatInterval
	}
	if starts.Has(classic.TimerHeld) {
		l.checkDue = now + heldCheck(l.config)
	}
}

// watches reports whether the member has somebody to hear from: its heartbeats are answered, or its JoinGroup is. One whose
// loop has broken looks again when its application polls.
func (l *life) watches() (joins, watches bool) {
	if l.state == classic.PreparingRebalance {
		for _, r := range l.open {
			if r.api == classic.InputJoinGroup {
				return true, l.known && l.loop != loopBroken
			}
		}
		return true, false
	}
	return false, l.joined() && l.loop == loopRuns
}

// checkFollows: who hears nothing asks who the coordinator is. That it then goes there is NoSilence's, which wants the next
// heartbeat, and RequestsEnd's, which lets none go to another node.
func (j *Judge) checkFollows(l *life) {
	joins, watches := l.watches()
	if !watches || l.lookups > 0 {
		return
	}
	if since := max(l.quiet, l.lookedUp); since != never && j.now > since+SilenceLimit(l.config, joins)+j.settings.Slack {
		j.broken(CoordinatorFollowed, l.name, "was not answered for %s in %s, and has not looked its coordinator up; it should within %s",
			j.now-since, l.state, SilenceLimit(l.config, joins))
	}
}

// outage is the time in which no coordinator has answered well.
type outage struct {
	began   time.Duration // with the first lookup; never while there is none
	lookups int
}

// MostLookups is how many lookups a member may send in an outage that has lasted for so long: 4 in the first twenty
// backoffs (2 s), and then one in each pause of two longest backoffs, at its shortest (1.6 s). The transport allows a group
// less. Those that check a coordinator which is known and silent
// are not counted: they come with the intervals.
func MostLookups(c *heartbeat.Config, lasts time.Duration) int {
	first := 20 * c.RetryBackoff
	if lasts < first {
		return 4
	}
	return 5 + int((lasts-first)/max(longestPause(c)*4/5, time.Millisecond))
}

// checkLookups counts a lookup.
func (j *Judge) checkLookups(l *life) {
	o := &l.outage
	l.lookedUp = j.now
	if l.known {
		return // whether there is an outage is what is to be found out
	}
	if o.began == never {
		o.began, o.lookups = j.now, 0
	}
	o.lookups++
	if most := MostLookups(l.config, j.now-o.began+j.settings.Slack); o.lookups > most {
		j.broken(NoLookupsInVain, l.name, "%d lookups in %s, and no coordinator has answered well; %d are allowed", o.lookups, j.now-o.began, most)
	}
}

// MostRefused is how many requests of one kind a member may send in ten seconds that are all refused; of heartbeats one in
// each interval.
const MostRefused = 20

// refusals are when requests of each kind were sent since one of them had success.
type refusals map[classic.Input][]time.Duration

// checkRefused counts a request. Commits are the application's.
func (j *Judge) checkRefused(l *life, e Event) {
	if e.API == classic.InputOffsetCommit || e.API == lookup {
		return
	}
	times := l.refused[e.API]
	for len(times) > 0 && times[0] <= j.now-spinWindow {
		times = times[1:]
	}
	times = append(times, j.now)
	l.refused[e.API] = times
	most := MostRefused
	if e.API == classic.InputHeartbeat {
		most = max(most, int(spinWindow/max(l.config.HeartbeatInterval, time.Millisecond))+2)
	}
	if len(times) > most {
		j.broken(NoSpin, l.name, "%d of %s within %s, and none had success; at most %d are allowed", len(times), e.API, spinWindow, most)
	}
}

// paced notes what a rule says about how a request has ended.
func (j *Judge) paced(l *life, e Event) {
	well := e.Rule.Result.Class() == fsm.ClassOK
	if e.Rule.Starts.Has(classic.TimerSilence) { // a heartbeat was answered, whatever by, or a coordinator was found
		l.quiet = j.now
	}
	switch e.Rule.Input {
	case classic.InputHeartbeat:
		if well {
			delete(l.refused, classic.InputHeartbeat)
			l.quiet, l.outage.began = j.now, never
		}
	case classic.InputLeaveGroup:
		if well {
			delete(l.refused, classic.InputLeaveGroup)
		}
	case classic.InputJoinGroup:
		if e.To == classic.CompletingRebalance {
			l.quiet = j.now
		}
	case classic.InputSyncGroup:
		if e.To == classic.Stable && e.From != e.To {
			delete(l.refused, classic.InputJoinGroup)
			delete(l.refused, classic.InputSyncGroup)
			l.outage.began = never
		}
	}
}
