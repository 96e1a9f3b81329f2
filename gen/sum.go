package gen

import (
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// sum is what all effects of a rule, one after the other, do to flags and timers.
type sum struct {
	sets, clears    []*spec.Flag
	starts, forgets []*spec.Timer
}

func sumOf(r *spec.Rule) sum {
	var s sum
	for _, do := range r.Effects() {
		for _, f := range do.Effect.Clears {
			s.sets, s.clears = without(s.sets, f), with(s.clears, f)
		}
		for _, f := range do.Effect.Sets {
			s.sets, s.clears = with(s.sets, f), without(s.clears, f)
		}
		for _, t := range do.Effect.Starts {
			s.starts = with(s.starts, t)
		}
		for _, t := range do.Effect.Forgets {
			s.forgets = with(s.forgets, t)
		}
	}
	byIndex := func(a, b *spec.Flag) int { return a.Index - b.Index }
	slices.SortFunc(s.sets, byIndex)
	slices.SortFunc(s.clears, byIndex)
	return s
}

func with[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

func without[T comparable](list []T, x T) []T {
	return slices.DeleteFunc(list, func(y T) bool { return y == x })
}
