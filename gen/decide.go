package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// decisionsFile declares, for each of some inputs, its rules, what they ask and do, and the functions that decide and handle.
func (p *plan) decisionsFile(inputs []*inputPlan) *jen.File {
	f := p.guarded()
	for i, in := range inputs {
		if i > 0 {
			f.Line()
		}
		p.guards(f, in)
		p.handler(f, in)
		p.decide(f, in)
		p.handle(f, in)
		f.Add(p.ruleRows(in))
	}
	return f
}

// guards declares the struct of what the rules ask besides flags.
func (p *plan) guards(f *jen.File, in *inputPlan) {
	p.guardsStruct(f, in.name+"Guards", fmt.Sprintf("%sGuards are what the rules of %s ask.", in.name, in.text()), in.asked)
}

// guardsStruct declares a struct of guards and questions, if there are any.
func (p *plan) guardsStruct(f *jen.File, name, about string, asked []mark) {
	if len(asked) == 0 {
		return
	}
	var fields []jen.Code
	for _, a := range asked {
		field := jen.Id(p.fieldName(a))
		doc := ""
		if a.question != nil {
			field.Id(p.questionNames[a.question])
			doc = a.question.Doc
		} else {
			field.Bool()
			doc = p.guardDoc(a.guard)
		}
		if doc != "" {
			field.Comment(oneLine(doc))
		}
		fields = append(fields, field)
	}
	comment(f, about)
	f.Type().Id(name).Struct(fields...)
	f.Line()
}

// guardDoc is what a guard asks; of one that is the end of a timer, which.
func (p *plan) guardDoc(g *spec.Guard) string {
	var timers []string
	for _, t := range p.Timers {
		if t.Guard == g {
			timers = append(timers, t.Name)
		}
	}
	switch len(timers) {
	case 0:
		return g.Doc
	case 1:
		return fmt.Sprintf("the timer %s has ended", timers[0])
	default:
		return fmt.Sprintf("that of the timers %s which was started last has ended", strings.Join(timers, " and "))
	}
}

// fieldName is that of a guard or question in a struct of guards.
func (p *plan) fieldName(m mark) string {
	if m.question != nil {
		return p.questionNames[m.question]
	}
	return p.guardNames[m.guard]
}

// text names an input in prose.
func (in *inputPlan) text() string {
	switch in.Kind {
	case spec.Response:
		return "the response to " + in.Name
	case spec.Loop:
		return "a turn of the loop " + in.Name
	default:
		return "the event " + in.Name
	}
}

// decide declares the function that finds the rule.
func (p *plan) decide(f *jen.File, in *inputPlan) {
	doc := fmt.Sprintf("Decide%s finds the rule for %s (%s). It is never nil.", in.name, in.text(), p.at(in.Pos))
	if in.Kind == spec.Response {
		doc += " A code that is not in the catalogue is decided as otherwise."
	}
	comment(f, doc)
	d := decider{p, in, func(r *spec.Rule) []jen.Code { return []jen.Code{p.found(r)} }}
	f.Func().Id("Decide" + in.name).Params(in.parameters(jen.Id("m").Id("Memory"))...).Op("*").Id("Rule").Block(d.body()...)
	f.Line()
}

// found returns the rule.
func (p *plan) found(r *spec.Rule) jen.Code {
	ref := p.ruleRefs[r]
	return jen.Return(jen.Op("&").Id(ref.input.table).Index(jen.Lit(ref.index))).Comment(p.at(r.Pos))
}

// parameters are those of the functions that decide and handle, memory first.
func (in *inputPlan) parameters(memory jen.Code) []jen.Code {
	out := []jen.Code{memory}
	if in.Kind == spec.Response {
		out = append(out, jen.Id("c").Id("Code"))
	}
	if len(in.asked) > 0 {
		out = append(out, jen.Id("g").Id(in.name+"Guards"))
	}
	return out
}

// decider writes an input's decision as Go.
type decider struct {
	p    *plan
	in   *inputPlan
	leaf func(*spec.Rule) []jen.Code // what is done where a rule is found: it ends in a return
}

func (d decider) body() []jen.Code {
	if d.in.Kind == spec.Response {
		return d.byCode()
	}
	return d.statements(resolve(d.in.Cases[0].Decision, nil))
}

// byCode is a switch over the codes that have a case of their own; what follows it is otherwise. A specification begins with
// the usual answer, and so does the code: it is not searched for among the others.
func (d decider) byCode() []jen.Code {
	var first, cases, rest []jen.Code
	for i, b := range d.in.branches() {
		var codes []jen.Code
		for _, c := range b.codes {
			codes = append(codes, jen.Id(d.p.codeNames[c]))
		}
		switch {
		case b.rest:
			rest = d.statements(b.node)
		case i == 0 && len(codes) == 1 && !b.as:
			first = []jen.Code{jen.If(jen.Id("c").Op("==").Add(codes[0])).Block(d.statements(b.node)...)}
		case b.as:
			cases = append(cases, caseLabel(codes).Comment("as otherwise: "+d.p.at(b.pos)))
		case len(codes) > 0:
			cases = append(cases, caseOf(codes, d.statements(b.node)...))
		}
	}
	if len(cases) > 0 {
		first = append(first, jen.Switch(jen.Id("c")).Block(cases...))
	}
	return append(first, rest...)
}

// statements end in a return whatever holds. The last arm is what remains when no other holds: spec.Load has seen that one does.
func (d decider) statements(n *node) []jen.Code {
	if n.rule != nil {
		return d.leaf(n.rule)
	}
	last := n.arms[len(n.arms)-1].then
	first := n.arms[:len(n.arms)-1]
	switch {
	case len(first) > 1 && byState(first):
		return append([]jen.Code{jen.Switch(jen.Id("m").Dot("State")).Block(d.cases(first, d.states)...)}, d.statements(last)...)
	case len(first) > 1 && !n.ordered && byQuestion(first):
		q := first[0].when.tests[0].Guard.Question
		return append([]jen.Code{jen.Switch(jen.Id("g").Dot(d.p.questionNames[q])).Block(d.cases(first, d.answers)...)}, d.statements(last)...)
	}
	var out []jen.Code
	for _, a := range first {
		out = append(out, jen.If(d.condition(a.when)).Block(d.statements(a.then)...))
	}
	return append(out, d.statements(last)...)
}

func (d decider) cases(arms []arm, values func(*condition) []jen.Code) []jen.Code {
	var out []jen.Code
	for _, a := range arms {
		out = append(out, caseOf(values(a.when), d.statements(a.then)...))
	}
	return out
}

func (d decider) states(c *condition) []jen.Code {
	return ids(namesIn(c.states, func(s *spec.State) string { return d.p.stateNames[s] }))
}

func (d decider) answers(c *condition) []jen.Code {
	return ids([]string{d.p.guardNames[c.tests[0].Guard]})
}

// byState reports whether the arms ask for the state alone.
func byState(arms []arm) bool {
	return !slices.ContainsFunc(arms, func(a arm) bool { return len(a.when.tests) > 0 })
}

// byQuestion reports whether each arm asks for one answer of the same question, and for nothing else.
func byQuestion(arms []arm) bool {
	q := func(a arm) *spec.Question {
		if a.when.states != nil || len(a.when.tests) != 1 || a.when.tests[0].Guard == nil || !a.when.tests[0].Want {
			return nil
		}
		return a.when.tests[0].Guard.Question
	}
	return q(arms[0]) != nil && !slices.ContainsFunc(arms, func(a arm) bool { return q(a) != q(arms[0]) })
}

// condition is the Go expression of a condition.
func (d decider) condition(c *condition) *jen.Statement {
	s := &jen.Statement{}
	and := func(part jen.Code) {
		if len(*s) > 0 {
			s.Op("&&")
		}
		s.Add(part)
	}
	for _, t := range c.tests {
		and(d.test(t))
	}
	if c.states != nil {
		and(d.p.inStates(jen.Id("m").Dot("State"), c.states, len(c.tests) > 0))
	}
	return s
}

func (d decider) test(t spec.Test) jen.Code {
	not := func(s *jen.Statement) jen.Code {
		if t.Want {
			return s
		}
		return jen.Op("!").Add(s)
	}
	switch {
	case t.Flag != nil:
		return not(jen.Id("m").Dot("Flags").Dot("Has").Call(jen.Id(d.p.flagNames[t.Flag])))
	case t.Guard.Question != nil:
		op := "=="
		if !t.Want {
			op = "!="
		}
		return jen.Id("g").Dot(d.p.questionNames[t.Guard.Question]).Op(op).Id(d.p.guardNames[t.Guard])
	default:
		return not(jen.Id("g").Dot(d.p.guardNames[t.Guard]))
	}
}

// inStates is the condition that state is one of states: by a group where one has just these, by the others where they are fewer.
func (p *plan) inStates(state *jen.Statement, states []*spec.State, beside bool) jen.Code {
	var others []*spec.State
	for _, s := range p.States {
		if !slices.Contains(states, s) {
			others = append(others, s)
		}
	}
	for _, g := range p.Groups {
		if len(g.States) > 1 && same(g.States, states) {
			return jen.Add(state).Dot(p.groupNames[g]).Call()
		}
		if len(g.States) > 1 && len(others) > 1 && same(g.States, others) {
			return jen.Op("!").Add(state).Dot(p.groupNames[g]).Call()
		}
	}
	if len(others) == 0 {
		return jen.True()
	}
	if len(others) < len(states) {
		s := &jen.Statement{}
		for i, o := range others {
			if i > 0 {
				s.Op("&&")
			}
			s.Add(state).Op("!=").Id(p.stateNames[o])
		}
		return s
	}
	any := p.anyOf(state, states)
	if beside && len(states) > 1 {
		return jen.Parens(any)
	}
	return any
}

func same(a, b []*spec.State) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(s *spec.State) bool { return !slices.Contains(b, s) })
}
