//go:build mutants

package classic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/fsmtest"
)

// TestMutants changes the table of decisions in memory, one thing at a time, and sees that what the generated tests compare
// tells the difference each time. tools/mutants runs it and reads the line that it prints.
func TestMutants(t *testing.T) {
	var all tally
	each(t, func(s subject, i int, r *Rule) {
		for _, m := range mutantsOfRow(s, r) {
			all.count(m, rowKills(t, s, i, r, m))
		}
	})
	rules := rulesByName(t)
	machine := newMachine(t)
	for _, s := range subjects {
		require.NoError(t, space.Points(s.table, func(p fsmtest.Point, i int) {
			r := rules[s.table.Rules[i].Name]
			for _, m := range mutantsOfCell(s, p, r, rules) {
				all.count(m, m.in(r, func() bool { return len(space.Compare(s.table.Rules[i], p, s.observe(machine, p))) > 0 }))
			}
		}))
	}
	fmt.Printf("mutants in memory: killed %d of %d\n", all.total-len(all.alive), all.total)
	require.Empty(t, all.alive[:min(20, len(all.alive))])
}

// tally counts mutants and keeps the names of those that nothing noticed.
type tally struct {
	total int
	alive []string
}

func (t *tally) count(m mutant, killed bool) {
	t.total++
	if !killed {
		t.alive = append(t.alive, m.name)
	}
}

// mutant is one change of a rule.
type mutant struct {
	name  string
	apply func(r *Rule)
}

// in runs f while the rule is changed.
func (m mutant) in(r *Rule, f func() bool) bool {
	kept := *r
	defer func() { *r = kept }()
	m.apply(r)
	return f()
}

func rulesByName(t *testing.T) map[string]*Rule {
	out := map[string]*Rule{}
	each(t, func(_ subject, _ int, r *Rule) { out[r.Name] = r })
	return out
}

// rowKills says whether one of the generated tests that look at this rule fails: TestRules, TestMachineRefuses, or the table.
func rowKills(t *testing.T, s subject, i int, r *Rule, m mutant) bool {
	want := s.table.Rules[i]
	from, err := space.StatesOf(s.table, i)
	require.NoError(t, err)
	return m.in(r, func() bool {
		return len(fsmtest.CompareRow(want, described(r))) > 0 ||
			len(misplaced(newMachine(t), r, from)) > 0 ||
			len(s.differences(newMachine(t))) > 0
	})
}

// mutantsOfRow change each aspect of what a rule says.
func mutantsOfRow(s subject, r *Rule) []mutant {
	var out []mutant
	add := func(aspect string, apply func(*Rule)) {
		out = append(out, mutant{r.Name + ": " + aspect, apply})
	}
	add("name", func(r *Rule) { r.Name += "?" })
	add("line", func(r *Rule) { r.Line++ })
	if o := slices.IndexFunc(s.table.Rules, func(o fsmtest.Rule) bool { return !slices.Equal(o.Do, s.table.Rules[r.n].Do) }); o >= 0 {
		add("number", func(r *Rule) { r.n = uint16(o) })
	}
	add("result", func(r *Rule) { r.Result = Result(other(int(r.Result), len(results))) })
	add("states in which it decides", func(r *Rule) { r.From = changedStates(r.From) })
	add("one state more on its way", func(r *Rule) { r.To = append(slices.Clone(r.To), Unjoined) })
	for i := range r.To {
		add("state on its way", func(r *Rule) {
			r.To = slices.Clone(r.To)
			r.To[i] = State(other(int(r.To[i]), len(space.States)))
		})
	}
	for i, do := range r.Do {
		add("effect dropped", func(r *Rule) { r.Do = slices.Delete(slices.Clone(r.Do), i, i+1) })
		add("effect changed", func(r *Rule) {
			r.Do = slices.Clone(r.Do)
			r.Do[i].Effect++
		})
		if do.Text != "" {
			add("text changed", func(r *Rule) {
				r.Do = slices.Clone(r.Do)
				r.Do[i].Text += "!"
			})
		}
		if i > 0 {
			add("effects swapped", func(r *Rule) {
				r.Do = slices.Clone(r.Do)
				r.Do[i], r.Do[i-1] = r.Do[i-1], r.Do[i]
			})
		}
	}
	for i := range space.Flags {
		add("sets "+space.Flags[i], func(r *Rule) { r.Sets ^= 1 << i })
		add("clears "+space.Flags[i], func(r *Rule) { r.Clears ^= 1 << i })
	}
	for i := range timerSpecs {
		if i > 0 {
			add("starts "+Timer(i).String(), func(r *Rule) { r.Starts ^= 1 << i })
			add("forgets "+Timer(i).String(), func(r *Rule) { r.Forgets ^= 1 << i })
		}
	}
	return out
}

// changedStates are other states: all but one where there were all, one less where there were several, else another one.
func changedStates(from []State) []State {
	switch len(from) {
	case 0:
		return []State{Unjoined}
	case 1:
		return []State{State(other(int(from[0]), len(space.States)))}
	default:
		return from[1:]
	}
}

// mutantsOfCell change what is done in one cell, so that it shows there: another way, memory, effects, result, or rule.
func mutantsOfCell(s subject, p fsmtest.Point, r *Rule, rules map[string]*Rule) []mutant {
	name := p.String() + ": "
	before := memoryAt(p)
	after := before
	r.move(&after)
	out := []mutant{
		{name + "state", func(r *Rule) { r.To = []State{State(other(int(after.State), len(space.States)))} }},
		{name + "result", func(r *Rule) { r.Result = Result(other(int(r.Result), len(results))) }},
	}
	flag := Flags(1) << (len(p.String()) % len(space.Flags))
	out = append(out, mutant{name + "memory", func(r *Rule) {
		r.Sets, r.Clears = r.Sets&^flag, r.Clears&^flag
		if after.Flags.Has(flag) {
			r.Clears |= flag
		} else {
			r.Sets |= flag
		}
	}})
	for _, want := range s.table.Rules {
		if o := rules[want.Name]; o != r {
			out = append(out, mutant{name + "rule", func(r *Rule) { *r = *o }})
			break
		}
	}
	for _, want := range s.table.Rules {
		if !slices.Equal(want.Do, s.table.Rules[r.n].Do) {
			out = append(out, mutant{name + "effects", func(r *Rule) { r.n = rules[want.Name].n }})
			break
		}
	}
	return out
}

// other is a number below n that is not i.
func other(i, n int) int { return (i + 1) % n }
