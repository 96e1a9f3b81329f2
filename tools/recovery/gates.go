package main

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

const (
	// gapAllowance is what a gap between kbeat's commits may be longer than the median of Java's in the same repetition: when a
	// cluster replaces a coordinator varies by more from one to the next.
	gapAllowance = 2 * time.Second
	// stopLimit is how soon kbeat commits again when the coordinator is stopped for 60 s and the session is 20 s.
	stopLimit = 15 * time.Second
)

// gates compares kbeat's rows with Java's and returns a sentence for each gate that failed.
func gates(rows []row) (missed []string) {
	for _, k := range rows {
		if k.group.client != kbeat {
			continue
		}
		miss := func(format string, args ...any) {
			missed = append(missed, fmt.Sprintf("coordinator %s, session %s, %d members: ", k.fault.name, k.group.session, k.group.members)+fmt.Sprintf(format, args...))
		}
		if k.recordsLost > 0 {
			miss("%d records were lost; none may be", k.recordsLost)
		}
		if k.silent > 0 {
			miss("%d members did not commit again", k.silent)
		}
		if k.fault.id == longStop.id && k.group.session == 20*time.Second && k.first.most > stopLimit {
			miss("the first commit after the fault came after %s; %s is the limit, exceeded by %s",
				seconds(k.first.most), seconds(stopLimit), seconds(k.first.most-stopLimit))
		}
		j, found := counterpart(rows, k)
		if !found {
			miss("there is nothing of Java's consumer to compare with")
			continue
		}
		if k.lost > j.lost {
			miss("%d partitions were lost, %d more than Java's %d", k.lost, k.lost-j.lost, j.lost)
		}
		if k.rejoins > j.rejoins {
			miss("%d JoinGroups, %d more than Java's %d", k.rejoins, k.rejoins-j.rejoins, j.rejoins)
		}
		for _, n := range slices.Sorted(maps.Keys(k.each)) {
			gaps := k.each[n]
			if limit := j.each[n].median + gapAllowance; gaps.most > limit {
				miss("a gap of %s between commits in repetition %d; Java's median of %s and %s are the limit, exceeded by %s",
					seconds(gaps.most), n, seconds(j.each[n].median), seconds(gapAllowance), seconds(gaps.most-limit))
			}
		}
	}
	return missed
}

// counterpart is Java's row for the same fault, session and number of members.
func counterpart(rows []row, k row) (row, bool) {
	for _, j := range rows {
		if j.fault.id == k.fault.id && j.group == (group{java, k.group.session, k.group.members}) {
			return j, true
		}
	}
	return row{}, false
}
