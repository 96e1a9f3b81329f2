package gen

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// member is a constant of an enumeration.
type member struct {
	name string // in Go
	text string // in the specification
	doc  string // one line, may be empty
}

// enum declares an enumeration with its names, and the methods and the function that write and read them. first is the
// value of the first member; a zero before it means nothing and has the name zero, "" for none.
func enum(f *jen.File, typ, of, doc string, first int, zero member, members []member) {
	comment(f, doc)
	f.Type().Id(typ).Uint8()
	f.Line()
	var consts []jen.Code
	if zero.name != "" {
		consts = append(consts, constant(zero, jen.Id(typ).Op("=").Iota()))
	}
	for i, m := range members {
		var value *jen.Statement
		if i == 0 && zero.name == "" {
			value = jen.Id(typ).Op("=").Iota()
			if first == 1 {
				value.Op("+").Lit(1)
			}
		}
		consts = append(consts, constant(m, value))
	}
	if len(consts) > 0 {
		f.Const().Defs(consts...)
		f.Line()
	}
	var names []jen.Code
	if zero.name != "" {
		names = append(names, keyed(zero.name, jen.Lit(zero.text)))
	}
	for _, m := range members {
		names = append(names, keyed(m.name, jen.Lit(m.text)))
	}
	table := tableOf(typ)
	f.Var().Id(table).Op("=").Qual(fsmPath, "Names").Types(jen.Id(typ)).Add(namesOf(of, names))
	f.Line()
	texts(f, typ, of, table)
}

func tableOf(typ string) string { return lowerFirst(strings.TrimSuffix(typ, "s")) + "Names" }

func namesOf(of string, names []jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}", Separator: ", "},
		keyed("Of", jen.Lit(of)), keyed("List", jen.Index().String().Add(lines(names...))))
}

func constant(m member, value jen.Code) *jen.Statement {
	s := jen.Id(m.name)
	if value != nil {
		s.Add(value)
	}
	if m.doc != "" {
		s.Comment(oneLine(m.doc))
	}
	return s
}

// texts declares how values of typ are written and read, by the table of their names.
func texts(f *jen.File, typ, of, table string) {
	recv := strings.ToLower(typ[:1])
	comment(f, "String is the name that the specification gives.")
	f.Func().Params(jen.Id(recv).Id(typ)).Id("String").Params().String().Add(brief(
		jen.Return(jen.Id(table).Dot("String").Call(jen.Id(recv)))))
	f.Line()
	comment(f, "MarshalText is String, and an error for a value that has no name.")
	f.Func().Params(jen.Id(recv).Id(typ)).Id("MarshalText").Params().Params(jen.Index().Byte(), jen.Error()).Add(brief(
		jen.Return(jen.Id(table).Dot("Marshal").Call(jen.Id(recv)))))
	f.Line()
	comment(f, fmt.Sprintf("UnmarshalText is Parse%s.", typ))
	f.Func().Params(jen.Id(recv).Op("*").Id(typ)).Id("UnmarshalText").Params(jen.Id("text").Index().Byte()).Params(jen.Id("err").Error()).Block(
		jen.List(jen.Op("*").Id(recv), jen.Err()).Op("=").Id("Parse"+typ).Call(jen.String().Call(jen.Id("text"))),
		jen.Return(jen.Err()))
	f.Line()
	comment(f, fmt.Sprintf("Parse%s reads what String wrote; an unknown name is an *fsm.UnknownNameError.", typ))
	f.Func().Id("Parse"+typ).Params(jen.Id("name").String()).Params(jen.Id(typ), jen.Error()).Add(brief(
		jen.Return(jen.Id(table).Dot("Parse").Call(jen.Id("name")))))
	f.Line()
}

// oneLine is text fit for a comment at the end of a line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
