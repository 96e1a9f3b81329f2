package gen

import "github.com/dave/jennifer/jen"

// rows declares the test of what rules say of themselves.
func (p *plan) rows(f *jen.File) {
	r := func(field string) *jen.Statement { return jen.Id("r").Dot(field) }
	fields := []jen.Code{keyed("Name", r("Name")), keyed("Line", r("Line"))}
	sets := []string{}
	if len(p.Flags) > 0 {
		sets = append(sets, "Sets", "Clears")
	}
	if len(p.Timers) > 0 {
		sets = append(sets, "Starts", "Forgets")
	}
	for _, s := range append(sets, "Result") {
		fields = append(fields, keyed(s, r(s).Dot("String").Call()))
	}
	comment(f, "described is what a rule says of itself, in words.")
	f.Func().Id("described").Params(jen.Id("r").Op("*").Id("Rule")).Qual(fsmtestPath, "Rule").Block(
		jen.Id("d").Op(":=").Qual(fsmtestPath, "Rule").Add(lines(fields...)),
		jen.For(jen.List(jen.Id("_"), jen.Id("s")).Op(":=").Range().Add(r("To"))).Block(
			jen.Id("d").Dot("To").Op("=").Append(jen.Id("d").Dot("To"), jen.Id("s").Dot("String").Call())),
		jen.For(jen.List(jen.Id("_"), jen.Id("do")).Op(":=").Range().Add(r("Do"))).Block(
			jen.Id("text").Op(":=").Id("do").Dot("Effect").Dot("String").Call(),
			jen.If(jen.Id("do").Dot("Text").Op("!=").Lit("")).Block(jen.Id("text").Op("+=").Lit(": ").Op("+").String().Call(jen.Id("do").Dot("Text"))),
			jen.Id("d").Dot("Do").Op("=").Append(jen.Id("d").Dot("Do"), jen.Id("text"))),
		jen.Return(jen.Id("d")))
	f.Line()
	comment(f, "each calls f with each rule and what the tables say of it: the subject, and the rule's number in its table.")
	f.Func().Id("each").Params(testParam("T"), jen.Id("f").Func().Params(jen.Id("s").Id("subject"), jen.Id("i").Int(), jen.Id("r").Op("*").Id("Rule"))).Block(
		jen.Id("rules").Op(":=").Id("Rules").Call(),
		jen.For(jen.List(jen.Id("_"), jen.Id("s")).Op(":=").Range().Id("subjects")).Block(
			jen.For(jen.Id("i").Op(":=").Range().Id("s").Dot("table").Dot("Rules")).Block(
				must("NotEmpty", jen.Id("rules"), jen.Lit("rules are missing")),
				jen.Id("f").Call(jen.Id("s"), jen.Id("i"), jen.Id("rules").Index(jen.Lit(0))),
				jen.Id("rules").Op("=").Id("rules").Index(jen.Lit(1), jen.Empty()))),
		must("Empty", jen.Id("rules"), jen.Lit("rules that no table has")))
	f.Line()
	f.Func().Id("TestRules").Params(testParam("T")).Block(eachRule(
		must("Empty", jen.Qual(fsmtestPath, "CompareRow").Call(jen.Id("s").Dot("table").Dot("Rules").Index(jen.Id("i")), jen.Id("described").Call(jen.Id("r")))),
		must("Equal", jen.Id("s").Dot("table").Dot("Input"), r("Input").Dot("String").Call(), jen.Id("r")),
		must("Equal", jen.Id("s").Dot("table").Dot("Kind"), r("Input").Dot("Kind").Call().Dot("String").Call(), jen.Id("r")),
		must("Equal", jen.Qual("fmt", "Sprintf").Call(jen.Lit(p.File+":%d"), r("Line")), r("At").Call(), jen.Id("r")),
		must("Equal", r("Name"), r("String").Call()),
	))
	f.Line()
}

// refusals declares the test that the machine takes each rule in the states in which it decides, and in no other.
func (p *plan) refusals(f *jen.File) {
	machine := func(method string, args ...jen.Code) *jen.Statement {
		return jen.Id("machine").Dot(method).Call(args...)
	}
	wrong := func(format string) jen.Code {
		return jen.Id("out").Op("=").Append(jen.Id("out"), jen.Qual("fmt", "Sprintf").Call(jen.Lit("%s in %s: "+format), jen.Id("r"), jen.Id("at")))
	}
	beyond := jen.Id("State").Call(jen.Len(jen.Id("space").Dot("States")))
	comment(f, "misplaced lists the states in which the machine takes the rule and should not, or the other way round.")
	f.Func().Id("misplaced").Params(jen.Id("machine").Op("*").Id("Machine"), jen.Id("r").Op("*").Id("Rule"), jen.Id("from").Index().String()).Params(jen.Id("out").Index().String()).Block(
		jen.For(jen.Id("at").Op(":=").Range().Add(beyond.Clone())).Block(
			jen.If(jen.Err().Op(":=").Add(machine("Reset", jen.Id("at"))), jen.Err().Op("!=").Nil()).Block(
				jen.Return(jen.Index().String().Values(jen.Err().Dot("Error").Call()))),
			jen.Id("can").Op(":=").Qual("slices", "Contains").Call(jen.Id("from"), jen.Id("at").Dot("String").Call()),
			jen.If(machine("Can", jen.Id("r")).Op("!=").Id("can")).Block(wrong("Can is wrong")),
			jen.If(jen.Qual("slices", "Contains").Call(machine("Available"), jen.Id("r")).Op("!=").Id("can")).Block(wrong("Available is wrong")),
			jen.Var().Id("illegal").Op("*").Qual(fsmPath, "IllegalEventError"),
			jen.If(jen.Qual("errors", "As").Call(machine("Fire", jen.Id("r")), jen.Op("&").Id("illegal")).Op("==").Id("can")).Block(wrong("Fire is wrong")),
			jen.If(jen.Op("!").Id("can").Op("&&").Add(machine("State")).Op("!=").Id("at")).Block(wrong("it moved")),
		),
		jen.Return(jen.Id("out")))
	f.Line()
	f.Func().Id("TestMachineRefuses").Params(testParam("T")).Block(
		jen.Id("machine").Op(":=").Id("newMachine").Call(jen.Id("t")),
		eachRule(
			jen.List(jen.Id("from"), jen.Err()).Op(":=").Id("space").Dot("StatesOf").Call(jen.Id("s").Dot("table"), jen.Id("i")),
			must("NoError", jen.Err()),
			must("Empty", jen.Id("misplaced").Call(jen.Id("machine"), jen.Id("r"), jen.Id("from")))),
		must("ErrorIs", machine("Reset", beyond.Clone()), jen.Qual(fsmPath, "ErrUnknownState")))
	f.Line()
}

// eachRule goes through all rules.
func eachRule(body ...jen.Code) *jen.Statement {
	return jen.Id("each").Call(jen.Id("t"), jen.Func().Params(jen.Id("s").Id("subject"), jen.Id("i").Int(), jen.Id("r").Op("*").Id("Rule")).Block(body...))
}

// must is an assertion of testify.
func must(name string, args ...jen.Code) *jen.Statement {
	return jen.Qual(requirePath, name).Call(append([]jen.Code{jen.Id("t")}, args...)...)
}
