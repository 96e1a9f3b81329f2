package judge

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Settings are what a judge needs to know of whoever drives the members.
type Settings struct {
	// Slack is how much later than it should a thing may be seen: 0 for a driver that reports everything at its very time.
	Slack time.Duration
}

// Violation is an invariant that was broken.
type Violation struct {
	Invariant Invariant
	At        time.Duration
	Member    string // "" for the group
	Text      string
	Around    []Event // what was seen of the member and of the group up to then
}

// String is the violation in one line.
func (v Violation) String() string {
	who := v.Member
	if who == "" {
		who = "the group"
	}
	return fmt.Sprintf("%s at %.3fs: %s: %s", v.Invariant, v.At.Seconds(), who, v.Text)
}

// Story is the violation, and the events around it.
func (v Violation) Story() string {
	var b strings.Builder
	for _, e := range v.Around {
		fmt.Fprintln(&b, "  "+e.String())
	}
	return fmt.Sprintf("%s\n%s", v, b.String())
}

// Judge holds one run of a group against the invariants.
type Judge struct {
	settings Settings
	now      time.Duration
	lives    []*life // in the order of their births
	byName   map[string]*life
	byID     map[string]*life // who has a member id, or had it last
	recent   recent           // of the group
	seen     int              // events
	found    []Violation

	owners  owners
	ghosts  ghosts
	calm    calm
	busiest int           // the most requests of one member in ten seconds
	checked time.Duration // when all was last looked at that no event announces
}

// New makes a judge that has seen nothing.
func New(s Settings) *Judge {
	return &Judge{
		settings: s, byName: map[string]*life{}, byID: map[string]*life{},
		owners: newOwners(), ghosts: newGhosts(), calm: calm{at: never},
	}
}

// never is a time that does not come.
const never = time.Duration(-1)

// See takes note of an event. One of an earlier time than the last is taken for one of that time.
func (j *Judge) See(e Event) {
	j.now = max(j.now, e.At)
	e.At = j.now
	j.seen++
	if j.now >= j.checked+time.Second {
		j.checked = j.now
		j.look()
	}
	switch e.Kind {
	case Seen:
		j.recent.add(j.seen, e)
		j.ghosts.seen(j, e.View)
		j.checkGhosts()
		j.checkGiven(e.View)
		return
	case Calm:
		j.recent.add(j.seen, e)
		j.calm.begin(j)
		return
	}
	l := j.byName[e.Member]
	if l == nil {
		l = newLife(e)
		l.born = j.now
		j.lives, j.byName[e.Member] = append(j.lives, l), l
	}
	l.recent.add(j.seen, e)
	j.seeMember(l, e)
}

// seeMember takes note of what has happened to a member.
func (j *Judge) seeMember(l *life, e Event) {
	if e.Kind == Stored { // which is the coordinator's doing
		j.checkOffsets(l, e, "were stored")
		return
	}
	j.checkClosed(l, e)
	if l.over {
		return
	}
	j.checkSilence(l)
	j.checkWaits(l)
	l.last = j.now
	switch e.Kind {
	case Sent:
		j.sent(l, e)
	case Stray:
		j.stray(l, e)
	case Answered:
		j.answered(l, e)
	case Abandoned:
		delete(l.open, e.Request)
	case Fired:
		j.fired(l, e)
	case PollReturned:
		j.pollReturned(l, e)
	case CallbackBegun:
		j.callbackBegun(l, e)
	case CallbackEnded:
		j.callbackEnded(l, e)
	case Holds:
		j.holds(l, e)
	case Leased:
		j.leased(l, e)
	case Called:
		l.calls[call{e.Call, e.CallID}] = &waiting{j.now, j.now + e.Limit}
	case Returned:
		j.returned(l, e)
	case Leaving:
		l.leaving, l.leaves = true, leaves(l.config, e.Mode)
	case Left:
		j.left(l, e)
	case Closed, Killed:
		l.over, l.ended, l.ends = true, e.Kind, j.now
		j.owners.change(j, l)
	case Paused:
		l.paused, l.pausedAt = true, j.now
		j.owners.change(j, l)
	case Resumed:
		j.goOn(l)
		l.paused, l.sign, l.resumed = false, j.now, j.now
		j.owners.change(j, l)
	}
}

// look looks at what no event announces.
func (j *Judge) look() {
	j.checkGhosts()
	j.calm.check(j)
	for _, l := range j.lives {
		if !l.over {
			j.checkWaits(l)
		}
	}
}

// End says that the run is over at a time, and nothing was seen since the last event.
func (j *Judge) End(at time.Duration) {
	j.now = max(j.now, at)
	for _, l := range j.lives {
		if !l.over {
			j.checkSilence(l)
		}
	}
	j.look()
	j.owners.end(j)
}

// Violations are what was broken, in order. Only the first one is sure to be a fault of its own: the others may follow
// from it.
func (j *Judge) Violations() []Violation { return slices.Clone(j.found) }

// broken notes a violation. The same of the same member is noted once.
func (j *Judge) broken(i Invariant, member, format string, args ...any) {
	for _, v := range j.found {
		if v.Invariant == i && v.Member == member {
			return
		}
	}
	j.found = append(j.found, Violation{
		Invariant: i, At: j.now, Member: member, Text: fmt.Sprintf(format, args...), Around: j.around(member),
	})
}

// Broken reports whether anything was broken.
func (j *Judge) Broken() bool { return len(j.found) > 0 }

// Busiest is the most requests, commits apart, that one member has sent in ten seconds.
func (j *Judge) Busiest() int { return j.busiest }
