package spec

// unguarded reports the lines of lists whose loss would change what is done and yet leave a machine that passes every check.
// In a mapping a lost branch is a gap; in a list the lines below take over in silence, unless something holds the line in
// place: an effect below that may only be done where this line does not hold, an edge that nothing else takes, a guard that
// nothing else asks.
func (k *checker) unguarded() {
	all := references{}
	for _, in := range k.m.Inputs() {
		for _, c := range in.Cases {
			if c.As == nil {
				all.count(c.Decision)
			}
		}
	}
	for _, p := range k.plans {
		here := references{}
		here.count(p.c.Decision)
		k.lines(p, p.root, here, all)
	}
}

func (k *checker) lines(p *plan, at *step, here, all references) {
	if at.rule != nil {
		return
	}
	for i := range at.arms {
		a := &at.arms[i]
		k.lines(p, a.then, here, all)
		if !at.s.Ordered || !a.matters || a.guarded || len(at.s.Arms) == 2 {
			continue
		}
		own := references{}
		own.test(a.arm.When)
		own.count(a.arm.Then)
		if own.alone(all) || k.asksAlone(p, own, here) || k.leadsAlone(a.arm.Then) {
			continue
		}
		k.say(Unguarded, a.arm.Pos, "if this line were lost, nothing would notice: say of an effect below it that it is done `only` where this line does not hold, or branch in a mapping")
	}
}

// asksAlone reports whether a line is the only one of its decision to ask what an effect elsewhere in it must know.
func (k *checker) asksAlone(p *plan, own, here references) bool {
	found := false
	walk(p.c.Decision, func(rule *Rule) {
		for _, d := range rule.Effects() {
			if d.Effect.Only == nil || own[rule] > 0 {
				continue
			}
			for _, t := range d.Effect.Only.Tests {
				if x := t.asks(); own[x] > 0 && own[x] == here[x] {
					found = true
				}
			}
		}
	}, nil)
	return found
}

// leadsAlone reports whether rules of a line are the only ones to take an edge that must be taken, or to enter or leave a state.
func (k *checker) leadsAlone(d Decision) bool {
	own := map[*Rule]bool{}
	walk(d, func(rule *Rule) { own[rule] = true }, nil)
	enters, leaves := map[*State]bool{}, map[*State]bool{} // by others
	var legs []leg
	for l, rules := range k.taken {
		others := false
		for _, r := range rules {
			others = others || !own[r]
		}
		if others {
			enters[l.to], leaves[l.from] = true, true
		} else {
			legs = append(legs, l)
		}
	}
	for _, l := range legs {
		if e := k.edgeOf[l]; e != nil && !e.Any || !leaves[l.from] || !enters[l.to] && l.to != k.m.Initial {
			return true
		}
	}
	return false
}

// references counts how often guards, flags, effects and results stand in decisions. Rules count themselves.
type references map[any]int

func (r references) count(d Decision) {
	walk(d, func(rule *Rule) {
		r[rule]++
		if rule.Result != nil && rule.Result.Group != nil {
			r[rule.Result]++
		}
		for _, d := range rule.Effects() {
			r[d.Effect]++
		}
	}, r.test)
}

func (r references) test(c *Condition) {
	if c == nil {
		return
	}
	for _, t := range c.Tests {
		r[t.asks()]++
	}
}

// alone reports whether something counted here stands nowhere else, so that without it a declaration would be unused.
func (r references) alone(all references) bool {
	for x, n := range r {
		if _, rule := x.(*Rule); !rule && all[x] == n {
			return true
		}
	}
	return false
}

// asks is what a test needs to know: a flag, a guard, or the question that the guard is an answer of.
func (t Test) asks() any {
	switch {
	case t.Flag != nil:
		return t.Flag
	case t.Guard.Question != nil:
		return t.Guard.Question
	}
	return t.Guard
}
