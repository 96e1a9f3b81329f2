package gen

import (
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// node is a decision as it is written in Go: a leaf with a rule, or a branch. What the catalogue answers is resolved.
type node struct {
	rule    *spec.Rule
	ordered bool
	arms    []arm
}

// arm is one way on from a branch. when is nil where nothing is left to ask.
type arm struct {
	when *condition
	then *node
}

type condition struct {
	tests  []spec.Test
	states []*spec.State // nil: in every state
}

// resolve is the decision with the answers that the catalogue gives for one code; property tells them by the guard's name.
func resolve(d spec.Decision, property func(name string) bool) *node {
	if r, ok := d.(*spec.Rule); ok {
		return &node{rule: r}
	}
	s := d.(*spec.Switch)
	n := &node{ordered: s.Ordered}
	for _, a := range s.Arms {
		when, possible := resolveCondition(a.When, property)
		if !possible {
			continue
		}
		n.arms = append(n.arms, arm{when, resolve(a.Then, property)})
		if when == nil && s.Ordered {
			break
		}
	}
	if !s.Ordered {
		slices.SortStableFunc(n.arms, func(a, b arm) int { // else comes last
			switch {
			case a.when == nil && b.when != nil:
				return 1
			case a.when != nil && b.when == nil:
				return -1
			default:
				return 0
			}
		})
	}
	if len(n.arms) == 1 {
		return n.arms[0].then
	}
	return n
}

func resolveCondition(c *spec.Condition, property func(name string) bool) (when *condition, possible bool) {
	if c == nil {
		return nil, true
	}
	when = &condition{states: c.States}
	for _, t := range c.Tests {
		if t.Guard != nil && ofCode(t.Guard) {
			if property(t.Name()) != t.Want {
				return nil, false
			}
			continue
		}
		when.tests = append(when.tests, t)
	}
	if len(when.tests) == 0 && when.states == nil {
		return nil, true
	}
	return when, true
}

// branch is what is decided for some codes; rest marks the one for all codes that are not named.
type branch struct {
	codes []*spec.Code
	node  *node
	rest  bool
	as    bool // repeats the rest, said in so many words
	pos   spec.Pos
}

// branches are the cases of a response in the order of the text, the rest last. Codes that repeat another case's decision stand
// with it. Where the catalogue answers a guard, a case falls apart into the codes of each answer.
func (in *inputPlan) branches() []branch {
	var named, rest []branch
	for _, c := range in.Cases {
		codes := c.Codes
		if !c.Otherwise && c.As == nil {
			for _, other := range in.Cases {
				if other.As == c {
					codes = append(slices.Clone(codes), other.Codes...)
				}
			}
		}
		switch {
		case c.As != nil && c.As.Otherwise:
			named = append(named, branch{codes: c.Codes, as: true, pos: c.Pos})
		case c.As != nil:
		case c.Otherwise:
			rest = byProperty(c, codes, true)
		default:
			named = append(named, byProperty(c, codes, false)...)
		}
	}
	return append(named, rest...)
}

// byProperty groups the codes of a case by the answers that the catalogue gives. In the rest the group of those for which it
// says nothing good comes last: it is also that of the codes which no catalogue knows.
func byProperty(c *spec.Case, codes []*spec.Code, rest bool) []branch {
	var guards []string
	for _, t := range spec.Asked(c.Decision) {
		if t.Guard != nil && ofCode(t.Guard) {
			guards = append(guards, t.Name())
		}
	}
	if len(guards) == 0 {
		return []branch{{codes, resolve(c.Decision, nil), rest, false, c.Pos}}
	}
	answers := func(code *spec.Code) string {
		out := make([]byte, len(guards))
		for i, g := range guards {
			out[i] = '0'
			if code != nil && code.Property(g) {
				out[i] = '1'
			}
		}
		return string(out)
	}
	none := answers(nil)
	groups := map[string][]*spec.Code{}
	var order []string
	for _, code := range codes {
		a := answers(code)
		if groups[a] == nil && a != none {
			order = append(order, a)
		}
		groups[a] = append(groups[a], code)
	}
	if rest || groups[none] != nil {
		order = append(order, none)
	}
	var out []branch
	for _, a := range order {
		property := func(name string) bool { return a[slices.Index(guards, name)] == '1' }
		out = append(out, branch{groups[a], resolve(c.Decision, property), rest && a == none, false, c.Pos})
	}
	return out
}
