package gen

import (
	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// resultsFile declares what those who wait are told.
func (p *plan) resultsFile() *jen.File {
	f := p.guarded()
	var members []member
	var rows []jen.Code
	for _, g := range p.resultGroups() {
		for _, r := range g.Results {
			name := p.resultNames[r]
			members = append(members, member{name, resultText(r), r.Doc})
			row := []jen.Code{keyed("name", jen.Lit(r.Name))}
			if r.Class != "" {
				row = append(row, keyed("class", jen.Qual(fsmPath, className(r.Class))))
			}
			if r.Error != "" {
				row = append(row, keyed("err", p.resultError(r.Error)))
			}
			rows = append(rows, keyed(name, list(row...)))
		}
	}
	enum(f, "Result", "result", "Result is what the one who waits is told, and what is then done. Its name is that of its group and its own.",
		1, member{"ResultNone", "none", "nobody is told anything"}, members)
	rows = append([]jen.Code{keyed("ResultNone", list(keyed("name", jen.Lit("none"))))}, rows...)
	f.Var().Id("results").Op("=").Index(jen.Op("...")).Struct(
		jen.Id("name").String(), jen.Id("class").Qual(fsmPath, "Class"), jen.Id("err").Id("ResultError")).Add(lines(rows...))
	f.Line()
	for _, m := range []struct{ doc, name, field string }{
		{"Name is the result's own name, without that of its group.", "Name", "name"},
		{"Class says what the one who waits does next.", "Class", "class"},
		{"Error says what is raised.", "Error", "err"},
	} {
		result := map[string]jen.Code{"Name": jen.String(), "Class": jen.Qual(fsmPath, "Class"), "Error": jen.Id("ResultError")}[m.name]
		comment(f, m.doc)
		f.Func().Params(jen.Id("r").Id("Result")).Id(m.name).Params().Add(result).Block(
			jen.If(jen.Int().Call(jen.Id("r")).Op(">=").Len(jen.Id("results"))).Block(jen.Id("r").Op("=").Id("ResultNone")),
			jen.Return(jen.Id("results").Index(jen.Id("r")).Dot(m.field)))
		f.Line()
	}
	p.errors(f)
	return f
}

func (p *plan) errors(f *jen.File) {
	fields := []jen.Code{jen.Id("Kind").Qual(fsmPath, "ErrorKind")}
	if p.Catalogue != nil {
		fields = append(fields, jen.Id("Code").Id("Code").Comment("where Kind is fsm.ErrorCode"))
	}
	if len(p.Errors) > 0 {
		fields = append(fields, jen.Id("Name").Id("ErrorName").Comment("where Kind is fsm.ErrorNamed"))
	}
	comment(f, "ResultError says where the error of a result comes from.")
	f.Type().Id("ResultError").Struct(fields...)
	f.Line()
	if len(p.Errors) == 0 {
		return
	}
	var members []member
	var messages, retriable []jen.Code
	for _, e := range p.Errors {
		members = append(members, member{p.errorNames[e.Name], e.Name, e.Doc})
		if e.Doc != "" {
			messages = append(messages, keyed(p.errorNames[e.Name], jen.Lit(oneLine(e.Doc))))
		}
		if e.Retriable {
			retriable = append(retriable, jen.Id("e").Op("==").Id(p.errorNames[e.Name]))
		}
	}
	enum(f, "ErrorName", "error", "ErrorName is an error that has no code.", 1, member{}, members)
	f.Var().Id("errorMessages").Op("=").Index(jen.Op("...")).String().Add(lines(messages...))
	f.Line()
	recv := jen.Id("e").Id("ErrorName")
	comment(f, "Message is what the specification says of the error; where it says nothing, there is none.")
	f.Func().Params(recv.Clone()).Id("Message").Params().String().Block(
		jen.If(jen.Int().Call(jen.Id("e")).Op(">=").Len(jen.Id("errorMessages"))).Block(jen.Return(jen.Lit(""))),
		jen.Return(jen.Id("errorMessages").Index(jen.Id("e"))))
	f.Line()
	comment(f, "Error is the name and the message: an ErrorName is an error that errors.Is finds in what failed in this way.")
	f.Func().Params(recv.Clone()).Id("Error").Params().String().Block(
		jen.Return(jen.Qual(fsmPath, "ErrorText").Call(jen.Id("e").Dot("String").Call(), jen.Id("e").Dot("Message").Call())))
	f.Line()
	comment(f, "Retriable reports whether what has failed may be done again.")
	body := jen.False()
	for i, r := range retriable {
		if i == 0 {
			body = jen.Add(r)
		} else {
			body.Op("||").Add(r)
		}
	}
	f.Func().Params(recv.Clone()).Id("Retriable").Params().Bool().Block(jen.Return(body))
}

// resultError is the literal for what a result's `error` says; nameResults has seen that it says something known.
func (p *plan) resultError(name string) jen.Code {
	var fields []jen.Code
	switch id, named := p.errorNames[name]; {
	case name == "":
	case name == "own":
		fields = append(fields, keyed("Kind", jen.Qual(fsmPath, "ErrorOwn")))
	case named:
		fields = append(fields, keyed("Kind", jen.Qual(fsmPath, "ErrorNamed")), keyed("Name", jen.Id(id)))
	default:
		fields = append(fields, keyed("Kind", jen.Qual(fsmPath, "ErrorCode")), keyed("Code", jen.Id(p.codeNames[p.code(name)])))
	}
	return jen.Id("ResultError").Add(list(fields...))
}

// code is the catalogue's entry of that name, or nil.
func (p *plan) code(name string) *spec.Code {
	if p.Catalogue == nil {
		return nil
	}
	for _, c := range p.Catalogue.All() {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// className is the constant of package fsm for a class.
func className(class spec.Class) string { return "Class" + goName(string(class)) }
