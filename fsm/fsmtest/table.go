// Package fsmtest holds generated code against tables of cells. A generated package's own tests use it: their tables are
// rendered from the enumeration of the specification, the code from its text, and so each is the other's witness.
//
//	space := &fsmtest.Space{States: …, Flags: …, Codes: …}
//	table := &fsmtest.Table{Input: "Heartbeat", Kind: "response", Asks: …, Rules: …}
//	…
//	require.Empty(t, space.Differences(table, observe))
//
// It runs nothing but what it is given, and keeps nothing.
package fsmtest

import (
	"fmt"
	"strings"
)

// Space is what all tables of a machine have in common.
type Space struct {
	States []string
	Flags  []string // the machine's memory beside its state
	Codes  []string // of the catalogue, and some that it does not know; empty where the machine has none
}

// Table says of each cell of one input which rule decides it, and of each rule what it does.
type Table struct {
	Input string
	Kind  string // response, loop, event or request; the cells of a response have a code
	Asks  []Ask  // what is asked in a cell beside code and state
	Rules []Rule
}

// Ask is a flag, a guard, or a question with several answers.
type Ask struct {
	Name    string
	Answers []string // of a question; empty: no and yes
}

// Rule is a rule and the cells that it decides.
type Rule struct {
	Name string
	Line int
	// Cells are lines `codes | states | marks`, the first only in the table of a response. Codes and states are names; `*` is every
	// state, `not` before states all others, `otherwise` each code that no line of the table names. A mark stands for each Ask, in
	// their order: 0 for no, 1 for yes, the number of a question's answer, - for either.
	Cells                         []string
	To                            []string // the way through states
	Do                            []string // effects with their text: "reset_identity: the group is left"
	Sets, Clears, Starts, Forgets string   // flags and timers, joined by |
	Result                        string
}

// Point is one cell, seen with the flags that it does not ask for all set, or none of them.
type Point struct {
	Code   string
	State  string
	Others bool // whether the flags that are not asked for are set

	table   *Table
	answers []int // of each Ask
}

// Is reports whether a flag or a guard holds. A flag that is not asked for is as Others says.
func (p Point) Is(name string) bool {
	for i, a := range p.table.Asks {
		if a.Name == name {
			return p.answers[i] == 1
		}
	}
	return p.Others
}

// Answer is the number of the answer to a question, from 0.
func (p Point) Answer(question string) int {
	for i, a := range p.table.Asks {
		if a.Name == question {
			return p.answers[i]
		}
	}
	return 0
}

// String is the cell as messages name it.
func (p Point) String() string {
	var parts []string
	if p.Code != "" {
		parts = append(parts, p.Code)
	}
	parts = append(parts, "in "+p.State)
	for i, a := range p.table.Asks {
		switch {
		case len(a.Answers) > 0:
			parts = append(parts, a.Answers[p.answers[i]])
		case p.answers[i] == 1:
			parts = append(parts, a.Name)
		default:
			parts = append(parts, "not "+a.Name)
		}
	}
	text := p.table.Input + ": " + strings.Join(parts, ", ")
	if p.Others {
		text += ", all other flags set"
	}
	return text
}

// radix is how many answers an Ask has.
func (a Ask) radix() int { return max(2, len(a.Answers)) }

// coded reports whether the cells of the table have a code.
func (t *Table) coded() bool { return t.Kind == "response" }

func (r Rule) at() string { return fmt.Sprintf("%s (line %d)", r.Name, r.Line) }
