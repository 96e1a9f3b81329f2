package gen

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// effectsFile declares what rules can do.
func (p *plan) effectsFile() *jen.File {
	f := p.guarded()
	var members []member
	for _, e := range p.Effects {
		members = append(members, member{"Effect" + p.effectNames[e], e.Name, effectDoc(e)})
	}
	enum(f, "Effect", "effect", "Effect is something that a rule does. What it does to the memory and to timers has been done, or asked for, by the "+
		"machine; the rest is up to the handler.", 1, member{}, members)
	return f
}

// effectDoc is what the specification says of an effect, in one line.
func effectDoc(e *spec.Effect) string {
	var parts []string
	if e.Doc != "" {
		parts = append(parts, oneLine(e.Doc))
	}
	say := func(verb string, names []string) {
		if len(names) > 0 {
			parts = append(parts, verb+" "+strings.Join(names, ", "))
		}
	}
	say("sends", namesIn(e.Sends, func(i *spec.Input) string { return i.Name }))
	say("calls", e.Calls)
	say("answered by", namesIn(e.AnsweredBy, func(i *spec.Input) string { return i.Name }))
	say("takes", namesIn(e.Takes, func(i *spec.Identity) string { return i.Name }))
	say("drops", namesIn(e.Drops, func(i *spec.Identity) string { return i.Name }))
	say("sets", namesIn(e.Sets, func(f *spec.Flag) string { return f.Name }))
	say("clears", namesIn(e.Clears, func(f *spec.Flag) string { return f.Name }))
	say("starts", namesIn(e.Starts, func(t *spec.Timer) string { return t.Name }))
	say("forgets the attempts of", namesIn(e.Forgets, func(t *spec.Timer) string { return t.Name }))
	return strings.Join(parts, "; ")
}

func namesIn[T any](items []T, name func(T) string) []string {
	var out []string
	for _, i := range items {
		out = append(out, name(i))
	}
	return out
}

// parameter is the parameter list of an effect's method.
func parameter(e *spec.Effect) []jen.Code {
	if e.Parameter == "" {
		return nil
	}
	name := lowerFirst(goName(e.Parameter))
	if !token.IsIdentifier(name) || name == "fsm" {
		name = "text"
	}
	return []jen.Code{jen.Id(name).Qual(fsmPath, "Text")}
}

// methodDoc is the comment on an effect's method in a handler.
func (p *plan) methodDoc(e *spec.Effect) string {
	if doc := effectDoc(e); doc != "" {
		return fmt.Sprintf("%s: %s.", p.effectNames[e], doc)
	}
	return ""
}
