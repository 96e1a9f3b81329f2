package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/tools/kafkatest/proxy"
)

// window is the time from a fault on in which members are observed.
type window struct{ fault, end time.Time }

// sample is what one group has shown in one repetition.
type sample struct {
	fault       fault
	group       group
	repetition  int
	watched     time.Duration
	lost        int             // partitions, by the callback for that
	rejoins     int             // JoinGroup requests
	gaps        []time.Duration // of each member, the longest between two commits that succeeded
	first       []time.Duration // of each member that has committed again, from the fault to that commit
	silent      int             // members that have not committed again
	lookups     int             // FindCoordinator requests
	recordsLost int64           // committed, and delivered to no member
}

// answered is how long after the fault a commit may still be one that the coordinator had answered before.
const answered = 500 * time.Millisecond

// measure looks at a group in a window. Gaps are counted from the last commit before the fault, and to the window's end where
// none follows.
func measure(g group, w window, list []event, requests []proxy.Counted) sample {
	s := sample{watched: w.end.Sub(w.fault)}
	commits := map[string][]time.Time{}
	for _, e := range list {
		at := e.time()
		if !g.has(e.Member) || at.After(w.end) {
			continue
		}
		switch {
		case e.Kind == committed:
			commits[e.Member] = append(commits[e.Member], at)
		case e.Kind == lost && !at.Before(w.fault):
			s.lost += e.Partitions
		}
	}
	for i := range g.members {
		list := commits[g.member(i)]
		slices.SortFunc(list, time.Time.Compare)
		gap, first := longest(list, w)
		s.gaps = append(s.gaps, gap)
		if first > 0 {
			s.first = append(s.first, first)
		} else {
			s.silent++
		}
	}
	for _, r := range requests {
		if !g.has(r.Client) || r.At.Before(w.fault) || r.At.After(w.end) {
			continue
		}
		switch r.API {
		case proxy.FindCoordinator:
			s.lookups++
		case proxy.JoinGroup:
			s.rejoins++
		}
	}
	return s
}

// longest is a member's longest gap between commits, and the time from the fault to its first commit; 0 where there is none.
func longest(commits []time.Time, w window) (gap, first time.Duration) {
	last := w.fault
	for _, at := range commits {
		if at.Before(w.fault) {
			last = at
			continue
		}
		gap, last = max(gap, at.Sub(last)), at
		if since := at.Sub(w.fault); first == 0 && since > answered {
			first = since
		}
	}
	return max(gap, w.end.Sub(last)), first
}

func (g group) has(member string) bool { return strings.HasPrefix(member, g.id()+"/") }

// calm is how long a group must have been as it is before the fault.
const calm = 4 * time.Second

// unsettled is why a group is not ready for the fault, or "".
func unsettled(g group, now time.Time, list []event) string {
	var changed time.Time
	owned := 0
	last := map[string]time.Time{}
	for _, e := range list {
		if !g.has(e.Member) {
			continue
		}
		switch e.Kind {
		case assigned:
			owned, changed = owned+e.Partitions, e.time()
		case revoked, lost:
			owned, changed = owned-e.Partitions, e.time()
		case committed:
			last[e.Member] = e.time()
		}
	}
	switch {
	case owned != partitions:
		return fmt.Sprintf("%s owns %d of %d partitions", g.id(), owned, partitions)
	case now.Sub(changed) < calm:
		return g.id() + " has only just been rebalanced"
	}
	for i := range g.members {
		if now.Sub(last[g.member(i)]) > calm/4 {
			return g.member(i) + " does not commit"
		}
	}
	return ""
}
