package gen

import (
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// statesFile declares what the machine is in and remembers: State, Flags and Memory.
func (p *plan) statesFile() *jen.File {
	f := p.guarded()
	var members []member
	for _, s := range p.States {
		members = append(members, member{p.stateNames[s], s.Name, s.Doc})
	}
	enum(f, "State", "state", "State is what the machine is.", 0, member{}, members)
	for _, g := range p.Groups {
		comment(f, fmt.Sprintf("%s reports whether s is of the group %s.", p.groupNames[g], g.Name))
		f.Func().Params(jen.Id("s").Id("State")).Id(p.groupNames[g]).Params().Bool().Add(brief(
			jen.Return(p.anyOf(jen.Id("s"), g.States))))
		f.Line()
	}
	if len(p.Flags) > 0 {
		p.flags(f)
	}
	p.memory(f)
	return f
}

func (p *plan) flags(f *jen.File) {
	comment(f, "Flags are what the machine remembers beside its state. Only effects change them.")
	f.Type().Id("Flags").Id(bitsFor(len(p.Flags)))
	f.Line()
	var consts, names []jen.Code
	for i, flag := range p.Flags {
		var value jen.Code
		if i == 0 {
			value = jen.Id("Flags").Op("=").Lit(1).Op("<<").Iota()
		}
		consts = append(consts, constant(member{p.flagNames[flag], flag.Name, flag.Doc}, value))
		names = append(names, jen.Lit(flag.Name))
	}
	f.Const().Defs(consts...)
	f.Line()
	comment(f, "Has reports whether all of flags are set.")
	f.Func().Params(jen.Id("f").Id("Flags")).Id("Has").Params(jen.Id("flags").Id("Flags")).Bool().Add(brief(
		jen.Return(jen.Id("f").Op("&").Id("flags").Op("==").Id("flags"))))
	f.Line()
	f.Var().Id("flagNames").Op("=").Qual(fsmPath, "SetNames").Types(jen.Id("Flags")).Add(namesOf("flag", names))
	f.Line()
	texts(f, "Flags", "flag", "flagNames")
}

func (p *plan) memory(f *jen.File) {
	fields := []jen.Code{jen.Id("State").Id("State")}
	initial := []jen.Code{keyed("State", jen.Id(p.stateNames[p.Initial]))}
	if len(p.Flags) > 0 {
		fields = append(fields, jen.Id("Flags").Id("Flags"))
		var set []string
		for _, flag := range p.Flags {
			if flag.Initial {
				set = append(set, p.flagNames[flag])
			}
		}
		if len(set) > 0 {
			initial = append(initial, keyed("Flags", or(set)))
		}
	}
	comment(f, "Memory is all that the machine knows. It is changed by the functions that handle inputs, and by nothing else.")
	f.Type().Id("Memory").Struct(fields...)
	f.Line()
	comment(f, "Initial is the memory of a machine to which nothing has happened.")
	f.Func().Id("Initial").Params().Id("Memory").Block(jen.Return(jen.Id("Memory").Add(list(initial...))))
}

// anyOf is the condition that state is one of states.
func (p *plan) anyOf(state *jen.Statement, states []*spec.State) *jen.Statement {
	s := &jen.Statement{}
	for i, one := range states {
		if i > 0 {
			s.Op("||")
		}
		s.Add(state).Op("==").Id(p.stateNames[one])
	}
	return s
}

// bitsFor is the smallest unsigned type that holds n bits; below 16 nothing is gained.
func bitsFor(n int) string {
	switch {
	case n <= 16:
		return "uint16"
	case n <= 32:
		return "uint32"
	default:
		return "uint64"
	}
}
