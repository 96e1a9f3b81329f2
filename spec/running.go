package spec

import "slices"

// timersRun checks that a timer runs where its end is waited for. Where the event of its end is `illegal` it does not run; so
// a rule that goes from there to a state in which the event can come must start it.
func (k *checker) timersRun() {
	for _, t := range k.m.Timers {
		if t.Event == nil || k.unclear(t.Event) {
			continue
		}
		stands := k.illegalIn(t.Event)
		for _, from := range k.m.States {
			for _, to := range k.m.States {
				if !stands[from] || stands[to] {
					continue
				}
				for _, rule := range k.taken[leg{from, to}] {
					starts := slices.ContainsFunc(rule.Effects(), func(d Do) bool { return slices.Contains(d.Effect.Starts, t) })
					if !starts && !stands[rule.end(from)] && k.first(TimerOff, rule, t) {
						k.conflict(TimerOff, rule.Pos, t.Pos, "%s goes from %s, where %s is illegal, to %s, where it can come, and does not start the timer %s",
							rule.Name, from.Name, t.Event.Name, to.Name, t.Name)
					}
				}
			}
		}
	}
}

// unclear says that not every decision of an input was understood.
func (k *checker) unclear(in *Input) bool {
	return slices.ContainsFunc(in.Cases, func(c *Case) bool { return k.broken[c.Decision] })
}

// illegalIn lists the states in which an event cannot come: whatever else is asked, the result is illegal.
func (k *checker) illegalIn(in *Input) map[*State]bool {
	out := map[*State]bool{}
	for _, s := range k.m.States {
		out[s] = true
	}
	for _, p := range k.plans {
		if p.in == in {
			p.each(p.root, func(at *step) {
				for i, yes := range at.decided {
					if yes && at.rule.Result != k.results["illegal"] {
						out[k.m.States[i]] = false
					}
				}
			})
		}
	}
	return out
}

// each visits the rules of a plan.
func (p *plan) each(at *step, visit func(*step)) {
	if at.rule != nil {
		visit(at)
	}
	for i := range at.arms {
		p.each(at.arms[i].then, visit)
	}
}
