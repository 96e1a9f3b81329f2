package spec

// checker holds a resolved machine against what every machine keeps. First come the checks over all cells; they leave behind
// which rules decide and which edges are taken, from which the others conclude what is missing.
type checker struct {
	*reader
	plans   []*plan
	taken   map[leg][]*Rule // edges, with the rules that take them
	assumed map[leg]bool    // edges that may be taken by what was not understood
	decides map[*Rule]bool
	told    map[told]bool
}

// told is a finding about a rule that is made once, however many cells show it.
type told struct {
	id   ID
	rule *Rule
	what any
}

// first reports whether this finding is new.
func (k *checker) first(id ID, rule *Rule, what any) bool {
	t := told{id, rule, what}
	if k.told[t] {
		return false
	}
	k.told[t] = true
	return true
}

// check reports everything that is wrong with what was read.
func (r *reader) check() {
	k := &checker{reader: r, taken: map[leg][]*Rule{}, assumed: map[leg]bool{}, decides: map[*Rule]bool{}, told: map[told]bool{}}
	k.prepare()
	for _, p := range k.plans {
		k.cells(p)
		k.hidden(p.root)
		k.livelock(p)
	}
	k.unguarded()
	k.scopes()
	k.traffic()
	k.lifetimes()
	k.marks()
	k.unpromised()
	k.timersRun()
	k.backoffs()
	k.classes()
	k.misspelt()
	k.unused()
	k.edges()
	k.reach()
}

// prepare plans the enumeration of every case that was understood, within bounds. Of the others it is taken for granted that
// each rule does what it seems to, so that one mistake is not reported again as something missing elsewhere.
func (k *checker) prepare() {
	cells, steps := 0, 0
	for _, in := range k.m.Inputs() {
		for _, c := range in.Cases {
			if c.As != nil || c.Decision == nil {
				continue
			}
			p := k.plan(in, c, &cells, &steps)
			if p == nil {
				k.assume(c.Decision)
				continue
			}
			k.plans = append(k.plans, p)
		}
	}
}

// plan prepares one case, or reports why its cells cannot be enumerated and returns nil.
func (k *checker) plan(in *Input, c *Case, cells, steps *int) *plan {
	if k.broken[c.Decision] {
		return nil
	}
	p := newPlan(k.m, in, c)
	if p == nil {
		k.say(TooMuch, c.Pos, "%s: this decision asks more than %d questions: cut it in two", in.Name, maxQuestions)
		return nil
	}
	size := p.size()
	if *cells+size > maxCells || *steps+size*p.arms > maxSteps {
		if k.first(TooMuch, nil, nil) {
			k.say(TooMuch, c.Pos, "%s: with this decision there are more than %d cells (states, codes and answers multiplied): ask less in one decision", in.Name, maxCells)
		}
		return nil
	}
	*cells, *steps = *cells+size, *steps+size*p.arms
	return p
}

// assume counts all rules of a decision as deciding in every state.
func (k *checker) assume(d Decision) {
	walk(d, func(rule *Rule) {
		k.decides[rule] = true
		for _, from := range k.m.States {
			for _, l := range k.legs(rule, from) {
				k.assumed[l] = true
			}
		}
	}, nil)
}

// walk visits the rules and the conditions of a decision in the order of the text.
func walk(d Decision, rule func(*Rule), condition func(*Condition)) {
	switch d := d.(type) {
	case *Rule:
		if rule != nil {
			rule(d)
		}
	case *Switch:
		for _, a := range d.Arms {
			if a.When != nil && condition != nil {
				condition(a.When)
			}
			walk(a.Then, rule, condition)
		}
	}
}
