package gen

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// TestWithin compares, answer by answer, the wide cubes that a document shows of a state with those that it was made from.
func TestWithin(t *testing.T) {
	wider := 0
	for _, path := range append(machines, "../spec/classic.yaml") {
		m, err := spec.Load(path)
		require.NoError(t, err)
		p, err := newPlan(m)
		require.NoError(t, err)
		for _, in := range p.inputs {
			for _, b := range p.blocks(in, func(r *spec.Rule) *spec.Rule { return r }) {
				for _, s := range p.States {
					within := b.within(s)
					for _, c := range within {
						if !slices.ContainsFunc(b.cubes, func(narrow cube) bool { return narrow.marks == c.marks }) {
							wider++
						}
					}
					each(in.marks, "", func(answers string) {
						var want, have []*spec.Rule
						for _, c := range b.cubes {
							if slices.Contains(c.states, s) && overlap(c.marks, answers) {
								want = append(want, c.rule)
							}
						}
						for _, c := range within {
							if overlap(c.marks, answers) {
								have = with(have, c.rule)
							}
						}
						require.Len(t, want, 1, "%s: %s in %s, %s", path, in.Name, s.Name, answers)
						require.Equal(t, want, have, "%s: %s in %s, %s", path, in.Name, s.Name, answers)
					})
				}
			}
		}
	}
	require.NotZero(t, wider)
}

// each calls f with all answers to all marks.
func each(marks []mark, answers string, f func(answers string)) {
	if len(marks) == 0 {
		f(answers)
		return
	}
	for n := range marks[0].radix() {
		each(marks[1:], answers+string(rune('0'+n)), f)
	}
}
