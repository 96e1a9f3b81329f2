package kafkatest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// span is what one member has written for one partition in one generation. Times are of the system's monotonic clock, which
// all processes of a machine share.
type span struct {
	member      string
	partition   int32
	generation  int32
	first, last time.Duration
	deadline    time.Duration // of its lease, at the last write
}

// handover is a partition's way from one member to the next one.
type handover struct{ from, to span }

// margin is the time from the last write of the former owner to the first one of the next; negative where both have written at
// the same time.
func (h handover) margin() time.Duration { return h.to.first - h.from.last }

// unused is the time from the end of the former owner's lease to the first write of the next one.
func (h handover) unused() time.Duration { return h.to.first - h.from.deadline }

// handovers is each span of a partition after one of another member: the one that was written in last.
func handovers(spans []span) (all []handover) {
	for _, to := range spans {
		var h handover
		for _, from := range spans {
			if from.partition == to.partition && from.member != to.member && from.first <= to.first && (h.from.member == "" || from.last > h.from.last) {
				h = handover{from, to}
			}
		}
		if h.from.member != "" {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b handover) int { return int(a.to.first - b.to.first) })
	return all
}

func TestHandovers(t *testing.T) {
	of := func(member string, generation int32, first, last time.Duration) span {
		return span{member: member, generation: generation, first: first, last: last, deadline: last + 1}
	}
	elsewhere := of("b", 1, 0, 100)
	elsewhere.partition = 1
	for name, c := range map[string]struct {
		spans   []span
		margins []time.Duration
	}{
		"one owner":                       {[]span{of("a", 1, 0, 10), of("a", 2, 5, 20), elsewhere}, nil},
		"one after the other":             {[]span{of("b", 2, 12, 20), of("a", 1, 0, 10)}, []time.Duration{2}},
		"at the same time":                {[]span{of("a", 1, 0, 10), of("b", 2, 7, 20)}, []time.Duration{-3}},
		"one within the other":            {[]span{of("a", 1, 0, 30), of("b", 2, 7, 20)}, []time.Duration{-23}},
		"begun at the same time":          {[]span{of("a", 1, 0, 10), of("b", 1, 0, 20)}, []time.Duration{-20, -10}},
		"there and back":                  {[]span{of("a", 1, 0, 10), of("b", 2, 11, 20), of("a", 3, 24, 30)}, []time.Duration{1, 4}},
		"a former owner that writes late": {[]span{of("a", 1, 0, 40), of("b", 2, 11, 20), of("c", 3, 24, 30)}, []time.Duration{-29, -16}},
	} {
		t.Run(name, func(t *testing.T) {
			var margins []time.Duration
			for _, h := range handovers(c.spans) {
				margins = append(margins, h.margin())
				require.Equal(t, h.margin()-1, h.unused())
			}
			require.Equal(t, c.margins, margins)
		})
	}
}
