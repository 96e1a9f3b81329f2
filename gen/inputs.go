package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// inputsFile declares what the machine decides about.
func (p *plan) inputsFile() *jen.File {
	f := p.guarded()
	var members []member
	kinds := map[spec.Kind][]jen.Code{}
	for _, in := range p.inputs {
		members = append(members, member{"Input" + in.name, in.Name, in.Doc})
		kinds[in.Kind] = append(kinds[in.Kind], jen.Id("Input"+in.name))
	}
	enum(f, "Input", "input", "Input is what the machine decides about: the response to a request, one turn of a loop, or an event.", 1, member{}, members)
	var cases []jen.Code
	for _, k := range []struct {
		kind spec.Kind
		name string
	}{{spec.Response, "KindResponse"}, {spec.Loop, "KindLoop"}, {spec.Event, "KindEvent"}} {
		if len(kinds[k.kind]) > 0 {
			cases = append(cases, caseOf(kinds[k.kind], jen.Return(jen.Qual(fsmPath, k.name))))
		}
	}
	comment(f, "Kind says which of these it is; an input that does not exist has no kind.")
	f.Func().Params(jen.Id("i").Id("Input")).Id("Kind").Params().Qual(fsmPath, "Kind").Block(
		jen.Switch(jen.Id("i")).Block(cases...),
		jen.Return(jen.Lit(0)))
	return f
}

// caseOf is a case of a switch whose values fill several lines where they are many.
func caseOf(values []jen.Code, body ...jen.Code) *jen.Statement {
	return caseLabel(values).Block(body...)
}

func caseLabel(values []jen.Code) *jen.Statement {
	const perLine = 4
	var items []jen.Code
	for i, v := range values {
		if i > 0 && i%perLine == 0 {
			v = jen.Line().Add(v)
		}
		items = append(items, v)
	}
	return jen.Case(items...)
}

// questionsFile declares the questions that have several answers.
func (p *plan) questionsFile() *jen.File {
	f := p.guarded()
	for _, q := range p.Questions {
		var members []member
		for _, a := range q.Answers {
			members = append(members, member{p.guardNames[a], a.Name, a.Doc})
		}
		doc := p.questionNames[q] + " is a question with these answers, one of which holds."
		if q.Doc != "" {
			doc = p.questionNames[q] + ": " + oneLine(q.Doc) + "."
		}
		enum(f, p.questionNames[q], q.Name, doc, 1, member{}, members)
	}
	return f
}
