package spec

import (
	"slices"
	"strings"
)

// scopes checks that a guard is asked only where the one who knows the answer is at hand.
func (k *checker) scopes() {
	for _, in := range k.m.Inputs() {
		told := map[*Guard]bool{}
		for _, c := range in.Cases {
			walk(c.Decision, nil, func(when *Condition) {
				for _, t := range when.Tests {
					if g := t.Guard; g != nil && !told[g] && !k.answers(in, g) {
						told[g] = true
						k.conflict(GuardScope, t.Pos, g.Pos, "%s: %s can be asked of %s only, which is not at hand here", in.Name, g.Name, strings.Join(g.Scope, ", "))
					}
				}
			})
		}
	}
	for _, g := range k.m.Guards {
		if slices.Contains(g.Scope, "code") && g.Name != "retriable" {
			k.say(GuardScope, g.Pos, "the catalogue does not say of a code whether it is %s: there is `retriable`", g.Name)
		}
	}
}

// answers reports whether the answer of a guard is known when an input is decided.
func (k *checker) answers(in *Input, g *Guard) bool {
	for _, s := range g.Scope {
		switch s {
		case "member", "config", "timer":
			return true
		case "request", "code":
			if in.Kind == Response {
				return true
			}
		default:
			if s == in.Name {
				return true
			}
		}
	}
	return false
}
