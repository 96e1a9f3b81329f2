package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

const requirePath = "github.com/stretchr/testify/require"

// suiteFile declares what all tables share: how code is run at a point, what is seen of it, and the checks that go over all.
func (p *plan) suiteFile() *jen.File {
	f := p.testFile()
	p.space(f)
	p.subjects(f)
	p.points(f)
	p.handlers(f)
	p.observe(f)
	p.rows(f)
	p.refusals(f)
	return f
}

func (p *plan) space(f *jen.File) {
	fields := []jen.Code{keyed("States", stringList(namesIn(p.States, func(s *spec.State) string { return s.Name })))}
	if len(p.Flags) > 0 {
		fields = append(fields, keyed("Flags", stringList(namesIn(p.Flags, func(f *spec.Flag) string { return f.Name }))))
	}
	if p.Catalogue != nil {
		codes := namesIn(p.Catalogue.All(), func(c *spec.Code) string { return c.Name })
		for _, n := range p.strangers() {
			codes = append(codes, unknownCode(n))
		}
		var lits []jen.Code
		for i, c := range codes {
			lit := jen.Lit(c)
			if i > 0 && i%4 == 0 {
				lit = jen.Line().Add(lit)
			}
			lits = append(lits, lit)
		}
		fields = append(fields, keyed("Codes", jen.Index().String().Add(list(lits...))))
	}
	comment(f, "space is what the tables have in common. Its last codes are numbers that the catalogue does not know.")
	f.Var().Id("space").Op("=").Op("&").Qual(fsmtestPath, "Space").Add(lines(fields...))
	f.Line()
}

// runParams are those of a function that runs the code of an input at a point.
func runParams() []jen.Code {
	return []jen.Code{jen.Id("p").Qual(fsmtestPath, "Point"), jen.Id("m").Op("*").Id("Memory"), jen.Id("h").Id("handler")}
}

func (p *plan) subjects(f *jen.File) {
	comment(f, "subject is the code of an input, and the table that it is held against.")
	f.Type().Id("subject").Struct(
		jen.Id("run").Func().Params(runParams()...).Params(jen.Id("decided"), jen.Id("handled").Op("*").Id("Rule")),
		jen.Id("table").Op("*").Qual(fsmtestPath, "Table"),
	)
	f.Line()
	var all []jen.Code
	for _, in := range p.inputs {
		all = append(all, jen.Id(in.subject()))
	}
	comment(f, "subjects are all inputs, in the order of the specification.")
	f.Var().Id("subjects").Op("=").Index().Id("subject").Add(lines(all...))
	f.Line()
}

// points declares how a point of a table becomes the code's own types.
func (p *plan) points(f *jen.File) {
	if p.Catalogue != nil {
		comment(f, "codeAt is the code of a point.")
		f.Func().Id("codeAt").Params(jen.Id("p").Qual(fsmtestPath, "Point")).Id("Code").Block(
			jen.List(jen.Id("c"), jen.Err()).Op(":=").Id("ParseCode").Call(jen.Id("p").Dot("Code")),
			jen.If(jen.Err().Op("!=").Nil()).Block(jen.Panic(jen.Err())),
			jen.Return(jen.Id("c")))
		f.Line()
	}
	body := []jen.Code{
		jen.List(jen.Id("s"), jen.Err()).Op(":=").Id("ParseState").Call(jen.Id("p").Dot("State")),
		jen.If(jen.Err().Op("!=").Nil()).Block(jen.Panic(jen.Err())),
		jen.Id("m").Op(":=").Id("Memory").Values(keyed("State", jen.Id("s"))),
	}
	if len(p.Flags) > 0 {
		var sets []jen.Code
		for _, flag := range p.Flags {
			sets = append(sets, list(jen.Id(p.flagNames[flag]), jen.Lit(flag.Name)))
		}
		body = append(body, jen.For(jen.List(jen.Id("_"), jen.Id("f")).Op(":=").Range().Index().Struct(jen.Id("flag").Id("Flags"), jen.Id("name").String()).Add(lines(sets...))).Block(
			jen.If(jen.Id("p").Dot("Is").Call(jen.Id("f").Dot("name"))).Block(jen.Id("m").Dot("Flags").Op("|=").Id("f").Dot("flag"))))
	}
	body = append(body, jen.Return(jen.Id("m")))
	comment(f, "memoryAt is the memory before a point.")
	f.Func().Id("memoryAt").Params(jen.Id("p").Qual(fsmtestPath, "Point")).Id("Memory").Block(body...)
	f.Line()
}

// observe declares what is seen of the code at a point.
func (p *plan) observe(f *jen.File) {
	flags := jen.Code(jen.Lit("none"))
	if len(p.Flags) > 0 {
		flags = jen.Id("m").Dot("Flags").Dot("String").Call()
	}
	comment(f, "observe is what decision, handler and machine do at a point.")
	f.Func().Params(jen.Id("s").Id("subject")).Id("observe").Params(jen.Id("machine").Op("*").Id("Machine"), jen.Id("p").Qual(fsmtestPath, "Point")).Qual(fsmtestPath, "Outcome").Block(
		jen.Id("m").Op(":=").Id("memoryAt").Call(jen.Id("p")),
		jen.Id("from").Op(":=").Id("m").Dot("State"),
		jen.Id("h").Op(":=").Op("&").Id("recorder").Values(keyed("memory", jen.Op("&").Id("m"))),
		jen.List(jen.Id("decided"), jen.Id("handled")).Op(":=").Id("s").Dot("run").Call(jen.Id("p"), jen.Op("&").Id("m"), jen.Id("h")),
		jen.Return(jen.Qual(fsmtestPath, "Outcome").Add(lines(
			keyed("Decided", jen.Id("decided").Dot("Name")),
			keyed("Handled", jen.Id("handled").Dot("Name")),
			keyed("Result", jen.Id("handled").Dot("Result").Dot("String").Call()),
			keyed("State", jen.Id("m").Dot("State").Dot("String").Call()),
			keyed("Flags", flags),
			keyed("Calls", jen.Id("h").Dot("calls")),
			keyed("Early", jen.Qual("slices", "ContainsFunc").Call(jen.Id("h").Dot("seen"), jen.Func().Params(jen.Id("seen").Id("Memory")).Bool().Add(brief(
				jen.Return(jen.Id("seen").Op("!=").Id("m")))))),
			keyed("Machine", jen.Id("moved").Call(jen.Id("machine"), jen.Id("from"), jen.Id("handled"))),
		))))
	f.Line()
	comment(f, "moved is the state of the machine when the rule has been fired in a state, or the error.")
	f.Func().Id("moved").Params(jen.Id("machine").Op("*").Id("Machine"), jen.Id("from").Id("State"), jen.Id("r").Op("*").Id("Rule")).String().Block(
		jen.If(jen.Err().Op(":=").Qual("errors", "Join").Call(jen.Id("machine").Dot("Reset").Call(jen.Id("from")), jen.Id("machine").Dot("Fire").Call(jen.Id("r"))), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Err().Dot("Error").Call())),
		jen.Return(jen.Id("machine").Dot("State").Call().Dot("String").Call()))
	f.Line()
	comment(f, "differences are where the code of an input is not what its table says.")
	f.Func().Params(jen.Id("s").Id("subject")).Id("differences").Params(jen.Id("machine").Op("*").Id("Machine")).Index().String().Block(
		jen.Return(jen.Id("space").Dot("Differences").Call(jen.Id("s").Dot("table"),
			jen.Func().Params(jen.Id("p").Qual(fsmtestPath, "Point")).Qual(fsmtestPath, "Outcome").Add(brief(
				jen.Return(jen.Id("s").Dot("observe").Call(jen.Id("machine"), jen.Id("p"))))))))
	f.Line()
	comment(f, "check holds the code of an input against its table, at every point, and sees that handling allocates nothing.")
	f.Func().Id("check").Params(testParam("T"), jen.Id("s").Id("subject")).Block(
		must("Empty", jen.Id("s").Dot("differences").Call(jen.Id("newMachine").Call(jen.Id("t")))),
		jen.Id("done").Op(":=").Map(jen.Int()).Bool().Values(),
		must("NoError", jen.Id("space").Dot("Points").Call(jen.Id("s").Dot("table"), jen.Func().Params(jen.Id("p").Qual(fsmtestPath, "Point"), jen.Id("rule").Int()).Block(
			jen.If(jen.Id("done").Index(jen.Id("rule"))).Block(jen.Return()),
			jen.Id("done").Index(jen.Id("rule")).Op("=").True(),
			jen.Id("m").Op(":=").Id("memoryAt").Call(jen.Id("p")),
			jen.Id("allocations").Op(":=").Qual("testing", "AllocsPerRun").Call(jen.Lit(10), jen.Func().Params().Add(brief(jen.Id("s").Dot("run").Call(jen.Id("p"), jen.Op("&").Id("m"), jen.Op("&").Id("idle").Values())))),
			must("Zero", jen.Id("allocations"), jen.Id("p").Dot("String").Call())))),
	)
	f.Line()
	comment(f, "newMachine is a machine without hooks.")
	f.Func().Id("newMachine").Params(testParam("T")).Op("*").Id("Machine").Block(
		jen.List(jen.Id("d"), jen.Err()).Op(":=").Id("Definition").Call(),
		jen.Qual(requirePath, "NoError").Call(jen.Id("t"), jen.Err()),
		jen.Return(jen.Id("NewMachine").Call(jen.Id("d"), jen.Qual(fsmPath, "Hooks").Types(jen.Id("State")).Values())))
	f.Line()
}
