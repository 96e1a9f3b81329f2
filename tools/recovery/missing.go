package main

import (
	"cmp"
	"slices"
)

// missing is how many records a group has committed that were delivered to none of its members. Committed is by partition, the
// offset of the next record. Topics begin at offset 0, and have no transactions, so that each offset is a record.
func missing(g group, list []event, committed map[int32]int64) (n int64) {
	delivered := map[int32][]event{}
	for _, e := range list {
		if e.Kind == records && g.has(e.Member) {
			delivered[e.Partition] = append(delivered[e.Partition], e)
		}
	}
	for partition, end := range committed {
		ranges := delivered[partition]
		slices.SortFunc(ranges, func(a, b event) int { return cmp.Compare(a.From, b.From) })
		var next int64
		for _, r := range ranges {
			if r.From > next {
				n += max(0, min(r.From, end)-next)
			}
			next = max(next, r.To)
		}
		n += max(0, end-next)
	}
	return n
}
