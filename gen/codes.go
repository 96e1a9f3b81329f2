package gen

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// codesFile declares the codes of the catalogue.
func (p *plan) codesFile() *jen.File {
	f := p.guarded()
	comment(f, "Code is what a response carries: a number of the protocol. The ways in which a request ends without a response have "+
		fmt.Sprintf("numbers of %d and below.", firstUnanswered))
	f.Type().Id("Code").Int16()
	f.Line()
	var consts []jen.Code
	for _, c := range p.Catalogue.All() {
		consts = append(consts, jen.Id(p.codeNames[c]).Id("Code").Op("=").Lit(p.codeNumbers[c]))
	}
	comment(f, "The codes of the catalogue, then the ends without a response.")
	f.Const().Defs(consts...)
	f.Line()
	sorted := slices.SortedFunc(slices.Values(p.Catalogue.All()), func(a, b *spec.Code) int { return p.codeNumbers[a] - p.codeNumbers[b] })
	var rows []jen.Code
	for _, c := range sorted {
		row := []jen.Code{keyed("Number", jen.Int16().Call(jen.Id(p.codeNames[c]))), keyed("Name", jen.Lit(c.Name))}
		if c.Retriable {
			row = append(row, keyed("Retriable", jen.True()))
		}
		if c.Message != "" {
			row = append(row, keyed("Message", jen.Lit(c.Message)))
		}
		rows = append(rows, list(row...))
	}
	f.Var().Id("codes").Op("=").Qual(fsmPath, "Codes").Add(lines(rows...))
	f.Line()
	method := func(doc, name string, result jen.Code, body ...jen.Code) {
		comment(f, doc)
		f.Func().Params(jen.Id("c").Id("Code")).Id(name).Params().Add(result).Block(body...)
		f.Line()
	}
	number := jen.Int16().Call(jen.Id("c"))
	entry := jen.List(jen.Id("e"), jen.Id("_")).Op(":=").Id("codes").Dot("Find").Call(number.Clone())
	method("String is the name in the catalogue; a code that is not in it prints as UNKNOWN and its number.", "String", jen.String(),
		jen.Return(jen.Id("codes").Dot("Name").Call(number.Clone())))
	method("Number is the code as the protocol writes it.", "Number", jen.Int16(), jen.Return(number.Clone()))
	method("Retriable reports whether the catalogue calls the code so; one that is not in it is not.", "Retriable", jen.Bool(),
		entry.Clone(), jen.Return(jen.Id("e").Dot("Retriable")))
	method("Message is the sentence of the catalogue; a code that is not in it has none.", "Message", jen.String(),
		entry.Clone(), jen.Return(jen.Id("e").Dot("Message")))
	method("Error is the name, and the message of the catalogue: a Code is an error that errors.Is finds in what failed because of it.", "Error", jen.String(),
		jen.Return(jen.Qual(fsmPath, "ErrorText").Call(jen.Id("c").Dot("String").Call(), jen.Id("c").Dot("Message").Call())))
	method("MarshalText is String.", "MarshalText", jen.Params(jen.Index().Byte(), jen.Error()),
		jen.Return(jen.Index().Byte().Call(jen.Id("c").Dot("String").Call()), jen.Nil()))
	comment(f, "UnmarshalText is ParseCode.")
	f.Func().Params(jen.Id("c").Op("*").Id("Code")).Id("UnmarshalText").Params(jen.Id("text").Index().Byte()).Params(jen.Id("err").Error()).Block(
		jen.List(jen.Op("*").Id("c"), jen.Err()).Op("=").Id("ParseCode").Call(jen.String().Call(jen.Id("text"))),
		jen.Return(jen.Err()))
	f.Line()
	comment(f, "ParseCode reads what String wrote; an unknown name is an *fsm.UnknownNameError.")
	f.Func().Id("ParseCode").Params(jen.Id("name").String()).Params(jen.Id("Code"), jen.Error()).Block(
		jen.List(jen.Id("number"), jen.Err()).Op(":=").Id("codes").Dot("Parse").Call(jen.Id("name")),
		jen.Return(jen.Id("Code").Call(jen.Id("number")), jen.Err()))
	return f
}
