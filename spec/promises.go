package spec

import (
	"slices"
	"strings"
)

// keeps says whether a rule does what is promised.
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
	for _, s := range k.m.States {
		enters, leaves := map[leg][]*Rule{}, map[leg][]*Rule{}
		for l, rules := range k.taken {
			if l.to == s {
				enters[l] = rules
			}
			if l.from == s && l.to != s {
				leaves[l] = rules
			}
		}
		sure := true
		for l := range k.assumed {
			sure = sure && l.to != s && l.from != s
		}
		if sure {
			k.shared(s, "enters", enters)
			k.shared(s, "leaves", leaves)
		}
	}
}

// shared reports the effects that all rules on some edges of a state have, and the flags that all of them set, as far as no
// state at their ends promises it.
func (k *checker) shared(s *State, verb string, by map[leg][]*Rule) {
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
		for _, p := range slices.Concat(l.to.EntersWith, l.from.LeavesWith) {
			promised[Promise{Effect: p.Effect, Flag: p.Flag}]++
		}
	}
	var missing []string
	set := map[*Flag]bool{} // by an effect that all have
	for _, e := range k.m.Effects {
		if len(rules) > 1 && effects[e] == len(rules) {
			for _, f := range e.Sets {
				set[f] = true
			}
			if promised[Promise{Effect: e}] < len(by) {
				missing = append(missing, e.Name)
			}
		}
	}
	for _, f := range k.m.Flags {
		if len(rules) > 1 && flags[f] == len(rules) && !set[f] && promised[Promise{Flag: f}] < len(by) {
			missing = append(missing, f.Name)
		}
	}
	if len(missing) > 0 {
		k.say(Unpromised, s.Pos, "every rule that %s %s has, or sets, %s: let the state promise it, `%s_with: [%s]`, so that no rule can lose it unseen",
			verb, s.Name, strings.Join(missing, " and "), verb, strings.Join(missing, ", "))
	}
}
