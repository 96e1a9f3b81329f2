package gen

import (
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// mark is something that tells the cells of an input apart: one of these is set.
type mark struct {
	flag     *spec.Flag
	guard    *spec.Guard
	question *spec.Question
}

// name is that of the specification.
func (m mark) name() string {
	switch {
	case m.flag != nil:
		return m.flag.Name
	case m.guard != nil:
		return m.guard.Name
	default:
		return m.question.Name
	}
}

// radix is the number of answers.
func (m mark) radix() int {
	if m.question != nil {
		return len(m.question.Answers)
	}
	return 2
}

// markOf is what a test asks; false where the catalogue answers it.
func markOf(t spec.Test) (mark, bool) {
	switch {
	case t.Flag != nil:
		return mark{flag: t.Flag}, true
	case ofCode(t.Guard):
		return mark{}, false
	case t.Guard.Question != nil:
		return mark{question: t.Guard.Question}, true
	default:
		return mark{guard: t.Guard}, true
	}
}

// ofCode reports whether the catalogue answers the guard, so that it is resolved when code is generated.
func ofCode(g *spec.Guard) bool { return slices.Contains(g.Scope, "code") }
