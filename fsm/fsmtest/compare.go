package fsmtest

import (
	"fmt"
	"slices"
)

// Outcome is what generated code does at a point.
type Outcome struct {
	Decided string   // the name of the rule that Decide finds
	Handled string   // the name of the rule that Handle returns
	Result  string   // of that rule
	State   string   // after Handle
	Flags   string   // after Handle, joined by |
	Calls   []string // of the handler, in order: start and forget with their timers, then effects
	Early   bool     // the handler was called before the memory had moved
	Machine string   // the state of the machine after Fire, or the error
}

// enough is how many differences are worth reading.
const enough = 20

// Differences lists where the code, as observe sees it, is not what the table says: at every point, each aspect. It stops when
// there are enough to read.
func (s *Space) Differences(t *Table, observe func(Point) Outcome) []string {
	var out []string
	err := s.Points(t, func(p Point, rule int) {
		if len(out) < enough {
			out = append(out, s.Compare(t.Rules[rule], p, observe(p))...)
		}
	})
	if err != nil {
		out = append(out, err.Error())
	}
	return out
}

// Compare lists the aspects in which an outcome is not that of the rule at the point.
func (s *Space) Compare(want Rule, p Point, have Outcome) []string {
	var out []string
	differ := func(aspect, want, have string) {
		if want != have {
			out = append(out, fmt.Sprintf("%s: %s is %s, and %s is wanted", p, aspect, have, want))
		}
	}
	state := p.State
	if n := len(want.To); n > 0 {
		state = want.To[n-1]
	}
	differ("the rule that Decide finds", want.Name, have.Decided)
	differ("the rule that Handle returns", want.Name, have.Handled)
	differ("the result of "+want.at(), none(want.Result), none(have.Result))
	differ("the state after "+want.at(), state, have.State)
	differ("the memory after "+want.at(), s.after(want, p), have.Flags)
	differ("the state of the machine after "+want.at(), state, have.Machine)
	if calls := want.calls(); !slices.Equal(calls, have.Calls) {
		differ("what is done by "+want.at(), fmt.Sprintf("%q", calls), fmt.Sprintf("%q", have.Calls))
	}
	if have.Early {
		out = append(out, fmt.Sprintf("%s: the handler is called before the memory has moved", p))
	}
	return out
}

// calls are what Handle calls when it does as the rule says.
func (r Rule) calls() []string {
	var out []string
	if r.Starts != "" {
		out = append(out, "start "+r.Starts)
	}
	if r.Forgets != "" {
		out = append(out, "forget "+r.Forgets)
	}
	return append(out, r.Do...)
}

// after are the flags that a rule leaves behind.
func (s *Space) after(rule Rule, p Point) string {
	return joined(slices.DeleteFunc(slices.Clone(s.Flags), func(f string) bool {
		return !has(rule.Sets, f) && (has(rule.Clears, f) || !p.Is(f))
	}))
}

// CompareRow lists the aspects in which a rule, as it describes itself, is not what the table says. Cells are left out.
func CompareRow(want, have Rule) []string {
	var out []string
	rule := want.at()
	differ := func(aspect string, want, have any) {
		if w, h := fmt.Sprint(want), fmt.Sprint(have); w != h {
			out = append(out, fmt.Sprintf("%s: %s is %s, and %s is wanted", rule, aspect, h, w))
		}
	}
	differ("the name", want.Name, have.Name)
	differ("the line", want.Line, have.Line)
	differ("the way", want.To, have.To)
	differ("what is done", fmt.Sprintf("%q", want.Do), fmt.Sprintf("%q", have.Do))
	differ("what is set", none(want.Sets), none(have.Sets))
	differ("what is cleared", none(want.Clears), none(have.Clears))
	differ("what is started", none(want.Starts), none(have.Starts))
	differ("what is forgotten", none(want.Forgets), none(have.Forgets))
	differ("the result", none(want.Result), none(have.Result))
	return out
}
