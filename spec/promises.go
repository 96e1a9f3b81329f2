package spec

import (
	"slices"
	"strings"
)

// keeps reports whether a rule does what is promised.
func (p Promise) keeps(rule *Rule) bool {
	return slices.ContainsFunc(rule.Effects(), func(d Do) bool {
		return d.Effect == p.Effect || p.Flag != nil && slices.Contains(d.Effect.Sets, p.Flag)
	})
}

// unkept lists the promises of the states on a rule's way that it does not keep, each with what the rule does instead.
func (k *checker) unkept(rule *Rule, from *State) (promises []Promise, does []string) {
	look := func(list []Promise, what string) {
		for _, p := range list {
			if !p.keeps(rule) {
				promises, does = append(promises, p), append(does, what)
			}
		}
	}
	for _, l := range k.legs(rule, from) {
		look(l.to.EntersWith, "enters "+l.to.Name)
		if l.from != l.to {
			look(l.from.LeavesWith, "leaves "+l.from.Name)
		}
	}
	return promises, does
}

// unpromised looks for what all rules that enter or leave a state do, where there are several, and nobody promises it: as
// long as it is promised, none of them can lose it unseen.
func (k *checker) unpromised() {
	promised := map[*State][]Promise{} // of the state that is entered, with what is demanded of it here
	for _, s := range k.m.States {
		promised[s] = append(promised[s], s.EntersWith...)
		legs := k.legsWith(func(l leg) bool { return l.to == s })
		promised[s] = append(promised[s], k.shared(s, "enters", legs, func(l leg) []Promise { return slices.Concat(l.to.EntersWith, l.from.LeavesWith) })...)
	}
	for _, s := range k.m.States {
		legs := k.legsWith(func(l leg) bool { return l.from == s && l.to != s })
		k.shared(s, "leaves", legs, func(l leg) []Promise { return slices.Concat(promised[l.to], l.from.LeavesWith) })
	}
}

// legsWith are the edges that are taken, with the rules that do; none where it is not sure that these are all.
func (k *checker) legsWith(is func(leg) bool) map[leg][]*Rule {
	out := map[leg][]*Rule{}
	for l := range k.assumed {
		if is(l) {
			return out
		}
	}
	for l, rules := range k.taken {
		if is(l) {
			out[l] = rules
		}
	}
	return out
}

// shared reports the effects that all rules on some edges of a state have, and the flags that all of them set, as far as no
// state at their ends promises it. It returns what it demands.
func (k *checker) shared(s *State, verb string, by map[leg][]*Rule, promises func(leg) []Promise) []Promise {
	effects, flags, rules := map[*Effect]int{}, map[*Flag]int{}, map[*Rule]bool{}
	promised := map[Promise]int{}
	for l, list := range by {
		for _, r := range list {
			if rules[r] {
				continue
			}
			rules[r] = true
			sets := map[*Flag]bool{}
			for _, d := range r.Do {
				effects[d.Effect]++
				for _, f := range d.Effect.Sets {
					sets[f] = true
				}
			}
			for f := range sets {
				flags[f]++
			}
		}
		for _, p := range promises(l) {
			promised[Promise{Effect: p.Effect, Flag: p.Flag}]++
		}
	}
	var missing []Promise
	set := map[*Flag]bool{} // by an effect that all have
	for _, e := range k.m.Effects {
		if len(rules) > 1 && effects[e] == len(rules) {
			for _, f := range e.Sets {
				set[f] = true
			}
			if promised[Promise{Effect: e}] < len(by) {
				missing = append(missing, Promise{Effect: e})
			}
		}
	}
	for _, f := range k.m.Flags {
		if len(rules) > 1 && flags[f] == len(rules) && !set[f] && promised[Promise{Flag: f}] < len(by) {
			missing = append(missing, Promise{Flag: f})
		}
	}
	if len(missing) > 0 {
		var names []string
		for _, p := range missing {
			names = append(names, p.Name())
		}
		k.say(Unpromised, s.Pos, "every rule that %s %s has, or sets, %s: let the state promise it, `%s_with: [%s]`, so that no rule can lose it unseen",
			verb, s.Name, strings.Join(names, " and "), verb, strings.Join(names, ", "))
	}
	return missing
}
