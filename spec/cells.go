package spec

import (
	"fmt"
	"slices"
	"strings"
)

// cells looks at every cell of a case: that exactly one arm of each switch holds, and that what the rule does may be done there.
func (k *checker) cells(p *plan) {
	buf := make([]*path, 0, 8)
	for _, code := range p.codes() {
		for _, v := range p.answers(code) {
			for state := range k.m.States {
				at := p.root
				for at.rule == nil {
					arms := at.holding(state, v, buf[:0])
					if len(arms) != 1 {
						k.undecided(p, at, arms, code, state, v)
					}
					if len(arms) == 0 {
						at = nil
						break
					}
					a := arms[0]
					if a.chosen = true; at.s.Ordered {
						k.below(p, at, a, state, v)
					}
					at = a.then
				}
				if at != nil {
					k.cell(p, at, state, v)
				}
			}
		}
	}
}

// below looks at what stands below the line of a list that decides a cell: which lines it hides there, and what would be
// done if it were lost.
func (k *checker) below(p *plan, at *step, a *path, state int, v uint64) {
	for i := a.index + 1; i < len(at.arms); i++ {
		if b := &at.arms[i]; !b.chosen && b.hidden == nil && b.needs.hold(state, v) {
			b.hidden = a
		}
	}
	if a.guarded {
		return
	}
	var buf [8]*path
	before := a.then.decide(state, v, buf[:])
	b := at.next(a.index+1, state, v)
	if before == nil || b == nil {
		return
	}
	after := b.then.decide(state, v, buf[:])
	if after == nil || k.alike(before.rule, after.rule, k.m.States[state]) {
		return
	}
	a.matters = true
	a.guarded = k.refuses(p, after, state, v)
}

// refuses reports whether a rule could not stand in a cell.
func (k *checker) refuses(p *plan, at *step, state int, v uint64) bool {
	for _, x := range at.only(p) {
		if x.needs.unasked != nil || !x.needs.hold(state, v) {
			return true
		}
	}
	from := k.m.States[state]
	for _, l := range k.legs(at.rule, from) {
		if k.undeclared(l) || k.edgeOf[l] != nil && k.edgeOf[l].Unused {
			return true
		}
	}
	for _, must := range k.m.Musts {
		if len(dropped(at.rule, must)) > 0 && !fulfils(at.rule, must, at.rule.end(from)) {
			return true
		}
	}
	promises, _ := k.unkept(at.rule, from)
	return len(promises) > 0
}

// alike reports whether two rules do the same in a state.
func (k *checker) alike(a, b *Rule, from *State) bool {
	return a == b || a.Result == b.Result && slices.Equal(k.legs(a, from), k.legs(b, from)) &&
		slices.EqualFunc(a.Do, b.Do, func(x, y Do) bool { return x.Effect == y.Effect && x.Text == y.Text })
}

// undecided reports a cell in which no arm holds, or more than one.
func (k *checker) undecided(p *plan, at *step, arms []*path, code *Code, state int, v uint64) {
	where := p.in.Name
	if code != nil {
		where += "/" + code.Name
	}
	if len(arms) == 0 {
		if k.first(Gap, nil, at) {
			k.say(Gap, at.s.Pos, "%s: nothing decides in %s%s", where, strings.Join(k.undecidedStates(p, at, v), ", "), p.describe(at, v))
		}
		return
	}
	if same(arms[0].arm.When, arms[1].arm.When) {
		return // reported as the same condition
	}
	arms[1].both = true
	if k.first(Overlap, nil, [2]*path{arms[0], arms[1]}) {
		k.conflict(Overlap, arms[0].arm.Pos, arms[1].arm.Pos, "%s: lines %d and %d both hold in %s%s", where, arms[0].arm.Pos.Line, arms[1].arm.Pos.Line,
			k.m.States[state].Name, p.describe(at, v))
	}
}

// undecidedStates lists the states in which a switch is reached and decides nothing.
func (k *checker) undecidedStates(p *plan, at *step, v uint64) []string {
	var out []string
	var buf [8]*path
	for i, s := range k.m.States {
		here := p.root
		for here != at && here.rule == nil {
			arms := here.holding(i, v, buf[:0])
			if len(arms) == 0 {
				break
			}
			here = arms[0].then
		}
		if here == at && len(at.holding(i, v, buf[:0])) == 0 {
			out = append(out, s.Name)
		}
	}
	return out
}

// describe names the answers that the conditions of a switch ask for: ` with not stale, leader`.
func (p *plan) describe(at *step, v uint64) string {
	var out []string
	seen := map[string]bool{}
	for _, a := range at.s.Arms {
		if a.When == nil {
			continue
		}
		for _, t := range a.When.Tests {
			if seen[t.Name()] {
				continue
			}
			seen[t.Name()] = true
			out = append(out, answer(t.Name(), v&(1<<p.bit[t.Name()]) != 0))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " with " + strings.Join(out, ", ")
}

func answer(name string, yes bool) string {
	if yes {
		return name
	}
	return "not " + name
}

// cell checks one cell that a rule decides.
func (k *checker) cell(p *plan, at *step, state int, v uint64) {
	rule := at.rule
	if !at.seen(state, p.states) {
		k.decides[rule] = true
		k.moves(rule, k.m.States[state])
	}
	for _, x := range at.only(p) {
		if x.needs.unasked == nil && x.needs.hold(state, v) {
			continue
		}
		if !k.first(Only, rule, x.do.Effect) {
			continue
		}
		e := x.do.Effect
		k.conflict(Only, k.place(rule, x.do), e.Only.Pos, "%s: %s only where %s, and here %s", rule.Name, e.Name, e.Only.Text, k.whyNot(p, x.needs, e.Only, state, v))
	}
}

// place is where a rule has an effect; for one of its result, where the rule stands.
func (k *checker) place(rule *Rule, do Do) Pos {
	for _, d := range rule.Do {
		if d == do {
			return d.Pos
		}
	}
	return rule.Pos
}

func (k *checker) whyNot(p *plan, n needs, c *Condition, state int, v uint64) string {
	s := k.m.States[state]
	if n.states != nil && !n.states[state] {
		return "it decides in " + s.Name
	}
	for _, t := range c.Tests {
		bit, asked := p.bit[t.Name()]
		if !asked {
			return fmt.Sprintf("nobody has asked for %s", t.Name())
		}
		if yes := v&(1<<bit) != 0; yes != t.Want {
			return fmt.Sprintf("it decides also with %s, in %s", answer(t.Name(), yes), s.Name)
		}
	}
	return "it does not hold"
}
