package gen

import (
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// sum is what all effects of a rule, one after the other, do to flags and timers, as these are declared.
type sum struct {
	sets, clears    []*spec.Flag
	starts, forgets []*spec.Timer
}

func (p *plan) sumOf(r *spec.Rule) sum {
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
	s.sets, s.clears = inOrder(p.Flags, s.sets), inOrder(p.Flags, s.clears)
	s.starts, s.forgets = inOrder(p.Timers, s.starts), inOrder(p.Timers, s.forgets)
	return s
}

// refuseUnordered keeps a rule from doing to timers what depends on the order of its effects: handlers are given the timers
// that a rule starts as one set, and then those whose attempts it forgets.
func (p *plan) refuseUnordered(r *spec.Rule) {
	var started, forgotten []*spec.Timer
	for _, do := range r.Effects() {
		for _, t := range do.Effect.Starts {
			if slices.Contains(forgotten, t) {
				p.names.fail(r.Pos, "%s starts the timer %s after it has forgotten its attempts: let one effect do both", r.Name, t.Name)
			}
			for _, other := range started {
				if other != t && p.clocks[other] == p.clocks[t] {
					p.names.fail(r.Pos, "%s starts the timers %s and %s, which are one clock: start one of them", r.Name, other.Name, t.Name)
				}
			}
			started = with(started, t)
		}
		forgotten = append(forgotten, do.Effect.Forgets...)
	}
}

// inOrder is list in the order in which all has it.
func inOrder[T comparable](all, list []T) []T {
	return slices.DeleteFunc(slices.Clone(all), func(x T) bool { return !slices.Contains(list, x) })
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
