package heartbeat

//kbeat:pure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// outage is a time in which lookups, joins or heartbeats fail: from the first failure until a Heartbeat or SyncGroup
// succeeds, or the lookup where only lookups have failed. One that begins within rest of the end of another continues it: a
// coordinator that answers every other heartbeat is one outage, not hundreds.
type outage struct {
	lookup bool // the last FindCoordinator has failed
	member bool // a join or a heartbeat has failed, or the coordinator was lost, since the member was last in its group

	since     time.Duration // of the first failure
	back      time.Duration // of the first failure since anything has succeeded
	ended     time.Duration
	last      error // the last failure
	counts    []failureCount
	summaries int     // whose time has come
	logged    int     // failures up to the last line
	silent    bool    // it has gone on after an end, and no line has said so
	nodes     []int32 // coordinators found meanwhile
}

// rest is how long all must be well before a failure is the first of another outage.
const rest = 10 * time.Second

// failureCount is how often one failure has occurred.
type failureCount struct {
	name  string // as in Error.Name
	count int
}

func (o *outage) on() bool { return o.lookup || o.member }

// fail notes a failure, and reports whether it is the first of an outage, or of one that goes on in another way, and
// whether it is the first of its name.
func (o *outage) fail(now time.Duration, name string, lookup bool, err error) (first, novel bool) {
	if !o.on() {
		first = len(o.counts) == 0 || now-o.ended >= rest
		if first {
			*o = outage{since: now, logged: 1}
		}
		o.back, o.silent = now, !first
	}
	o.lookup, o.member, o.last = o.lookup || lookup, o.member || !lookup, err
	i := slices.IndexFunc(o.counts, func(c failureCount) bool { return c.name == name })
	if novel = i < 0; novel {
		i = len(o.counts)
		o.counts = append(o.counts, failureCount{name: name})
	}
	o.counts[i].count++
	if novel && o.silent {
		first, o.silent = true, false
	}
	return first, novel
}

// succeed notes that a lookup has succeeded, or what shows that the member is in its group, and reports whether that is the
// end of an outage that the log has told of.
func (o *outage) succeed(now time.Duration, lookup bool) bool {
	before := o.on()
	o.lookup, o.member = false, o.member && lookup
	if !before || o.on() {
		return false
	}
	o.ended = now
	return !o.silent
}

// due reports whether it is time for a summary of failures that no line has counted, and notes that it is written. Summaries
// for which nothing happened in time are left out.
func (o *outage) due(now time.Duration) bool {
	again := o.silent && now-o.back >= summaryAfter(0)
	if !o.on() || o.total() == o.logged || now-o.since < summaryAfter(o.summaries) && !again {
		return false
	}
	for now-o.since >= summaryAfter(o.summaries) {
		o.summaries++
	}
	o.logged, o.silent = o.total(), false
	return true
}

// summaryAfter is how long after its first failure an outage is summed up for the nth time, counting from 0: after 10 s,
// 30 s and 1 min, then every 5 min.
func summaryAfter(n int) time.Duration {
	first := [...]time.Duration{10 * time.Second, 30 * time.Second, time.Minute}
	if n < len(first) {
		return first[n]
	}
	return time.Minute + time.Duration(n-len(first)+1)*5*time.Minute
}

// total is how many failures there were.
func (o *outage) total() int {
	n := 0
	for _, c := range o.counts {
		n += c.count
	}
	return n
}

// codes is how often each failure has occurred: "DISCONNECT=3 COORDINATOR_NOT_AVAILABLE=12", in the order in which they came.
func (o *outage) codes() string {
	all := make([]string, len(o.counts))
	for i, c := range o.counts {
		all[i] = fmt.Sprintf("%s=%d", c.name, c.count)
	}
	return strings.Join(all, " ")
}

// failed reports whether a rule that has fired is a failure, as opposed to a step on the way.
func failed(f Fired) bool {
	if f.Rule.Result.Error().Kind == fsm.ErrorNone {
		return false
	}
	switch f.Rule.Result.Class() {
	case fsm.ClassBackoff, fsm.ClassFatal, fsm.ClassIgnored:
		return true
	case fsm.ClassRetry:
		return f.From != f.To
	}
	return false
}

// interrupts reports whether a failure is the beginning, or a part, of an outage. A commit that is refused is its caller's,
// unless the coordinator or the generation is lost with it.
func interrupts(f Fired) bool {
	switch f.Rule.Input {
	case classic.InputFindCoordinator, classic.InputSyncGroup, classic.InputHeartbeat, classic.InputHeartbeatTurn, classic.InputCheckTurn,
		classic.InputAssigned, classic.InputAssignmentFailed, classic.InputLoopBroke:
		return failed(f)
	case classic.InputJoinGroup: // one that is to be sent again with an id was answered as it should be
		return failed(f) || f.Rule.Result.Class() == fsm.ClassRetry && does(f, classic.EffectFailJoin)
	case classic.InputOffsetCommit:
		return failed(f) && does(f, classic.EffectLoseCoordinator, classic.EffectResetGeneration, classic.EffectResetIdentity)
	}
	return false
}

// does reports whether a rule that has fired has one of effects.
func does(f Fired, effects ...classic.Effect) bool {
	return slices.ContainsFunc(f.Rule.Do, func(do classic.Do) bool { return slices.Contains(effects, do.Effect) })
}
