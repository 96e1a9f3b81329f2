package wire

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/sim/judge"
)

// story is what a seed decides, as text.
func (p plan) story() string {
	var b strings.Builder
	fmt.Fprint(&b, p)
	for _, f := range p.faults {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}

// A seed is its plan, whoever plays it and how often; and other seeds are other plans.
func TestASeedIsItsPlan(t *testing.T) {
	const length = 10 * time.Minute
	seen := map[string]uint64{}
	kinds, sizes := map[faultKind]bool{}, map[int]bool{}
	for seed := range uint64(2000) {
		p := drawPlan(seed, length, 0)
		require.Equal(t, p.story(), drawPlan(seed, length, 0).story(), "seed %d", seed)
		first, again := seen[p.story()]
		require.False(t, again, "seeds %d and %d are the same", first, seed)
		seen[p.story()] = seed
		sizes[len(p.cast)] = true
		require.True(t, slices.IsSortedFunc(p.faults, func(a, b fault) int { return int(a.at - b.at) }), "seed %d", seed)
		for _, f := range p.faults {
			require.LessOrEqual(t, f.at+f.lasts, p.calm, "seed %d: %s disturbs the calm", seed, f)
			kinds[f.kind] = true
		}
	}
	require.Len(t, kinds, int(faultKinds), "some kinds of faults befall nobody")
	require.Len(t, sizes, most-fewest+1, "some sizes of groups, from %d to %d members, are never drawn", fewest, most)
}

// outline is what happened to each process, and to the group from outside, without what a coordinator and a scheduler
// choose.
func (r *result) outline() (lines []string) {
	for _, e := range r.events {
		switch e.Kind {
		case judge.Born, judge.Killed, judge.Calm:
			if e.At <= r.plan.length {
				lines = append(lines, fmt.Sprintf("%s %s %s", e.At, e.Member, e.Kind))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// The same plan is the same trouble at the same times, and the same verdict.
func TestTheSamePlanIsTheSameTrouble(t *testing.T) {
	p := scene()
	first := p.play(t, flaw{})
	for range 3 {
		again := p.play(t, flaw{})
		require.Equal(t, first.outline(), again.outline())
		require.Equal(t, first.failed(), again.failed(), "%v", again.violations)
	}
}

// In a group of one, whose coordinator has nothing to choose, it is the same events at the same times, but for the ids
// that the coordinator draws.
func TestAGroupOfOneIsTheSameEvents(t *testing.T) {
	p := scene()
	p.cast = p.cast[:1]
	p.faults = p.faults[:1]
	p.faults = append(p.faults, fault{kind: garbage, at: 50 * time.Second, lasts: 20 * time.Second, slot: 0, node: anyNode, api: anyAPI, share: 2})
	story := func() string {
		var b strings.Builder
		names := map[string]string{}
		for _, e := range p.play(t, flaw{}).events {
			if e.View != nil {
				for i, m := range e.View.Members {
					e.View.Members[i].ID = rename(names, m.ID)
				}
			}
			e.Who.MemberID = rename(names, e.Who.MemberID)
			for i, r := range e.Read {
				e.Read[i].MemberID = rename(names, r.MemberID)
			}
			e.Err = nil // it may hold an id
			fmt.Fprintln(&b, e)
		}
		return b.String()
	}
	first := story()
	require.Contains(t, first, "MALFORMED", "no garbage has been met")
	for range 3 {
		lines, again := strings.Split(first, "\n"), strings.Split(story(), "\n")
		for i := range min(len(lines), len(again)) {
			require.Equal(t, lines[i], again[i], "line %d, after %s", i+1, lines[max(0, i-1)])
		}
		require.Len(t, again, len(lines))
	}
}

// rename is a member id by the order in which ids were seen.
func rename(names map[string]string, id string) string {
	if id == "" {
		return ""
	}
	if names[id] == "" {
		names[id] = fmt.Sprintf("id%d", len(names)+1)
	}
	return names[id]
}
