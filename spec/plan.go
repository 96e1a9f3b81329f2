package spec

import "slices"

// Bounds of the enumeration. Every cell is looked at here, tested in what is generated and read by a person in a table.
const (
	maxQuestions = 16      // in one decision
	maxCells     = 1 << 20 // in one machine
	maxSteps     = 1 << 26 // cells times arms, in one machine
)

// plan is the decision of one case, prepared so that all its cells can be looked at quickly: the answers to everything that
// is asked are the bits of one number.
type plan struct {
	in     *Input
	c      *Case
	asked  []Test
	bit    map[string]int
	root   *step
	states int
	arms   int
}

// step is a Switch or, with rule, the end.
type step struct {
	s       *Switch
	arms    []path
	rule    *Rule
	decided []bool // by State.Index: the rule has been looked at in this state
	bound   []bound
	known   bool // whether bound is filled in
}

// bound is an effect of a rule that may be carried out only where its condition holds.
type bound struct {
	do    Do
	needs needs
}

// seen reports whether the rule was looked at in a state, and notes that it is now.
func (s *step) seen(state, states int) bool {
	if s.decided == nil {
		s.decided = make([]bool, states)
	}
	before := s.decided[state]
	s.decided[state] = true
	return before
}

// only lists the effects of the rule that are bound to a condition.
func (s *step) only(p *plan) []bound {
	if !s.known {
		s.known = true
		for _, d := range s.rule.Effects() {
			if d.Effect.Only != nil {
				s.bound = append(s.bound, bound{d, p.needs(d.Effect.Only)})
			}
		}
	}
	return s.bound
}

// path is an Arm of a step.
type path struct {
	arm   *Arm
	index int
	needs needs
	then  *step

	chosen  bool
	both    bool  // held beside another arm of a mapping, which is reported
	hidden  *path // that was chosen instead where this one would have held too
	matters bool  // without this line of a list something else would be done
	guarded bool  // and that would be noticed
}

// needs is a Condition over the bits of a plan.
type needs struct {
	mask, want uint64
	states     []bool // by State.Index; nil: every state
	unasked    *Test  // something that the decision does not ask, so that nobody can know the answer
}

func (n needs) hold(state int, values uint64) bool {
	return values&n.mask == n.want && (n.states == nil || n.states[state])
}

// newPlan prepares a case. It returns nil where more is asked than can be enumerated.
func newPlan(m *Machine, in *Input, c *Case) *plan {
	p := &plan{in: in, c: c, asked: Asked(c.Decision), bit: map[string]int{}, states: len(m.States)}
	questions := 0
	for _, t := range p.asked {
		if t.Guard == nil || t.Guard.Question == nil {
			p.bit[t.Name()] = len(p.bit)
			questions++
		} else if _, done := p.bit[t.Name()]; !done {
			for _, a := range t.Guard.Question.Answers {
				p.bit[a.Name] = len(p.bit)
			}
			questions++
		}
	}
	if questions > maxQuestions || len(p.bit) > 64 {
		return nil
	}
	p.root = p.prepare(c.Decision)
	return p
}

func (p *plan) prepare(d Decision) *step {
	s, ok := d.(*Switch)
	if !ok {
		return &step{rule: d.(*Rule)}
	}
	out := &step{s: s}
	p.arms += len(s.Arms)
	for i := range s.Arms {
		a := &s.Arms[i]
		out.arms = append(out.arms, path{arm: a, index: i, needs: p.needs(a.When), then: p.prepare(a.Then)})
	}
	return out
}

// needs puts a condition into bits; of nil (else) everything holds.
func (p *plan) needs(c *Condition) needs {
	var n needs
	if c == nil {
		return n
	}
	for i, t := range c.Tests {
		bit, ok := p.bit[t.Name()]
		if !ok {
			n.unasked = &c.Tests[i]
			continue
		}
		n.mask |= 1 << bit
		if t.Want {
			n.want |= 1 << bit
		}
	}
	if c.States != nil {
		n.states = make([]bool, p.states)
		for _, s := range c.States {
			n.states[s.Index] = true
		}
	}
	return n
}

// codes are those that must be told apart: one of each property that the decision asks for. For loops and events it is one
// nil.
func (p *plan) codes() []*Code {
	if p.in.Kind != Response {
		return []*Code{nil}
	}
	asksCode := slices.ContainsFunc(p.asked, func(t Test) bool { return t.Guard != nil && slices.Contains(t.Guard.Scope, "code") })
	var out []*Code
	for _, same := range p.in.Cases {
		if same != p.c && same.As != p.c {
			continue
		}
		for _, c := range same.Codes {
			if len(out) == 0 || asksCode && len(out) == 1 && out[0].Retriable != c.Retriable {
				out = append(out, c)
			}
		}
	}
	return out
}

// answers are all sensible values of what is asked, the first question varying slowest.
func (p *plan) answers(code *Code) []uint64 {
	out := []uint64{0}
	done := map[*Question]bool{}
	for _, t := range p.asked {
		bit := uint64(1) << p.bit[t.Name()]
		choices := []uint64{0, bit}
		switch {
		case t.Guard != nil && t.Guard.Question != nil:
			q := t.Guard.Question
			if done[q] {
				continue
			}
			done[q] = true
			choices = choices[:0]
			for _, a := range q.Answers {
				choices = append(choices, 1<<p.bit[a.Name])
			}
		case t.Guard != nil && code != nil && slices.Contains(t.Guard.Scope, "code"):
			if choices = choices[:1]; code.Property(t.Name()) {
				choices[0] = bit
			}
		}
		next := make([]uint64, 0, len(out)*len(choices))
		for _, base := range out {
			for _, c := range choices {
				next = append(next, base|c)
			}
		}
		out = next
	}
	return out
}

// holding finds the arms that hold: of a list the first, of a mapping all, and its else only where no other does.
// It writes into buf to be quick.
func (s *step) holding(state int, values uint64, buf []*path) []*path {
	if s.s.Ordered {
		if a := s.next(0, state, values); a != nil {
			buf = append(buf, a)
		}
		return buf
	}
	var rest *path
	for i := range s.arms {
		a := &s.arms[i]
		if a.arm.When == nil {
			rest = a
		} else if a.needs.hold(state, values) {
			buf = append(buf, a)
		}
	}
	if len(buf) == 0 && rest != nil {
		buf = append(buf, rest)
	}
	return buf
}

// next is the first line of a list, from index on, that holds; nil where none does.
func (s *step) next(index, state int, values uint64) *path {
	for i := index; i < len(s.arms); i++ {
		if s.arms[i].needs.hold(state, values) {
			return &s.arms[i]
		}
	}
	return nil
}

// decide follows the arms down to the rule; nil where nothing decides.
func (s *step) decide(state int, values uint64, buf []*path) *step {
	for s.rule == nil {
		arms := s.holding(state, values, buf[:0])
		if len(arms) == 0 {
			return nil
		}
		s = arms[0].then
	}
	return s
}

// size is the number of cells, as Machine.Cells counts them.
func (p *plan) size() int {
	n := p.states
	done := map[*Question]bool{}
	for _, t := range p.asked {
		choices := 2
		if t.Guard != nil && t.Guard.Question != nil {
			if done[t.Guard.Question] {
				continue
			}
			done[t.Guard.Question] = true
			choices = len(t.Guard.Question.Answers)
		} else if t.Guard != nil && p.in.Kind == Response && slices.Contains(t.Guard.Scope, "code") {
			choices = 1
		}
		if n *= choices; n > maxCells {
			return n
		}
	}
	if p.in.Kind == Response {
		codes := 0
		for _, c := range p.in.Cases {
			if c == p.c || c.As == p.c {
				codes += len(c.Codes)
			}
		}
		n *= codes
	}
	return n
}
