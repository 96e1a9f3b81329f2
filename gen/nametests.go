package gen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// namesFile declares the tests of what has a name: enumerations, codes, results, timers, and the drawings.
func (p *plan) namesFile() *jen.File {
	f := p.testFile()
	p.testNames(f)
	if len(p.Flags) > 0 {
		p.testFlags(f)
	}
	if p.Catalogue != nil {
		p.testCodes(f)
	}
	p.testResults(f)
	if len(p.Timers) > 0 {
		p.testTimers(f)
	}
	p.testDrawings(f)
	return f
}

func (p *plan) testNames(f *jen.File) {
	var body []jen.Code
	names := func(typ string, first int, names []string) {
		args := []jen.Code{jen.Id(typ).Call(jen.Lit(first)), jen.Id("Parse" + typ)}
		for _, n := range names {
			args = append(args, jen.Line().Lit(n))
		}
		body = append(body, must("Empty", jen.Qual(fsmtestPath, "Names").Call(args...)))
	}
	names("State", 0, namesIn(p.States, func(s *spec.State) string { return s.Name }))
	names("Input", 1, namesIn(p.inputs, func(i *inputPlan) string { return i.Name }))
	names("Effect", 1, namesIn(p.Effects, func(e *spec.Effect) string { return e.Name }))
	if len(p.Timers) > 0 {
		names("Timer", 1, namesIn(p.Timers, func(t *spec.Timer) string { return t.Name }))
	}
	if len(p.Errors) > 0 {
		names("ErrorName", 1, namesIn(p.Errors, func(e *spec.Error) string { return e.Name }))
	}
	for _, q := range p.Questions {
		names(p.questionNames[q], 1, namesIn(q.Answers, func(g *spec.Guard) string { return g.Name }))
	}
	results := []string{"none"}
	for _, g := range p.resultGroups() {
		results = append(results, namesIn(g.Results, resultText)...)
	}
	names("Result", 0, results)
	f.Func().Id("TestNames").Params(testParam("T")).Block(body...)
	f.Line()
}

func (p *plan) testFlags(f *jen.File) {
	var rows []jen.Code
	var initial []string
	for _, flag := range p.Flags {
		rows = append(rows, keyed(p.flagNames[flag], jen.Lit(flag.Name)))
		if flag.Initial {
			initial = append(initial, flag.Name)
		}
	}
	if initial == nil {
		initial = []string{"none"}
	}
	f.Func().Id("TestFlags").Params(testParam("T")).Block(
		jen.Id("names").Op(":=").Map(jen.Id("Flags")).String().Add(lines(rows...)),
		jen.For(jen.List(jen.Id("flag"), jen.Id("name")).Op(":=").Range().Id("names")).Block(
			must("Equal", jen.Id("name"), jen.Id("flag").Dot("String").Call()),
			jen.Var().Id("back").Id("Flags"),
			must("NoError", jen.Id("back").Dot("UnmarshalText").Call(jen.Index().Byte().Call(jen.Id("name")))),
			must("Equal", jen.Id("flag"), jen.Id("back")),
			must("True", jen.Id("flag").Dot("Has").Call(jen.Id("flag"))),
			must("False", jen.Id("Flags").Call(jen.Lit(0)).Dot("Has").Call(jen.Id("flag"))),
		),
		must("Len", jen.Id("names"), jen.Len(jen.Id("space").Dot("Flags"))),
		must("Equal", jen.Lit(p.Initial.Name), jen.Id("Initial").Call().Dot("State").Dot("String").Call()),
		must("Equal", jen.Lit(strings.Join(initial, "|")), jen.Id("Initial").Call().Dot("Flags").Dot("String").Call()),
	)
	f.Line()
}

func (p *plan) testCodes(f *jen.File) {
	var rows []jen.Code
	for _, c := range p.Catalogue.All() {
		rows = append(rows, list(jen.Id(p.codeNames[c]), jen.Lit(p.codeNumbers[c]), jen.Lit(c.Name), jen.Lit(c.Retriable), jen.Lit(c.Message)))
	}
	for _, n := range p.strangers() {
		rows = append(rows, list(jen.Lit(n), jen.Lit(n), jen.Lit(unknownCode(n)), jen.False(), jen.Lit("")))
	}
	c := jen.Id("c")
	f.Func().Id("TestCodes").Params(testParam("T")).Block(
		jen.For(jen.List(jen.Id("_"), jen.Id("want")).Op(":=").Range().Index().Struct(
			jen.Id("code").Id("Code"), jen.Id("number").Int16(), jen.Id("name").String(), jen.Id("retriable").Bool(), jen.Id("message").String()).Add(lines(rows...))).Block(
			c.Clone().Op(":=").Id("want").Dot("code"),
			must("Equal", jen.Id("want").Dot("number"), c.Clone().Dot("Number").Call()),
			must("Equal", jen.Id("want").Dot("name"), c.Clone().Dot("String").Call()),
			must("Equal", jen.Id("want").Dot("retriable"), c.Clone().Dot("Retriable").Call(), jen.Id("want").Dot("name")),
			must("Equal", jen.Id("want").Dot("message"), c.Clone().Dot("Message").Call()),
			must("EqualError", c.Clone(), jen.Qual(fsmPath, "ErrorText").Call(jen.Id("want").Dot("name"), jen.Id("want").Dot("message"))),
			jen.List(jen.Id("text"), jen.Err()).Op(":=").Add(c.Clone()).Dot("MarshalText").Call(),
			must("NoError", jen.Err()),
			jen.Var().Id("back").Id("Code"),
			must("NoError", jen.Id("back").Dot("UnmarshalText").Call(jen.Id("text"))),
			must("Equal", c.Clone(), jen.Id("back")),
		),
		must("True", jen.Qual("slices", "IsSortedFunc").Call(jen.Id("codes"), jen.Func().Params(jen.List(jen.Id("a"), jen.Id("b")).Qual(fsmPath, "CodeInfo")).Int().Block(
			jen.Return(jen.Int().Call(jen.Id("a").Dot("Number")).Op("-").Int().Call(jen.Id("b").Dot("Number"))))), jen.Lit("codes are found by halving")),
		jen.List(jen.Id("_"), jen.Err()).Op(":=").Id("ParseCode").Call(jen.Lit("no such code")),
		must("ErrorAs", jen.Err(), jen.New(jen.Op("*").Qual(fsmPath, "UnknownNameError"))),
	)
	f.Line()
}

func (p *plan) testResults(f *jen.File) {
	var rows []jen.Code
	for _, g := range p.resultGroups() {
		for _, r := range g.Results {
			class := string(r.Class)
			if class == "" {
				class = "none"
			}
			rows = append(rows, list(jen.Id(p.resultNames[r]), jen.Lit(r.Name), jen.Lit(class), p.resultError(r.Error)))
		}
	}
	rows = append(rows, list(jen.Id("ResultNone"), jen.Lit("none"), jen.Lit("none"), jen.Id("ResultError").Values()))
	rows = append(rows, list(jen.Lit(255), jen.Lit("none"), jen.Lit("none"), jen.Id("ResultError").Values()))
	body := []jen.Code{
		jen.For(jen.List(jen.Id("_"), jen.Id("want")).Op(":=").Range().Index().Struct(
			jen.Id("result").Id("Result"), jen.List(jen.Id("name"), jen.Id("class")).String(), jen.Id("err").Id("ResultError")).Add(lines(rows...))).Block(
			must("Equal", jen.Id("want").Dot("name"), jen.Id("want").Dot("result").Dot("Name").Call()),
			must("Equal", jen.Id("want").Dot("class"), jen.Id("want").Dot("result").Dot("Class").Call().Dot("String").Call(), jen.Id("want").Dot("result")),
			must("Equal", jen.Id("want").Dot("err"), jen.Id("want").Dot("result").Dot("Error").Call(), jen.Id("want").Dot("result")),
		),
	}
	for _, e := range p.Errors {
		id := jen.Id(p.errorNames[e.Name])
		body = append(body,
			must("Equal", jen.Lit(e.Retriable), id.Clone().Dot("Retriable").Call()),
			must("EqualError", id.Clone(), jen.Qual(fsmPath, "ErrorText").Call(jen.Lit(e.Name), jen.Lit(oneLine(e.Doc)))))
	}
	if n := len(p.Errors); n > 0 {
		body = append(body, must("Empty", jen.Id("ErrorName").Call(jen.Lit(n+1)).Dot("Message").Call()))
	}
	f.Func().Id("TestResults").Params(testParam("T")).Block(body...)
	f.Line()
}

func (p *plan) testTimers(f *jen.File) {
	var body []jen.Code
	for _, t := range p.Timers {
		body = append(body, must("Equal", jen.Qual(fsmPath, "TimerSpec").Add(timerSpec(t)), jen.Id(p.timerNames[t]).Dot("Spec").Call()))
	}
	body = append(body, must("Zero", jen.Id("Timer").Call(jen.Lit(len(p.Timers)+1)).Dot("Spec").Call()))
	clocks := map[int]bool{}
	for _, t := range p.Timers {
		clocks[p.clocks[t]] = true
		body = append(body, must("Equal", jen.Lit(p.clocks[t]), jen.Id(p.timerNames[t]).Dot("Clock").Call()))
	}
	for _, stranger := range []int{0, len(p.Timers) + 1} {
		body = append(body, must("Equal", jen.Lit(-1), jen.Id("Timer").Call(jen.Lit(stranger)).Dot("Clock").Call()))
	}
	body = append(body,
		must("Equal", jen.Lit(len(p.Timers)), jen.Id("NumTimers")),
		must("Equal", jen.Lit(len(clocks)), jen.Id("NumClocks")))
	var all []string
	set := &jen.Statement{}
	for i, t := range p.Timers {
		if i > 0 {
			set.Op("|")
		}
		set.Lit(1).Op("<<").Id(p.timerNames[t])
		all = append(all, t.Name)
		body = append(body, must("True", jen.Id("Timers").Call(jen.Lit(1).Op("<<").Id(p.timerNames[t])).Dot("Has").Call(jen.Id(p.timerNames[t]))))
	}
	body = append(body,
		jen.Id("all").Op(":=").Id("Timers").Call(set),
		must("Equal", jen.Lit(strings.Join(all, "|")), jen.Id("all").Dot("String").Call()),
		must("Equal", jen.Index().Id("Timer").Add(list(ids(namesIn(p.Timers, func(t *spec.Timer) string { return p.timerNames[t] }))...)),
			jen.Qual("slices", "Collect").Call(jen.Id("all").Dot("All").Call())),
		jen.For(jen.Id("first").Op(":=").Range().Id("all").Dot("All").Call()).Block(
			must("Equal", jen.Id(p.timerNames[p.Timers[0]]), jen.Id("first")),
			jen.Break()),
		must("False", jen.Id("Timers").Call(jen.Lit(0)).Dot("Has").Call(jen.Id(p.timerNames[p.Timers[0]]))))
	f.Func().Id("TestTimers").Params(testParam("T")).Block(body...)
	f.Line()
}

// testDrawings declares the test that the drawings have the machine's ways, and no others.
func (p *plan) testDrawings(f *jen.File) {
	f.Func().Id("TestDrawings").Params(testParam("T")).Block(
		jen.List(jen.Id("d"), jen.Err()).Op(":=").Id("Definition").Call(),
		must("NoError", jen.Err()),
		jen.Id("ways").Op(":=").Map(jen.String()).Bool().Values(),
		jen.For(jen.List(jen.Id("_"), jen.Id("e")).Op(":=").Range().Id("d").Dot("Edges").Call()).Block(
			jen.Id("ways").Index(jen.Qual("fmt", "Sprintf").Call(jen.Lit("    %q -> %q [label="), jen.Id("e").Dot("From").Dot("String").Call(), jen.Id("e").Dot("To").Dot("String").Call())).Op("=").True()),
		jen.For(jen.Id("way").Op(":=").Range().Id("ways")).Block(
			must("Contains", jen.Id("Graphviz").Call(), jen.Id("way"))),
		must("Equal", jen.Len(jen.Id("ways")), jen.Qual("strings", "Count").Call(jen.Id("Graphviz").Call(), jen.Lit("[label="))),
		must("Equal", jen.Len(jen.Id("ways")), jen.Qual("strings", "Count").Call(jen.Id("Mermaid").Call(), jen.Lit(" : "))),
		jen.List(jen.Id("file"), jen.Err()).Op(":=").Qual("os", "ReadFile").Call(jen.Lit("states.mmd")),
		must("NoError", jen.Err()),
		must("Contains", jen.String().Call(jen.Id("file")), jen.Id("Mermaid").Call()),
	)
}
