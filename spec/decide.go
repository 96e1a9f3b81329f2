package spec

import "slices"

// Values answers every guard and flag that a decision asks, by name.
type Values map[string]bool

// Cell is one point of the space that a machine decides: an input, for a response a code, a state, and an answer for
// each guard and flag that the decision asks. Rule is what decides it.
type Cell struct {
	Input  *Input
	Case   *Case
	Code   *Code // nil for loops and events
	State  *State
	Values Values
	Rule   *Rule // nil where nothing decides, which Load refuses
}

// Holds reports whether the condition holds; a nil condition (else) does.
func (c *Condition) Holds(state *State, values Values) bool {
	if c == nil {
		return true
	}
	if c.States != nil && !slices.Contains(c.States, state) {
		return false
	}
	for _, t := range c.Tests {
		if values[t.Name()] != t.Want {
			return false
		}
	}
	return true
}

// Decide finds the rule of a decision. conflict, when given, is told of each switch in which no arm or more than one holds.
func Decide(d Decision, state *State, values Values, conflict func(*Switch, []Arm)) *Rule {
	for {
		s, ok := d.(*Switch)
		if !ok {
			r, _ := d.(*Rule)
			return r
		}
		arms := s.holding(state, values)
		if len(arms) != 1 && conflict != nil {
			conflict(s, arms)
		}
		if len(arms) == 0 {
			return nil
		}
		d = arms[0].Then
	}
}

func (s *Switch) holding(state *State, values Values) []Arm {
	var arms []Arm
	var rest *Arm
	for i, a := range s.Arms {
		if a.When == nil && !s.Ordered {
			rest = &s.Arms[i]
			continue
		}
		if a.When.Holds(state, values) {
			arms = append(arms, a)
			if s.Ordered {
				return arms
			}
		}
	}
	if len(arms) == 0 && rest != nil {
		arms = append(arms, *rest)
	}
	return arms
}

// Asked lists what the decision asks, each once, in the order of the text.
func Asked(d Decision) []Test {
	var out []Test
	seen := map[string]bool{}
	var walk func(Decision)
	walk = func(d Decision) {
		s, ok := d.(*Switch)
		if !ok {
			return
		}
		for _, a := range s.Arms {
			if a.When != nil {
				for _, t := range a.When.Tests {
					if !seen[t.Name()] {
						seen[t.Name()] = true
						out = append(out, t)
					}
				}
			}
			walk(a.Then)
		}
	}
	walk(d)
	return out
}

// Assignments yields every sensible answer to what is asked: one answer of each question, and what the catalogue says of
// the code (a guard of scope "code" named after a property of it). The maps are fresh.
func Assignments(asked []Test, code *Code) []Values {
	out := []Values{{}}
	done := map[*Question]bool{}
	for _, t := range asked {
		var choices []Values
		switch {
		case t.Guard != nil && t.Guard.Question != nil:
			q := t.Guard.Question
			if done[q] {
				continue
			}
			done[q] = true
			for _, yes := range q.Answers {
				v := Values{}
				for _, a := range q.Answers {
					v[a.Name] = a == yes
				}
				choices = append(choices, v)
			}
		case t.Guard != nil && code != nil && slices.Contains(t.Guard.Scope, "code"):
			choices = []Values{{t.Name(): code.Property(t.Name())}}
		default:
			choices = []Values{{t.Name(): false}, {t.Name(): true}}
		}
		var next []Values
		for _, base := range out {
			for _, c := range choices {
				v := Values{}
				for k, x := range base {
					v[k] = x
				}
				for k, x := range c {
					v[k] = x
				}
				next = append(next, v)
			}
		}
		out = next
	}
	return out
}

// Property is what the catalogue says of a code under the name of a guard; so far there is `retriable`.
func (c *Code) Property(name string) bool { return name == "retriable" && c.Retriable }

// CellsOf enumerates one input, in the order of the text, then codes, states and answers.
func (m *Machine) CellsOf(in *Input) []Cell {
	var out []Cell
	for _, c := range in.Cases {
		asked := Asked(c.Decision)
		codes := c.Codes
		if in.Kind != Response {
			codes = []*Code{nil}
		}
		for _, code := range codes {
			values := Assignments(asked, code)
			for _, s := range m.States {
				for _, v := range values {
					out = append(out, Cell{in, c, code, s, v, Decide(c.Decision, s, v, nil)})
				}
			}
		}
	}
	return out
}

// Cells enumerates every input.
func (m *Machine) Cells() []Cell {
	var out []Cell
	for _, in := range m.Inputs() {
		out = append(out, m.CellsOf(in)...)
	}
	return out
}

// Rules lists the rules of an input, each once, in the order of the text.
func (in *Input) Rules() []*Rule {
	var out []*Rule
	seen := map[Decision]bool{}
	var walk func(Decision)
	walk = func(d Decision) {
		if d == nil || seen[d] {
			return
		}
		seen[d] = true
		switch d := d.(type) {
		case *Rule:
			out = append(out, d)
		case *Switch:
			for _, a := range d.Arms {
				walk(a.Then)
			}
		}
	}
	for _, c := range in.Cases {
		walk(c.Decision)
	}
	return out
}
