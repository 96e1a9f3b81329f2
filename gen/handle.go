package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// handler declares the interface of what the rules of an input do.
func (p *plan) handler(f *jen.File, in *inputPlan) {
	if len(in.effects) == 0 {
		return
	}
	var methods []jen.Code
	for _, e := range in.effects {
		method := jen.Id(p.effectNames[e]).Params(parameter(e)...)
		if doc := p.methodDoc(e); doc != "" {
			methods = append(methods, jen.Comment(doc))
		}
		methods = append(methods, method)
	}
	timer := jen.Id("t").Id("Timer")
	if in.starts {
		methods = append(methods, jen.Comment("Start lets a timer run anew from now."), jen.Id("Start").Params(timer.Clone()))
	}
	if in.forgets {
		methods = append(methods, jen.Comment("Forget counts a timer's attempts from the first again; the timer itself runs on."), jen.Id("Forget").Params(timer.Clone()))
	}
	comment(f, fmt.Sprintf("%sHandler does what the rules of %s ask for.", in.name, in.text()))
	f.Type().Id(in.name + "Handler").Interface(methods...)
	f.Line()
}

// handle declares the function that decides, moves the memory and has the effects done.
func (p *plan) handle(f *jen.File, in *inputPlan) {
	params := in.parameters(jen.Id("m").Op("*").Id("Memory"))
	args := []jen.Code{jen.Op("*").Id("m")}
	if len(in.Cases[0].Codes) > 0 || in.Cases[0].Otherwise {
		args = append(args, jen.Id("c"))
	}
	if len(in.asked) > 0 {
		args = append(args, jen.Id("g"))
	}
	body := []jen.Code{
		jen.Id("r").Op(":=").Id("Decide" + in.name).Call(args...),
		jen.Id("r").Dot("move").Call(jen.Id("m")),
	}
	doc := fmt.Sprintf("Handle%s decides about %s and moves the memory.", in.name, in.text())
	if len(in.effects) > 0 {
		doc = fmt.Sprintf("Handle%s decides about %s, moves the memory, and then calls the handler for each effect of the rule, in order.", in.name, in.text())
		params = append(params, jen.Id("h").Id(in.name+"Handler"))
		body = append(body, jen.For(jen.List(jen.Id("_"), jen.Id("do")).Op(":=").Range().Id("r").Dot("Do")).Block(
			jen.Switch(jen.Id("do").Dot("Effect")).Block(p.effectCases(in)...)))
	}
	body = append(body, jen.Return(jen.Id("r")))
	comment(f, doc)
	f.Func().Id("Handle" + in.name).Params(params...).Op("*").Id("Rule").Block(body...)
	f.Line()
}

func (p *plan) effectCases(in *inputPlan) []jen.Code {
	var cases []jen.Code
	for _, e := range in.effects {
		var args []jen.Code
		if e.Parameter != "" {
			args = append(args, jen.Id("do").Dot("Text"))
		}
		calls := []jen.Code{jen.Id("h").Dot(p.effectNames[e]).Call(args...)}
		for _, t := range e.Starts {
			calls = append(calls, jen.Id("h").Dot("Start").Call(jen.Id(p.timerNames[t])))
		}
		for _, t := range e.Forgets {
			calls = append(calls, jen.Id("h").Dot("Forget").Call(jen.Id(p.timerNames[t])))
		}
		cases = append(cases, jen.Case(jen.Id("Effect"+p.effectNames[e])).Block(calls...))
	}
	return cases
}
