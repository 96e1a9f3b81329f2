//go:build mutants

package classic

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/fsmtest"
)

// TestMutants changes what rules say in memory, and what the code does in each cell, one thing at a time, and sees that what
// the generated tests compare tells the difference each time. tools/mutants runs it and reads the line that it prints.
func TestMutants(t *testing.T) {
	var all tally
	each(t, func(s subject, i int, r *Rule) {
		for _, m := range mutantsOfRow(r) {
			all.count(m, rowKills(t, s, i, r, m))
		}
	})
	machine, rules := newMachine(t), Rules()
	another := map[*Rule]*Rule{}
	for i, r := range rules {
		another[r] = rules[other(i, len(rules))]
	}
	for _, s := range subjects {
		require.NoError(t, space.Points(s.table, func(p fsmtest.Point, i int) {
			for _, o := range otherwise(s, p, another) {
				all.count(mutant{name: p.String() + ": " + o.what}, len(space.Compare(s.table.Rules[i], p, o.observe(machine, p))) > 0)
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

// rowKills reports whether one of the generated tests that look at this rule fails: TestRules, TestMachineRefuses, or the table.
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
func mutantsOfRow(r *Rule) []mutant {
	var out []mutant
	add := func(aspect string, apply func(*Rule)) {
		out = append(out, mutant{r.Name + ": " + aspect, apply})
	}
	add("name", func(r *Rule) { r.Name += "?" })
	add("line", func(r *Rule) { r.Line++ })
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
	for timer := Timer(1); timer <= NumTimers; timer++ {
		add("starts "+timer.String(), func(r *Rule) { r.Starts ^= 1 << timer })
		add("forgets "+timer.String(), func(r *Rule) { r.Forgets ^= 1 << timer })
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

// changed is the code of an input that does one thing otherwise.
type changed struct {
	subject
	what string
}

// otherwise are the code of an input with one thing changed at a point: the rule that is decided or handled, where the memory
// goes, what is called. another has another rule for each.
func otherwise(s subject, p fsmtest.Point, another map[*Rule]*Rule) []changed {
	var out []changed
	add := func(what string, run func(p fsmtest.Point, m *Memory, h handler) (decided, handled *Rule)) {
		out = append(out, changed{subject{run, s.table}, what})
	}
	add("another rule decided", func(p fsmtest.Point, m *Memory, h handler) (decided, handled *Rule) {
		decided, handled = s.run(p, m, h)
		return another[decided], handled
	})
	add("another rule handled", func(p fsmtest.Point, m *Memory, h handler) (decided, handled *Rule) {
		decided, handled = s.run(p, m, h)
		return decided, another[handled]
	})
	move := func(what string, change func(m *Memory)) {
		add(what, func(p fsmtest.Point, m *Memory, h handler) (decided, handled *Rule) {
			decided, handled = s.run(p, m, h)
			change(m)
			r := h.(*recorder)
			for i := range r.seen {
				r.seen[i] = *m
			}
			return decided, handled
		})
	}
	move("another state", func(m *Memory) { m.State = State(other(int(m.State), len(space.States))) })
	flag := Flags(1) << (len(p.String()) % len(space.Flags))
	move("flag "+flag.String()+" changed", func(m *Memory) { m.Flags ^= flag })
	calls := func(what string, change func(calls []string) []string) {
		add(what, func(p fsmtest.Point, m *Memory, h handler) (decided, handled *Rule) {
			decided, handled = s.run(p, m, h)
			r := h.(*recorder)
			r.calls = change(r.calls)
			return decided, handled
		})
	}
	calls("one call more", func(calls []string) []string { return append(calls, "start session") })
	var probe recorder
	m := memoryAt(p)
	probe.memory = &m
	s.run(p, &m, &probe)
	for i := range probe.calls {
		calls("call left out: "+probe.calls[i], func(calls []string) []string { return slices.Delete(calls, i, i+1) })
	}
	if len(probe.calls) > 0 {
		add("the handler called too early", func(p fsmtest.Point, m *Memory, h handler) (decided, handled *Rule) {
			decided, handled = s.run(p, m, h)
			h.(*recorder).seen[0].Flags ^= flag
			return decided, handled
		})
	}
	return out
}

// other is a number below n that is not i.
func other(i, n int) int { return (i + 1) % n }
