package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// machineFile declares the typed machine over package fsm. Its code is the same for every specification: it reads the rules.
func (p *plan) machineFile() *jen.File {
	f := p.guarded()
	rule := jen.Id("r").Op("*").Id("Rule")
	machine := jen.Id("m").Op("*").Id("Machine")
	definition := jen.Qual(fsmPath, "Definition").Types(jen.Id("State"))
	inner := jen.Id("m").Dot("inner")

	comment(f, "Definition holds the states and the ways that rules lead along. Each rule that moves is an event with its name; one that "+
		"leads through n states is n events, name#1 and so on. Its sources are the states in which the rule decides. Machines of one "+
		"definition belong to one goroutine, as fsm.Definition says.")
	f.Func().Id("Definition").Params().Params(jen.Op("*").Add(definition.Clone()), jen.Error()).Block(
		jen.Var().Id("edges").Index().Qual(fsmPath, "Edge").Types(jen.Id("State")),
		jen.For(jen.List(jen.Id("_"), jen.Id("r")).Op(":=").Range().Id("Rules").Call()).Block(
			jen.For(jen.List(jen.Id("i"), jen.Id("event")).Op(":=").Range().Id("r").Dot("events").Call()).Block(
				jen.For(jen.List(jen.Id("_"), jen.Id("from")).Op(":=").Range().Id("r").Dot("sources").Call(jen.Id("i"))).Block(
					jen.Id("edges").Op("=").Append(jen.Id("edges"), jen.Qual(fsmPath, "Edge").Types(jen.Id("State")).Add(list(
						keyed("Event", jen.Id("event")), keyed("From", jen.Id("from")), keyed("To", jen.Id("r").Dot("To").Index(jen.Id("i")))))))),
		),
		jen.Return(jen.Qual(fsmPath, "NewDefinition").Call(jen.Id("Initial").Call().Dot("State"), jen.Id("State").Dot("String"), jen.Id("edges"))),
	)
	f.Line()
	comment(f, "events are the names under which the rule moves a machine, one for each state on its way.")
	f.Func().Params(rule.Clone()).Id("events").Params().Index().String().Block(
		jen.If(jen.Len(jen.Id("r").Dot("To")).Op("==").Lit(1)).Block(jen.Return(jen.Index().String().Add(list(jen.Id("r").Dot("Name"))))),
		jen.Var().Id("names").Index().String(),
		jen.For(jen.Id("i").Op(":=").Range().Id("r").Dot("To")).Block(
			jen.Id("names").Op("=").Append(jen.Id("names"), jen.Id("r").Dot("Name").Op("+").Lit("#").Op("+").Qual("strconv", "Itoa").Call(jen.Id("i").Op("+").Lit(1)))),
		jen.Return(jen.Id("names")))
	f.Line()
	comment(f, "sources are the states from which step i of the rule's way leads on.")
	all := ids(namesIn(p.States, func(s *spec.State) string { return p.stateNames[s] }))
	f.Func().Params(rule.Clone()).Id("sources").Params(jen.Id("i").Int()).Index().Id("State").Block(
		jen.If(jen.Id("i").Op(">").Lit(0)).Block(jen.Return(jen.Id("r").Dot("To").Index(jen.Id("i").Op("-").Lit(1), jen.Id("i")))),
		jen.If(jen.Id("r").Dot("From").Op("==").Nil()).Block(jen.Return(jen.Index().Id("State").Add(list(all...)))),
		jen.Return(jen.Id("r").Dot("From")))
	f.Line()
	comment(f, "Machine is in one state and moves as rules say: what a rule may not do where the machine is, it refuses.")
	f.Type().Id("Machine").Struct(jen.Id("inner").Op("*").Qual(fsmPath, "Machine").Types(jen.Id("State")))
	f.Line()
	comment(f, "NewMachine makes a machine in the initial state; hooks are told of each move, under the names of events that Definition describes.")
	f.Func().Id("NewMachine").Params(jen.Id("d").Op("*").Add(definition.Clone()), jen.Id("hooks").Qual(fsmPath, "Hooks").Types(jen.Id("State"))).Op("*").Id("Machine").Block(
		jen.Return(jen.Op("&").Id("Machine").Add(list(keyed("inner", jen.Id("d").Dot("Machine").Call(jen.Id("hooks")))))))
	f.Line()
	method := func(doc, name string, params []jen.Code, result jen.Code, body ...jen.Code) {
		comment(f, doc)
		f.Func().Params(machine.Clone()).Id(name).Params(params...).Add(result).Block(body...)
		f.Line()
	}
	method("State is the present state.", "State", nil, jen.Id("State"), jen.Return(inner.Clone().Dot("State").Call()))
	method("Can reports whether the rule can decide in the present state.", "Can", []jen.Code{rule.Clone()}, jen.Bool(),
		jen.If(jen.Len(jen.Id("r").Dot("To")).Op("==").Lit(0)).Block(jen.Return(jen.Id("r").Dot("decidesIn").Call(jen.Id("m").Dot("State").Call()))),
		jen.Return(inner.Clone().Dot("Can").Call(jen.Id("r").Dot("events").Call().Index(jen.Lit(0)))))
	method("Available are the rules that can decide in the present state, in the order of the specification.", "Available", nil, jen.Index().Op("*").Id("Rule"),
		jen.Return(jen.Qual("slices", "DeleteFunc").Call(jen.Id("Rules").Call(), jen.Func().Params(rule.Clone()).Bool().Block(
			jen.Return(jen.Op("!").Id("m").Dot("Can").Call(jen.Id("r")))))))
	method("Fire moves as the rule says. The error is an *fsm.IllegalEventError where the rule cannot decide in the present state; the machine has then not moved.",
		"Fire", []jen.Code{rule.Clone()}, jen.Error(),
		jen.If(jen.Op("!").Id("m").Dot("Can").Call(jen.Id("r"))).Block(jen.Return(jen.Op("&").Qual(fsmPath, "IllegalEventError").Add(list(
			keyed("Event", jen.Id("r").Dot("Name")), keyed("State", jen.Id("m").Dot("State").Call().Dot("String").Call()))))),
		jen.For(jen.List(jen.Id("_"), jen.Id("event")).Op(":=").Range().Id("r").Dot("events").Call()).Block(
			jen.If(jen.Err().Op(":=").Add(inner.Clone()).Dot("Fire").Call(jen.Id("event")), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Err()))),
		jen.Return(jen.Nil()))
	method("Reset puts the machine into a state without a move. The error wraps fsm.ErrUnknownState.", "Reset", []jen.Code{jen.Id("s").Id("State")}, jen.Error(),
		jen.Return(inner.Clone().Dot("Reset").Call(jen.Id("s"))))
	text := func(doc, name, text string) {
		comment(f, doc)
		f.Func().Id(name).Params().String().Block(jen.Return(jen.Op("`" + text + "`")))
		f.Line()
	}
	text("Mermaid is the machine as a Mermaid state diagram: each arrow has the inputs that lead along it.", "Mermaid", p.mermaid())
	text("Graphviz is the machine as a graph in the language of Graphviz, with the arrows of Mermaid.", "Graphviz", p.graphviz())
	return f
}
