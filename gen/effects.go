package gen

import (
	"fmt"
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

// timersFile declares the timers.
func (p *plan) timersFile() *jen.File {
	f := p.guarded()
	var members []member
	var specs, bits []jen.Code
	bits = append(bits, jen.Lit(""))
	for _, t := range p.Timers {
		name := p.timerNames[t]
		doc := t.Doc
		switch {
		case t.Guard != nil:
			doc = strings.TrimPrefix(doc+"; its end is the guard "+t.Guard.Name, "; ")
		case t.Event != nil:
			doc = strings.TrimPrefix(doc+"; its end is the event "+t.Event.Name, "; ")
		}
		members = append(members, member{name, t.Name, doc})
		row := []jen.Code{keyed("Setting", jen.Lit(t.After)), keyed("Default", millis(t.Default))}
		if t.Most > 0 {
			row = append(row, keyed("Most", millis(t.Most)))
		}
		if t.Jitter > 0 {
			row = append(row, keyed("Jitter", jen.Lit(t.Jitter)))
		}
		specs = append(specs, keyed(name, list(row...)))
		bits = append(bits, jen.Lit(t.Name))
	}
	enum(f, "Timer", "timer", "Timer is one of the clocks that effects start.", 1, member{}, members)
	f.Var().Id("timerSpecs").Op("=").Index(jen.Op("...")).Qual(fsmPath, "TimerSpec").Add(lines(specs...))
	f.Line()
	comment(f, "Spec says how long the timer lasts; that of a timer that does not exist is zero.")
	f.Func().Params(jen.Id("t").Id("Timer")).Id("Spec").Params().Qual(fsmPath, "TimerSpec").Block(
		jen.If(jen.Int().Call(jen.Id("t")).Op(">=").Len(jen.Id("timerSpecs"))).Block(jen.Return(jen.Qual(fsmPath, "TimerSpec").Values())),
		jen.Return(jen.Id("timerSpecs").Index(jen.Id("t"))))
	f.Line()
	comment(f, "Timers is a set of timers; timer t is bit t.")
	f.Type().Id("Timers").Id(bitsFor(len(p.Timers) + 1))
	f.Line()
	comment(f, "Has says whether t is in the set.")
	f.Func().Params(jen.Id("t").Id("Timers")).Id("Has").Params(jen.Id("timer").Id("Timer")).Bool().Add(brief(
		jen.Return(jen.Id("t").Op(">>").Id("timer").Op("&").Lit(1).Op("==").Lit(1))))
	f.Line()
	f.Var().Id("timerSetNames").Op("=").Qual(fsmPath, "SetNames").Types(jen.Id("Timers")).Add(namesOf("timer", bits))
	f.Line()
	comment(f, "String joins the names of the timers in the set.")
	f.Func().Params(jen.Id("t").Id("Timers")).Id("String").Params().String().Add(brief(
		jen.Return(jen.Id("timerSetNames").Dot("String").Call(jen.Id("t")))))
	return f
}

func millis(n int) *jen.Statement {
	if n > 0 && n%1000 == 0 {
		return jen.Lit(n/1000).Op("*").Qual("time", "Second")
	}
	if n == 0 {
		return jen.Lit(0)
	}
	return jen.Lit(n).Op("*").Qual("time", "Millisecond")
}

// parameter is the parameter list of an effect's method.
func parameter(e *spec.Effect) []jen.Code {
	if e.Parameter == "" {
		return nil
	}
	return []jen.Code{jen.Id(lowerFirst(goName(e.Parameter))).Qual(fsmPath, "Text")}
}

// methodDoc is the comment on an effect's method in a handler.
func (p *plan) methodDoc(e *spec.Effect) string {
	if doc := effectDoc(e); doc != "" {
		return fmt.Sprintf("%s: %s.", p.effectNames[e], doc)
	}
	return ""
}
