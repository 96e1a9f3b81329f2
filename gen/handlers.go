package gen

import "github.com/dave/jennifer/jen"

// handlers declares the handlers of the tests: one that writes down what it is called for, and one that does nothing.
func (p *plan) handlers(f *jen.File) {
	var all []jen.Code
	for _, in := range p.inputs {
		if len(in.effects) > 0 {
			all = append(all, jen.Id(in.name+"Handler"))
		}
	}
	comment(f, "handler handles every input.")
	f.Type().Id("handler").Interface(all...)
	f.Line()
	comment(f, "recorder writes down what it is called for, and the memory at that moment.")
	f.Type().Id("recorder").Struct(
		jen.Id("memory").Op("*").Id("Memory"),
		jen.Id("calls").Index().String(),
		jen.Id("seen").Index().Id("Memory"),
	)
	f.Line()
	f.Func().Params(jen.Id("r").Op("*").Id("recorder")).Id("call").Params(jen.Id("name").String(), jen.Id("text").Qual(fsmPath, "Text")).Block(
		jen.If(jen.Id("text").Op("!=").Lit("")).Block(jen.Id("name").Op("+=").Lit(": ").Op("+").String().Call(jen.Id("text"))),
		jen.Id("r").Dot("calls").Op("=").Append(jen.Id("r").Dot("calls"), jen.Id("name")),
		jen.Id("r").Dot("seen").Op("=").Append(jen.Id("r").Dot("seen"), jen.Op("*").Id("r").Dot("memory")))
	f.Line()
	p.methods(f, jen.Id("r").Op("*").Id("recorder"), func(name, param string) jen.Code {
		switch param {
		case "text":
			return jen.Id("r").Dot("call").Call(jen.Lit(name), jen.Id("text"))
		case "timers":
			return jen.Id("r").Dot("call").Call(jen.Lit(name+" ").Op("+").Id("timers").Dot("String").Call(), jen.Lit(""))
		default:
			return jen.Id("r").Dot("call").Call(jen.Lit(name), jen.Lit(""))
		}
	})
	comment(f, "idle does nothing.")
	f.Type().Id("idle").Struct()
	f.Line()
	p.methods(f, jen.Op("*").Id("idle"), func(string, string) jen.Code { return nil })
}

// methods declares all methods that handlers can have. body is told the name of an effect, or start or forget, and the
// parameter: text, timers or "".
func (p *plan) methods(f *jen.File, recv jen.Code, body func(name, param string) jen.Code) {
	method := func(name, method, param string, typ jen.Code) {
		decl := f.Func().Params(recv).Id(method)
		does := body(name, param)
		switch {
		case param == "":
			decl.Params()
		case does == nil:
			decl.Params(typ)
		default:
			decl.Params(jen.Id(param).Add(typ))
		}
		if does == nil {
			decl.Block()
		} else {
			decl.Add(brief(does))
		}
	}
	for _, e := range p.Effects {
		if e.Parameter != "" {
			method(e.Name, p.effectNames[e], "text", jen.Qual(fsmPath, "Text"))
		} else {
			method(e.Name, p.effectNames[e], "", nil)
		}
	}
	if len(p.Timers) > 0 {
		method("start", "Start", "timers", jen.Id("Timers"))
		method("forget", "Forget", "timers", jen.Id("Timers"))
	}
	f.Line()
}
