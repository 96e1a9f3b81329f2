//go:build specmutants

package classic

import (
	"slices"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/spec"
)

// limit is a length of time as one of package fsm.
func limit(l *spec.Limit) fsm.Limit {
	if l == nil {
		return fsm.Limit{}
	}
	out := fsm.Limit{Choice: map[string]fsm.Choice{"": fsm.OnlyFirst, "min": fsm.Least, "max": fsm.Greatest}[l.Choice]}
	for n, t := range l.Terms {
		*[]*fsm.Term{&out.First, &out.Second}[n] = fsm.Term{Setting: t.Setting, Times: t.Times, Over: t.Over, Plus: milliseconds(t.Plus)}
	}
	return out
}

// abandons reports whether a request ends before its limit.
func (i *Interpreter) abandons(p Point) (Code, bool) {
	q := i.requests[p.Input]
	if q == nil || !slices.ContainsFunc(q.When, func(c *spec.Condition) bool { return i.holds(c, p) }) {
		return CodeNone, false
	}
	return must(ParseCode(q.Abandoned.Name)), true
}
