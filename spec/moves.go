package spec

import (
	"slices"
	"strings"
)

// leg is one edge of a rule's path.
type leg struct{ from, to *State }

// legs are the edges that a rule takes from a state. To stay is none, unless a self-edge is declared: then the state is
// entered anew.
func (r *reader) legs(rule *Rule, from *State) []leg {
	var out []leg
	for _, to := range rule.To {
		if to != from || r.edgeOf[leg{from, to}] != nil {
			out = append(out, leg{from, to})
		}
		from = to
	}
	return out
}

// end is the state in which a rule ends.
func (r *Rule) end(from *State) *State {
	if n := len(r.To); n > 0 {
		return r.To[n-1]
	}
	return from
}

// moves checks what a rule does when it decides in one state: the edges of its path, and the invariants.
func (k *checker) moves(rule *Rule, from *State) {
	for _, l := range k.legs(rule, from) {
		k.taken[l] = append(k.taken[l], rule)
		if k.undeclared(l) && k.first(UndeclaredEdge, rule, l) {
			k.conflict(UndeclaredEdge, rule.Pos, l.to.Pos, "%s goes from %s to %s, which is no declared edge: declare it there under `from`, or restrict the rule",
				rule.Name, l.from.Name, l.to.Name)
		}
		for _, a := range k.m.Absorbing {
			if a.State == l.from && l.to != l.from && k.first(LeavesAbsorbing, rule, a) {
				k.conflict(LeavesAbsorbing, rule.Pos, a.Pos, "%s leaves %s, which is declared absorbing", rule.Name, l.from.Name)
			}
		}
	}
	for _, must := range k.m.Musts {
		if gone := dropped(rule, must); len(gone) > 0 && !fulfils(rule, must, rule.end(from)) && k.first(Obligation, rule, must) {
			k.conflict(Obligation, rule.Pos, must.Pos, "%s drops %s, and does nothing of what must follow: %s", rule.Name, strings.Join(gone, ", "),
				strings.Join(must.names(), ", "))
		}
	}
	promises, does := k.unkept(rule, from)
	for i, p := range promises {
		if k.first(Promised, rule, p.Pos) {
			k.conflict(Promised, rule.Pos, p.Pos, "%s %s without %s, which every rule that does so is to have", rule.Name, does[i], p.Name())
		}
	}
}

func (k *checker) undeclared(l leg) bool {
	return k.m.edges != nil && l.from != l.to && k.edgeOf[l] == nil
}

// dropped names what a rule drops of what an obligation is about.
func dropped(rule *Rule, must *Must) []string {
	var out []string
	for _, d := range rule.Effects() {
		for _, i := range d.Effect.Drops {
			if slices.Contains(must.Drops, i) && !slices.Contains(out, i.Name) {
				out = append(out, i.Name)
			}
		}
	}
	return out
}

// fulfils reports whether a rule that ends in a state does one of the things that must follow.
func fulfils(rule *Rule, must *Must, end *State) bool {
	if slices.Contains(must.States, end) {
		return true
	}
	for _, d := range rule.Effects() {
		if slices.Contains(must.Effects, d.Effect) {
			return true
		}
		for _, f := range d.Effect.Sets {
			if slices.Contains(must.Flags, f) {
				return true
			}
		}
	}
	return false
}

// names of everything that fulfils an obligation.
func (m *Must) names() []string {
	var out []string
	for _, x := range m.Flags {
		out = append(out, x.Name)
	}
	for _, x := range m.Effects {
		out = append(out, x.Name)
	}
	for _, x := range m.States {
		out = append(out, x.Name)
	}
	return out
}

// edges holds what is declared against what is taken.
func (k *checker) edges() {
	for _, e := range k.m.edges {
		l := leg{e.From, e.To}
		var rule *Rule
		if len(k.taken[l]) > 0 {
			rule = k.taken[l][0]
		}
		switch {
		case e.Any:
		case e.Unused && rule != nil:
			k.conflict(UnusedEdge, e.Pos, rule.Pos, "the edge %s -> %s is declared unused, and %s takes it", e.From.Name, e.To.Name, rule.Name)
		case !e.Unused && rule == nil && !k.assumed[l] && !k.lost.targets:
			k.say(UntakenEdge, e.Pos, "the edge %s -> %s is declared, and no rule takes it: a rule is missing, or list it under `unused`", e.From.Name, e.To.Name)
		}
	}
}

// reach looks for states that are never reached, and for those that are never left.
func (k *checker) reach() {
	if k.m.Initial == nil {
		return
	}
	next, leaves := map[*State][]*State{}, map[*State]*Rule{}
	for _, from := range k.m.States {
		for _, to := range k.m.States {
			l := leg{from, to}
			if from == to || len(k.taken[l]) == 0 && !k.assumed[l] {
				continue
			}
			next[from] = append(next[from], to)
			if len(k.taken[l]) > 0 {
				leaves[from] = k.taken[l][0]
			}
		}
	}
	reached, todo := map[*State]bool{k.m.Initial: true}, []*State{k.m.Initial}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		for _, t := range next[s] {
			if !reached[t] {
				reached[t] = true
				todo = append(todo, t)
			}
		}
	}
	for _, s := range k.m.States {
		if !reached[s] && !k.lost.targets {
			k.idle(Unreachable, s.Name, s.Pos, "%s is never reached from %s", s.Name, k.m.Initial.Name)
		}
		switch rule := leaves[s]; {
		case len(next[s]) == 0 && !s.Final && !k.lost.targets:
			k.idle(Trap, s.Name, s.Pos, "%s is never left: a rule is missing, or mark it `final: true`", s.Name)
		case rule != nil && s.Final:
			k.conflict(Trap, s.Pos, rule.Pos, "%s is final, and %s leaves it", s.Name, rule.Name)
		}
	}
}
