package judge

import (
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// request is one under way.
type request struct {
	api  classic.Input
	who  Identity // whom it says that it is from
	node int32
	at   time.Duration
	over time.Duration // when it has ended at the latest
}

// call tells calls of an application from one another.
type call struct {
	Call
	id uint64
}

// waiting is a call that has not returned.
type waiting struct{ since, over time.Duration }

// limitOf is how long a request may wait for its answer, by the specification.
func limitOf(c *heartbeat.Config, api classic.Input) time.Duration {
	return api.Lifetime().Limit.Length(settings(c))
}

// settings are those of a config by Kafka's names for them.
func settings(c *heartbeat.Config) func(string) time.Duration {
	return func(name string) time.Duration {
		return map[string]time.Duration{
			"session.timeout.ms": c.SessionTimeout, "max.poll.interval.ms": c.MaxPollInterval,
			"heartbeat.interval.ms": c.HeartbeatInterval, "retry.backoff.ms": c.RetryBackoff, "request.timeout.ms": c.RequestTimeout,
		}[name]
	}
}

// opened notes a request.
func (j *Judge) opened(l *life, e Event) {
	l.open[e.Request] = request{e.API, e.Who, e.Node, j.now, j.now + limitOf(l.config, e.API)}
	switch e.API {
	case classic.InputJoinGroup, classic.InputHeartbeat:
		l.heard(j.now, e.API)
	}
}

// goOn begins anew what a member could not do while it was paused.
func (j *Judge) goOn(l *life) {
	stood := time.Duration(0)
	if l.paused {
		stood = j.now - l.pausedAt
	}
	for id, r := range l.open { // what it was about to send leaves only now
		r.over += stood
		l.open[id] = r
	}
	for _, c := range l.calls {
		c.over += stood
	}
	l.last = j.now
	l.quiet, l.checkDue, l.checked = j.now, j.now, j.now
	l.outage.began = never // all pauses are over
}

// returned notes that a call has returned.
func (j *Judge) returned(l *life, e Event) {
	delete(l.calls, call{e.Call, e.CallID})
}

// checkWaits is made before each event of a member, and now and then: what waits longer than it should?
func (j *Judge) checkWaits(l *life) {
	if l.paused {
		return
	}
	for c, w := range l.calls {
		if j.now > w.over+j.settings.Slack && (l.running == 0 || c.Call == CallCommit) {
			j.broken(CallsEnd, l.name, "%s has waited for %s; the caller has %s", c.Call, j.now-w.since, w.over-w.since)
		}
	}
	for _, id := range sortedIDs(l.open) {
		r := l.open[id]
		if j.now > r.over+j.settings.Slack {
			j.broken(RequestsEnd, l.name, "%s #%d has waited for %s; its limit is %s", r.api, id, j.now-r.at, r.over-r.at)
		}
		if j.now > l.last+j.settings.Slack && l.abandons(r) {
			j.broken(RequestsEnd, l.name, "%s #%d, as %s to broker %d, is under way, and nothing that is answered to it counts any more", r.api, id, r.who, r.node)
		}
	}
	j.checkFollows(l)
}

func sortedIDs(open map[uint64]request) []uint64 {
	ids := make([]uint64, 0, len(open))
	for id := range open {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// abandons reports whether the answer to a request does not count any more.
func (l *life) abandons(r request) bool {
	m := classic.Memory{State: l.state}
	if l.known {
		m.Flags = classic.CoordinatorKnown
	}
	_, ends := classic.Abandons(r.api, m, classic.RequestGuards{Stale: r.who != l.who, Replaced: l.known && l.node != r.node})
	return ends
}
