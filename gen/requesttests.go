package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// requestsTestFile declares the tests of how long requests wait, and of what ends them before: for each request that something
// ends, at every point at which it can wait.
func (p *plan) requestsTestFile() *jen.File {
	f := p.testFile()
	p.testLifetimes(f)
	p.guardsAt(f, "requestGuardsAt", "RequestGuards", p.requestGuards)
	p.testAbandons(f)
	return f
}

func (p *plan) testLifetimes(f *jen.File) {
	var rows []jen.Code
	for _, r := range p.requests {
		rows = append(rows, keyed(r.input, lifetime(r.Request)))
	}
	f.Func().Id("TestLifetimes").Params(testParam("T")).Block(
		jen.Id("want").Op(":=").Map(jen.Id("Input")).Qual(fsmPath, "Lifetime").Add(lines(rows...)),
		jen.For(jen.Id("i").Op(":=").Range().Id("Input").Call(jen.Lit(len(p.inputs)+2))).Block(
			must("Equal", jen.Id("want").Index(jen.Id("i")), jen.Id("i").Dot("Lifetime").Call(), jen.Id("i").Dot("String").Call())))
	f.Line()
}

func (p *plan) testAbandons(f *jen.File) {
	var rows []jen.Code
	for _, r := range p.requests {
		if len(r.When) > 0 {
			rows = append(rows, keyed(r.input, list(jen.Id(p.codeNames[r.Abandoned]), p.requestPoints(r))))
		}
	}
	args := []jen.Code{jen.Id("i"), jen.Id("memoryAt").Call(jen.Id("p"))}
	if len(p.requestGuards) > 0 {
		args = append(args, jen.Id("requestGuardsAt").Call(jen.Id("p")))
	}
	point := jen.Id("p").Qual(fsmtestPath, "Point")
	comment(f, "abandonedAs are the codes of the requests that something ends, and where it does.")
	f.Var().Id("abandonedAs").Op("=").Map(jen.Id("Input")).Struct(
		jen.Id("code").Id("Code"), jen.Id("table").Op("*").Qual(fsmtestPath, "Table")).Add(lines(rows...))
	f.Line()
	f.Func().Id("TestAbandons").Params(testParam("T")).Block(
		jen.For(jen.Id("i").Op(":=").Range().Id("Input").Call(jen.Lit(len(p.inputs)+2))).Block(
			jen.List(jen.Id("want"), jen.Id("some")).Op(":=").Id("abandonedAs").Index(jen.Id("i")),
			jen.If(jen.Op("!").Id("some")).Block(jen.Id("want").Dot("table").Op("=").Op("&").Qual(fsmtestPath, "Table").Add(list(
				keyed("Input", jen.Id("i").Dot("String").Call()),
				keyed("Rules", jen.Index().Qual(fsmtestPath, "Rule").Add(list(list(), list(keyed("Cells", stringList([]string{"* |"}))))))))),
			must("NoError", jen.Id("space").Dot("Points").Call(jen.Id("want").Dot("table"), jen.Func().Params(point, jen.Id("rule").Int()).Block(
				jen.List(jen.Id("code"), jen.Id("ends")).Op(":=").Id("Abandons").Call(args...),
				must("Equal", jen.Id("rule").Op("==").Lit(0), jen.Id("ends"), jen.Id("p").Dot("String").Call()),
				jen.If(jen.Id("ends")).Block(must("Equal", jen.Id("want").Dot("code"), jen.Id("code"), jen.Id("p").Dot("String").Call()))))),
		))
}

// requestPoints is the table of where a request ends and where it waits on. It is rendered from the enumeration of its conditions.
func (p *plan) requestPoints(r *requestPlan) *jen.Statement {
	ends, waits := &spec.Rule{Name: "it ends", Pos: r.Pos}, &spec.Rule{Name: "it waits", Pos: r.Pos}
	decision := &spec.Switch{Ordered: true}
	for _, c := range r.When {
		decision.Arms = append(decision.Arms, spec.Arm{When: c, Then: ends})
	}
	decision.Arms = append(decision.Arms, spec.Arm{Then: waits})
	in := &inputPlan{
		Input: &spec.Input{Kind: spec.Event, Name: r.Response.Name, Cases: []*spec.Case{{Decision: decision}}},
		marks: r.marks,
	}
	cells := p.cellLines(in)
	fields := []jen.Code{keyed("Input", jen.Lit(r.Response.Name)), keyed("Kind", jen.Lit("request"))}
	fields = append(fields, asks(r.marks)...)
	return jen.Op("&").Qual(fsmtestPath, "Table").Add(lines(append(fields, keyed("Rules", jen.Index().Qual(fsmtestPath, "Rule").Add(lines(
		p.tableRule(ends, cells[ends]), p.tableRule(waits, cells[waits])))))...))
}
