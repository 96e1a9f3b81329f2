package spec

import "slices"

// usage is what rules ask, give and do.
type usage struct {
	guards  map[*Guard]bool
	flags   map[*Flag]bool
	effects map[*Effect]bool
	results map[*Result]bool
}

// unused reports what is declared and never needed. What a rule does that never decides does not count; that rule is reported.
func (k *checker) unused() {
	u := k.usage()
	for _, g := range k.m.Guards {
		if !u.guards[g] && !k.lost.conditions {
			k.idle(Unused, g.Name, g.Pos, "guard %s is never asked", g.Name)
		}
	}
	for _, f := range k.m.Flags {
		k.unusedFlag(u, f)
	}
	for _, e := range k.m.Effects {
		if !u.effects[e] && !k.lost.effects {
			k.idle(Unused, e.Name, e.Pos, "effect %s is never carried out", e.Name)
		}
	}
	raised := map[string]bool{}
	for _, g := range k.m.Results {
		for _, x := range g.Results {
			if raised[x.Error] = true; !u.results[x] && !k.lost.results {
				k.idle(Unused, x.Name, x.Pos, "result %s of %s is never given", x.Name, g.Name)
			}
		}
	}
	for _, e := range k.m.Errors {
		if !raised[e.Name] {
			k.idle(Unused, e.Name, e.Pos, "error %s is never raised", e.Name)
		}
	}
	for _, g := range k.m.Groups {
		if !k.groupsUsed[g] && !k.lost.conditions {
			k.idle(Unused, g.Name, g.Pos, "group %s is never used", g.Name)
		}
	}
	for _, i := range k.m.Identity {
		if !k.someEffect(func(e *Effect) bool { return slices.Contains(e.Drops, i) }) {
			k.idle(Unused, i.Name, i.Pos, "identity %s is never dropped: no effect `drops` it", i.Name)
		}
		if !k.someEffect(func(e *Effect) bool { return slices.Contains(e.Takes, i) }) {
			k.idle(Unused, i.Name, i.Pos, "identity %s is never given: no effect `takes` it", i.Name)
		}
	}
	for _, t := range k.m.Timers {
		k.unusedTimer(t)
	}
}

func (k *checker) idle(id ID, name string, pos Pos, format string, args ...any) {
	if !k.meant[name] {
		k.say(id, pos, format, args...)
	}
}

func (k *checker) someEffect(is func(*Effect) bool) bool { return slices.ContainsFunc(k.m.Effects, is) }

func (k *checker) unusedFlag(u *usage, f *Flag) {
	if !u.flags[f] && !k.lost.conditions {
		k.idle(Unused, f.Name, f.Pos, "flag %s is never read", f.Name)
	}
	if !f.Initial && !k.someEffect(func(e *Effect) bool { return slices.Contains(e.Sets, f) }) {
		k.idle(Unused, f.Name, f.Pos, "flag %s is never set: no effect `sets` it", f.Name)
	}
	if !k.someEffect(func(e *Effect) bool { return slices.Contains(e.Clears, f) }) {
		k.idle(Unused, f.Name, f.Pos, "flag %s is never cleared: no effect `clears` it", f.Name)
	}
}

func (k *checker) unusedTimer(t *Timer) {
	if !k.someEffect(func(e *Effect) bool { return slices.Contains(e.Starts, t) }) {
		k.idle(Unused, t.Name, t.Pos, "timer %s is never started: no effect `starts` it", t.Name)
	}
	forgotten := k.someEffect(func(e *Effect) bool { return slices.Contains(e.Forgets, t) })
	if t.Most > 0 && !forgotten {
		k.idle(Unused, t.Name, t.Pos, "timer %s grows with each attempt, and no effect `forgets` them: it would never be short again", t.Name)
	}
	if t.Most == 0 && forgotten {
		k.idle(Unused, t.Name, t.Pos, "timer %s has attempts that are forgotten, and does not grow: `most` is missing", t.Name)
	}
}

func (k *checker) usage() *usage {
	u := &usage{map[*Guard]bool{}, map[*Flag]bool{}, map[*Effect]bool{}, map[*Result]bool{}}
	for _, q := range k.m.Requests {
		for _, c := range q.When {
			u.asks(c)
		}
	}
	for _, in := range k.m.Inputs() {
		for _, c := range in.Cases {
			walk(c.Decision, func(rule *Rule) {
				u.results[rule.Result] = true
				for _, d := range rule.Effects() {
					u.effects[d.Effect] = true
				}
			}, u.asks)
		}
	}
	return u
}

// asks notes what a condition asks; with one answer of a question all are.
func (u *usage) asks(c *Condition) {
	for _, t := range c.Tests {
		u.flags[t.Flag] = true
		if u.guards[t.Guard] = true; t.Guard != nil && t.Guard.Question != nil {
			for _, a := range t.Guard.Question.Answers {
				u.guards[a] = true
			}
		}
	}
}
