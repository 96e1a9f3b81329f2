package gen

import (
	"fmt"
	"slices"

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
		body = append(body, jen.Switch(jen.Id("r").Dot("n")).Block(p.callCases(in)...))
	}
	body = append(body, jen.Return(jen.Id("r")))
	comment(f, doc)
	f.Func().Id("Handle" + in.name).Params(params...).Op("*").Id("Rule").Block(body...)
	f.Line()
}

// callCases are the cases of a switch over the rules' numbers: the calls of each, in order. Rules that do the same share one.
func (p *plan) callCases(in *inputPlan) []jen.Code {
	type group struct {
		calls []call
		rules []*spec.Rule
	}
	var groups []*group
	for _, r := range in.rules {
		calls := p.callsOf(r)
		if len(calls) == 0 {
			continue
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return slices.Equal(g.calls, calls) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{calls: calls})
		}
		groups[i].rules = append(groups[i].rules, r)
	}
	var cases []jen.Code
	for _, g := range groups {
		var numbers, body []jen.Code
		for _, r := range g.rules {
			numbers = append(numbers, jen.Lit(p.ruleRefs[r].index))
		}
		for _, c := range g.calls {
			call := jen.Id("h").Dot(c.method)
			switch {
			case c.timer != "":
				call.Call(jen.Id(c.timer))
			case c.takes:
				call.Call(jen.Lit(c.text))
			default:
				call.Call()
			}
			body = append(body, call)
		}
		cases = append(cases, jen.Case(numbers...).Block(body...))
	}
	return cases
}

// call is one of a handler's methods with its argument.
type call struct {
	method string
	takes  bool // text
	text   string
	timer  string
}

// callsOf are what a rule asks of the handler: each effect, and behind it the timers that it starts and forgets.
func (p *plan) callsOf(r *spec.Rule) []call {
	var out []call
	for _, do := range r.Effects() {
		out = append(out, call{method: p.effectNames[do.Effect], takes: do.Effect.Parameter != "", text: do.Text})
		for _, t := range do.Effect.Starts {
			out = append(out, call{method: "Start", timer: p.timerNames[t]})
		}
		for _, t := range do.Effect.Forgets {
			out = append(out, call{method: "Forget", timer: p.timerNames[t]})
		}
	}
	return out
}
