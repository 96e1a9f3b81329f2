package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

const fsmtestPath = fsmPath + "/fsmtest"

// tablesFile declares, for each of some inputs, the table of its cells and the test that holds the code against it. The table
// is rendered from the enumeration of the specification, the code from its text.
func (p *plan) tablesFile(inputs []*inputPlan) *jen.File {
	f := p.testFile()
	for i, in := range inputs {
		if i > 0 {
			f.Line()
		}
		f.Func().Id("Test" + in.name).Params(testParam("T")).Block(
			jen.Id("check").Call(jen.Id("t"), jen.Id(in.subject())))
		f.Line()
		p.run(f, in)
		p.table(f, in)
	}
	return f
}

func (p *plan) testFile() *jen.File {
	f := p.guarded()
	f.ImportName(fsmtestPath, "fsmtest")
	f.ImportName("github.com/stretchr/testify/require", "require")
	return f
}

// testParam is the parameter of a test or a benchmark.
func testParam(typ string) *jen.Statement {
	return jen.Id(strings.ToLower(typ)).Op("*").Qual("testing", typ)
}

// subject is the variable of an input's table and code.
func (in *inputPlan) subject() string { return lowerFirst(in.name) + "Subject" }

// run declares how the code of the input is called at a point.
func (p *plan) run(f *jen.File, in *inputPlan) {
	decide := []jen.Code{jen.Op("*").Id("m")}
	handle := []jen.Code{jen.Id("m")}
	both := func(c jen.Code) { decide, handle = append(decide, c), append(handle, c) }
	var body []jen.Code
	if in.Kind == spec.Response {
		both(jen.Id("c"))
		body = append(body, jen.Id("c").Op(":=").Id("codeAt").Call(jen.Id("p")))
	}
	if len(in.asked) > 0 {
		both(jen.Id("g"))
		at := lowerFirst(in.name) + "GuardsAt"
		p.guardsAt(f, at, in.name+"Guards", in.asked)
		body = append(body, jen.Id("g").Op(":=").Id(at).Call(jen.Id("p")))
	}
	if len(in.effects) > 0 {
		handle = append(handle, jen.Id("h"))
	}
	body = append(body, jen.Return(jen.Id("Decide"+in.name).Call(decide...), jen.Id("Handle"+in.name).Call(handle...)))
	f.Func().Id("run"+in.name).Params(runParams()...).Params(jen.Id("decided"), jen.Id("handled").Op("*").Id("Rule")).Block(body...)
	f.Line()
}

// guardsAt declares how a point of a table becomes a struct of guards.
func (p *plan) guardsAt(f *jen.File, name, typ string, asked []mark) {
	if len(asked) == 0 {
		return
	}
	var fields []jen.Code
	for _, m := range asked {
		value := jen.Id("p").Dot("Is").Call(jen.Lit(m.name()))
		if m.question != nil {
			value = jen.Id(p.questionNames[m.question]).Call(jen.Lit(1).Op("+").Id("p").Dot("Answer").Call(jen.Lit(m.question.Name)))
		}
		fields = append(fields, keyed(p.fieldName(m), value))
	}
	literal := list(fields...)
	if len(fields) > 2 {
		literal = lines(fields...)
	}
	f.Func().Id(name).Params(jen.Id("p").Qual(fsmtestPath, "Point")).Id(typ).Block(jen.Return(jen.Id(typ).Add(literal)))
	f.Line()
}

// table declares the table of an input.
func (p *plan) table(f *jen.File, in *inputPlan) {
	fields := []jen.Code{keyed("Input", jen.Lit(in.Name)), keyed("Kind", jen.Lit(kindWord(in.Kind)))}
	fields = append(fields, asks(in.marks)...)
	cells := p.cellLines(in)
	var rules []jen.Code
	for _, r := range in.rules {
		rules = append(rules, p.tableRule(r, cells[r]))
	}
	fields = append(fields, keyed("Rules", jen.Index().Qual(fsmtestPath, "Rule").Add(lines(rules...))))
	f.Var().Id(in.subject()).Op("=").Id("subject").Add(list(
		keyed("run", jen.Id("run"+in.name)),
		keyed("table", jen.Op("&").Qual(fsmtestPath, "Table").Add(lines(fields...)))))
}

// asks is the field of a table that lists what is asked; nothing where nothing is.
func asks(marks []mark) []jen.Code {
	var out []jen.Code
	for _, m := range marks {
		ask := []jen.Code{keyed("Name", jen.Lit(m.name()))}
		if m.question != nil {
			ask = append(ask, keyed("Answers", stringList(namesIn(m.question.Answers, func(g *spec.Guard) string { return g.Name }))))
		}
		out = append(out, list(ask...))
	}
	if out == nil {
		return nil
	}
	return []jen.Code{keyed("Asks", jen.Index().Qual(fsmtestPath, "Ask").Add(lines(out...)))}
}

func (p *plan) tableRule(r *spec.Rule, cells []string) *jen.Statement {
	var does []string
	for _, do := range r.Effects() {
		text := do.Effect.Name
		if do.Text != "" {
			text += ": " + do.Text
		}
		does = append(does, text)
	}
	fields := []jen.Code{keyed("Name", jen.Lit(r.Name)), keyed("Line", jen.Lit(r.Pos.Line)), keyed("Cells", stringList(cells))}
	add := func(field string, names []string) {
		if len(names) > 0 {
			fields = append(fields, keyed(field, stringList(names)))
		}
	}
	add("To", namesIn(r.To, func(s *spec.State) string { return s.Name }))
	add("Do", does)
	set := func(field string, names []string) {
		if len(names) > 0 {
			fields = append(fields, keyed(field, jen.Lit(strings.Join(names, "|"))))
		}
	}
	s := p.sumOf(r)
	flag := func(f *spec.Flag) string { return f.Name }
	timer := func(t *spec.Timer) string { return t.Name }
	set("Sets", namesIn(s.sets, flag))
	set("Clears", namesIn(s.clears, flag))
	set("Starts", namesIn(s.starts, timer))
	set("Forgets", namesIn(s.forgets, timer))
	if r.Result != nil {
		fields = append(fields, keyed("Result", jen.Lit(resultText(r.Result))))
	}
	return lines(fields...)
}

// stringList is a list of texts, one a line where they are many or long.
func stringList(items []string) *jen.Statement {
	var lits []jen.Code
	for _, s := range items {
		lits = append(lits, jen.Lit(s))
	}
	if width := len(strings.Join(items, ", ")); len(items) > 1 && width > 80 {
		return jen.Index().String().Add(lines(lits...))
	}
	return jen.Index().String().Add(list(lits...))
}

// cellLines are the lines of each rule, as package fsmtest reads them.
func (p *plan) cellLines(in *inputPlan) map[*spec.Rule][]string {
	out := map[*spec.Rule][]string{}
	for _, b := range p.blocks(in, func(r *spec.Rule) *spec.Rule { return r }) {
		for _, c := range b.cubes {
			tail := fmt.Sprintf("%s | %s", p.stateText(c.states), c.marks)
			if in.Kind != spec.Response {
				out[c.rule] = append(out[c.rule], tail)
				continue
			}
			if b.rest {
				out[c.rule] = append(out[c.rule], "otherwise | "+tail)
				continue
			}
			for _, codes := range wrap(namesIn(b.codes, func(c *spec.Code) string { return c.Name }), 110-len(tail)) {
				out[c.rule] = append(out[c.rule], codes+" | "+tail)
			}
		}
	}
	return out
}

// stateText names states as package fsmtest reads them: all, these, or all but these, whichever is shortest.
func (p *plan) stateText(states []*spec.State) string {
	name := func(s *spec.State) string { return s.Name }
	others := slices.DeleteFunc(slices.Clone(p.States), func(s *spec.State) bool { return slices.Contains(states, s) })
	switch {
	case len(others) == 0:
		return "*"
	case len(others) < len(states):
		return "not " + strings.Join(namesIn(others, name), " ")
	default:
		return strings.Join(namesIn(states, name), " ")
	}
}

// wrap joins words by blanks into lines of about this width.
func wrap(words []string, width int) []string {
	var out []string
	for _, w := range words {
		if n := len(out); n > 0 && len(out[n-1])+1+len(w) <= width {
			out[n-1] += " " + w
		} else {
			out = append(out, w)
		}
	}
	return out
}
