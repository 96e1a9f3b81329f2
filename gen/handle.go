package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
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
	timers := jen.Id("t").Id("Timers")
	if in.starts {
		methods = append(methods, jen.Comment("Start lets timers run anew from now. It is called once a rule, before all else."),
			jen.Id("Start").Params(timers.Clone()))
	}
	if in.forgets {
		methods = append(methods, jen.Comment("Forget counts the attempts of timers from the first again; the timers themselves run on. It is called once a rule,"),
			jen.Comment("before its effects."), jen.Id("Forget").Params(timers.Clone()))
	}
	comment(f, fmt.Sprintf("%sHandler does what the rules of %s ask for.", in.name, in.text()))
	f.Type().Id(in.name + "Handler").Interface(methods...)
	f.Line()
}

// handle declares the function that decides, and does at once what is found.
func (p *plan) handle(f *jen.File, in *inputPlan) {
	params := in.parameters(jen.Id("m").Op("*").Id("Memory"))
	doc := fmt.Sprintf("Handle%s does what Decide%s finds, and returns the rule: it changes the memory", in.name, in.name)
	if len(in.effects) > 0 {
		params = append(params, jen.Id("h").Id(in.name+"Handler"))
		if in.starts || in.forgets {
			doc += ", has timers started and their attempts forgotten"
		}
		doc += ", and then calls the handler for each effect, in order"
	}
	comment(f, doc+".")
	d := decider{p, in, p.carryOut}
	f.Func().Id("Handle" + in.name).Params(params...).Op("*").Id("Rule").Block(d.body()...)
	f.Line()
}

// carryOut does what a rule says. The memory comes first, so that effects see it as it is afterwards.
func (p *plan) carryOut(r *spec.Rule) []jen.Code {
	var out []jen.Code
	if n := len(r.To); n > 0 {
		out = append(out, jen.Id("m").Dot("State").Op("=").Id(p.stateNames[r.To[n-1]]))
	}
	sum := p.sumOf(r)
	flags := func(op string, flags []*spec.Flag) {
		if len(flags) > 0 {
			out = append(out, jen.Id("m").Dot("Flags").Op(op).Add(or(namesIn(flags, func(f *spec.Flag) string { return p.flagNames[f] }))))
		}
	}
	flags("&^=", sum.clears)
	flags("|=", sum.sets)
	timers := func(method string, timers []*spec.Timer) {
		if len(timers) > 0 {
			out = append(out, jen.Id("h").Dot(method).Call(p.timerSet(timers)))
		}
	}
	timers("Start", sum.starts)
	timers("Forget", sum.forgets)
	for _, do := range r.Effects() {
		call := jen.Id("h").Dot(p.effectNames[do.Effect])
		if do.Effect.Parameter != "" {
			out = append(out, call.Call(jen.Lit(do.Text)))
		} else {
			out = append(out, call.Call())
		}
	}
	return append(out, p.found(r))
}
