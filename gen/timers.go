package gen

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

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
		specs = append(specs, keyed(name, timerSpec(t)))
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

// timerSpec is the literal, without its type, for how long a timer lasts.
func timerSpec(t *spec.Timer) *jen.Statement {
	fields := []jen.Code{keyed("Setting", jen.Lit(t.After)), keyed("Default", millis(t.Default))}
	if t.Most > 0 {
		fields = append(fields, keyed("Most", millis(t.Most)))
	}
	if t.Jitter > 0 {
		fields = append(fields, keyed("Jitter", jen.Lit(t.Jitter)))
	}
	return list(fields...)
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
