package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// rulesFile declares Rule, and what is known of all rules.
func (p *plan) rulesFile() *jen.File {
	f := p.file()
	f.Const().Id("_").Op("=").Qual(fsmPath, "GeneratedCodeOfShape2_RunGoGenerate")
	f.Line()
	comment(f, "All files of this package are made at once; one that was not does not find this constant.")
	f.Const().Id(p.generation()).Op("=").True()
	f.Line()
	comment(f, "The specification that this package was generated from.")
	f.Const().Defs(
		jen.Id("File").Op("=").Lit(p.File),
		jen.Id("Sum").Op("=").Lit(p.Sum).Comment("SHA-256"),
	)
	f.Line()
	fields := []jen.Code{
		jen.Id("Name").String().Comment("the way to it: the input, the code, the conditions"),
		jen.Id("Why").String().Comment("the reason that the specification gives, or \"\""),
		jen.Id("Deviates").String().Comment("how and why it differs from the original, or \"\""),
		jen.Id("Line").Int().Comment("in File"),
		jen.Id("Input").Id("Input"),
		jen.Id("From").Index().Id("State").Comment("the states in which it decides; nil: every state"),
		jen.Id("To").Index().Id("State").Comment("the way through states, the last of which is the next; empty: the state stays"),
		jen.Id("Do").Index().Id("Do").Comment("the rule's own effects, then those of its result"),
	}
	if len(p.Flags) > 0 {
		fields = append(fields, jen.Id("Sets").Id("Flags"), jen.Id("Clears").Id("Flags"))
	}
	if len(p.Timers) > 0 {
		fields = append(fields, jen.Id("Starts").Id("Timers"), jen.Id("Forgets").Id("Timers"))
	}
	fields = append(fields, jen.Id("Result").Id("Result"))
	comment(f, "Rule is a row of the specification: what is finally done. Rules are compared by address, never copied and never changed.")
	f.Type().Id("Rule").Struct(fields...)
	f.Line()
	comment(f, "Do is an effect of a rule, with its text where it takes one.")
	f.Type().Id("Do").Struct(jen.Id("Effect").Id("Effect"), jen.Id("Text").Qual(fsmPath, "Text"))
	f.Line()
	comment(f, "Next is the state after s.")
	f.Func().Params(jen.Id("r").Op("*").Id("Rule")).Id("Next").Params(jen.Id("s").Id("State")).Id("State").Block(
		jen.If(jen.Id("n").Op(":=").Len(jen.Id("r").Dot("To")), jen.Id("n").Op(">").Lit(0)).Block(
			jen.Return(jen.Id("r").Dot("To").Index(jen.Id("n").Op("-").Lit(1)))),
		jen.Return(jen.Id("s")))
	f.Line()
	comment(f, fmt.Sprintf("At is where the rule stands: %q.", p.at(spec.Pos{Line: 1})))
	f.Func().Params(jen.Id("r").Op("*").Id("Rule")).Id("At").Params().String().Add(brief(
		jen.Return(jen.Id("File").Op("+").Lit(":").Op("+").Qual("strconv", "Itoa").Call(jen.Id("r").Dot("Line")))))
	f.Line()
	comment(f, "String is the rule's name.")
	f.Func().Params(jen.Id("r").Op("*").Id("Rule")).Id("String").Params().String().Add(brief(jen.Return(jen.Id("r").Dot("Name"))))
	f.Line()
	comment(f, "decidesIn reports whether there is an answer to the guards for which the rule is the one in state s.")
	f.Func().Params(jen.Id("r").Op("*").Id("Rule")).Id("decidesIn").Params(jen.Id("s").Id("State")).Bool().Block(
		jen.Return(jen.Id("r").Dot("From").Op("==").Nil().Op("||").Qual("slices", "Contains").Call(jen.Id("r").Dot("From"), jen.Id("s"))))
	f.Line()
	var tables []jen.Code
	for _, in := range p.inputs {
		tables = append(tables, jen.Id(in.table).Index(jen.Op(":")))
	}
	comment(f, "Rules are all rules, in the order of the specification. The slice is the caller's.")
	f.Func().Id("Rules").Params().Index().Op("*").Id("Rule").Block(
		jen.Var().Id("all").Index().Op("*").Id("Rule"),
		jen.For(jen.List(jen.Id("_"), jen.Id("table")).Op(":=").Range().Index().Index().Id("Rule").Add(lines(tables...))).Block(
			jen.For(jen.Id("i").Op(":=").Range().Id("table")).Block(
				jen.Id("all").Op("=").Append(jen.Id("all"), jen.Op("&").Id("table").Index(jen.Id("i"))))),
		jen.Return(jen.Id("all")))
	return f
}

// ruleRows is the table of an input's rules, one row each in the order of the text.
func (p *plan) ruleRows(in *inputPlan) *jen.Statement {
	var rows []jen.Code
	for i, r := range in.rules {
		rows = append(rows, jen.Lit(i).Op(":").Add(p.ruleRow(in, r)))
	}
	return jen.Var().Id(in.table).Op("=").Index(jen.Op("...")).Id("Rule").Add(lines(rows...))
}

func (p *plan) ruleRow(in *inputPlan, r *spec.Rule) *jen.Statement {
	row := []jen.Code{keyed("Name", jen.Lit(r.Name))}
	if r.Why != "" {
		row = append(row, keyed("Why", jen.Lit(r.Why)))
	}
	if r.Deviates != "" {
		row = append(row, keyed("Deviates", jen.Lit(r.Deviates)))
	}
	row = append(row, keyed("Line", jen.Lit(r.Pos.Line)), keyed("Input", jen.Id("Input"+in.name)))
	if from := p.from[r]; len(from) < len(p.States) {
		row = append(row, keyed("From", p.stateList(from)))
	}
	if len(r.To) > 0 {
		row = append(row, keyed("To", p.stateList(r.To)))
	}
	var does []jen.Code
	for _, do := range r.Effects() {
		d := []jen.Code{keyed("Effect", jen.Id("Effect"+p.effectNames[do.Effect]))}
		if do.Text != "" {
			d = append(d, keyed("Text", jen.Lit(do.Text)))
		}
		does = append(does, list(d...))
	}
	switch {
	case len(does) == 1:
		row = append(row, keyed("Do", jen.Index().Id("Do").Add(list(does...))))
	case len(does) > 1:
		row = append(row, keyed("Do", jen.Index().Id("Do").Add(lines(does...))))
	}
	sum := p.sumOf(r)
	flags := func(field string, flags []*spec.Flag) {
		if len(flags) > 0 {
			row = append(row, keyed(field, or(namesIn(flags, func(f *spec.Flag) string { return p.flagNames[f] }))))
		}
	}
	flags("Sets", sum.sets)
	flags("Clears", sum.clears)
	timers := func(field string, timers []*spec.Timer) {
		if len(timers) > 0 {
			row = append(row, keyed(field, p.timerSet(timers)))
		}
	}
	timers("Starts", sum.starts)
	timers("Forgets", sum.forgets)
	if r.Result != nil {
		row = append(row, keyed("Result", jen.Id(p.resultNames[r.Result])))
	}
	return jen.Custom(jen.Options{Open: "{ // " + p.at(r.Pos), Close: "}", Separator: ",", Multi: true}, row...)
}

func (p *plan) stateList(states []*spec.State) *jen.Statement {
	return jen.Index().Id("State").Add(list(ids(namesIn(states, func(s *spec.State) string { return p.stateNames[s] }))...))
}

func ids(names []string) []jen.Code {
	var out []jen.Code
	for _, n := range names {
		out = append(out, jen.Id(n))
	}
	return out
}
