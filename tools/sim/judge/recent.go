package judge

import (
	"cmp"
	"slices"

	"github.com/kbeat/kbeat/fsm/classic"
)

// mostRecent is how many events of a member, and of the group, a violation shows.
const mostRecent = 32

// recent are the last events of one member or of the group, without polls that have nothing to do.
type recent struct {
	events [mostRecent]numbered
	next   int
}

// numbered is an event with its place among all.
type numbered struct {
	number int
	Event
}

func (r *recent) add(number int, e Event) {
	if e.Kind == Polled || e.Kind == PollReturned && e.Err == nil || e.Kind == Fired && e.Rule.Input == classic.InputPoll && e.From == e.To {
		return
	}
	r.events[r.next%mostRecent] = numbered{number, e}
	r.next++
}

// around are the last events of a member and of the group; of all members, where it is about the group.
func (j *Judge) around(member string) []Event {
	last := slices.Clone(j.recent.events[:min(j.recent.next, mostRecent)])
	for _, l := range j.lives {
		if member == "" || l.name == member {
			last = append(last, l.recent.events[:min(l.recent.next, mostRecent)]...)
		}
	}
	slices.SortFunc(last, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
	found := make([]Event, 0, 2*mostRecent)
	for _, n := range last[max(0, len(last)-2*mostRecent):] {
		found = append(found, n.Event)
	}
	return found
}
