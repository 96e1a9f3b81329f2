package main

import (
	"slices"
	"time"
)

// row is what all repetitions of a fault have shown of groups with one setting.
type row struct {
	fault       fault
	group       group
	lost        int
	rejoins     int
	gaps        spread
	each        map[int]spread // gaps by repetition
	first       spread
	silent      int
	lookups     float64 // a second and member
	recordsLost int64
}

// spread is of the members of all repetitions.
type spread struct{ median, most time.Duration }

func spreadOf(list []time.Duration) spread {
	if len(list) == 0 {
		return spread{}
	}
	list = slices.Sorted(slices.Values(list))
	n := len(list)
	return spread{(list[(n-1)/2] + list[n/2]) / 2, list[n-1]}
}

// summarize is a row for each fault and group, in the order in which they come first.
func summarize(samples []sample) (rows []row) {
	type key struct {
		fault string
		group group
	}
	byKey := map[key][]sample{}
	var keys []key
	for _, s := range samples {
		k := key{s.fault.id, s.group}
		if byKey[k] == nil {
			keys = append(keys, k)
		}
		byKey[k] = append(byKey[k], s)
	}
	for _, k := range keys {
		all := byKey[k]
		r := row{fault: all[0].fault, group: k.group, each: map[int]spread{}}
		var gaps, first []time.Duration
		var memberSeconds float64
		for _, s := range all {
			r.lost += s.lost
			r.rejoins += s.rejoins
			r.silent += s.silent
			r.recordsLost += s.recordsLost
			r.lookups += float64(s.lookups)
			memberSeconds += s.watched.Seconds() * float64(k.group.members)
			r.each[s.repetition] = spreadOf(s.gaps)
			gaps, first = append(gaps, s.gaps...), append(first, s.first...)
		}
		r.gaps, r.first = spreadOf(gaps), spreadOf(first)
		r.lookups /= memberSeconds
		rows = append(rows, r)
	}
	return rows
}
