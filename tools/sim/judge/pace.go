package judge

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// spinWindow is the time in which a member's requests are counted.
const spinWindow = 10 * time.Second

// burst is what a member may send beside what its timers let it: the steps of joins that come one after the other because
// the group is disturbed again and again. Each costs at most three requests.
const burst = 45

// MostRequests is how many requests a member may send in ten seconds, commits apart, which are the application's. Its
// timers allow
//
//	a heartbeat in each interval, or after each pause
//	a lookup and a join after each pause
//
// where a pause grows to RetryBackoffMax less a fifth; and there are joins that the group has them do.
func MostRequests(c *heartbeat.Config) int {
	pause := max(c.RetryBackoffMax*4/5, time.Millisecond)
	return burst + int(spinWindow/max(c.HeartbeatInterval, time.Millisecond)) + 3*int(spinWindow/pause)
}

// checkPace counts requests, and lookups that nobody needs.
func (j *Judge) checkPace(l *life, e Event) {
	if e.API == lookup {
		if l.known && j.now+j.settings.Slack < l.checked {
			j.broken(NoLookupsInVain, l.name, "FindCoordinator, and the coordinator is known and not silent")
		}
		if l.lookups > 0 {
			j.broken(NoLookupsInVain, l.name, "FindCoordinator while another one is under way")
		}
		l.lookups++
		j.checkLookups(l)
	}
	if e.API == lookup || e.API == classic.InputHeartbeat {
		l.sign = j.now
	}
	if e.API == classic.InputOffsetCommit {
		return
	}
	old := 0
	for old < len(l.times) && l.times[old] <= j.now-spinWindow {
		old++
	}
	l.times = append(l.times[old:], j.now)
	if most := MostRequests(l.config); len(l.times) > most {
		j.broken(NoSpin, l.name, "%d requests within %s; its config allows for %d", len(l.times), spinWindow, most)
	}
	j.busiest = max(j.busiest, len(l.times))
}

// checkSilence is made before each event of the member: how long has it shown no sign of life? A heartbeat or lookup
// that fails puts the next one off by a pause, whether that is sooner or later than the end of the interval.
func (j *Judge) checkSilence(l *life) {
	if !l.joined() || l.loop != loopRuns || l.paused || l.lookups > 0 {
		return
	}
	due := max(l.sign+l.config.HeartbeatInterval, l.failed+longestPause(l.config))
	if !l.known {
		due = max(due, l.lookedUp+longestPause(l.config))
	}
	if j.now > due+j.settings.Slack {
		j.broken(NoSilence, l.name, "no heartbeat and no lookup for %s in %s; one was due %s ago", j.now-l.sign, l.state, j.now-due)
	}
}

// checkClosed is made before each event of the member.
func (j *Judge) checkClosed(l *life, e Event) {
	if l.over && (e.Kind == Sent || e.Kind == Stray || e.Kind == CallbackBegun) {
		j.broken(SilentAfterClose, l.name, "%s, after it was %s", e.Kind, l.ended)
	}
}

// checkSession: who has not heard of the coordinator for a session is in no generation any more.
func (j *Judge) checkSession(l *life, does string) {
	if l.session != never && j.now-l.session > l.config.SessionTimeout+j.settings.Slack {
		j.broken(NoZombie, l.name, "%s, and its session of %s has been over for %s", does, l.config.SessionTimeout, j.now-l.session-l.config.SessionTimeout)
	}
}
