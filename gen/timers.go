package gen

import (
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// timersFile declares the timers.
func (p *plan) timersFile() *jen.File {
	f := p.guarded()
	var members []member
	var specs, clocks, bits []jen.Code
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
		clocks = append(clocks, keyed(name, jen.Lit(p.clocks[t])))
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
	p.clockOf(f, clocks)
	comment(f, "Timers is a set of timers; timer t is bit t.")
	f.Type().Id("Timers").Id(bitsFor(len(p.Timers) + 1))
	f.Line()
	comment(f, "Has reports whether t is in the set.")
	f.Func().Params(jen.Id("t").Id("Timers")).Id("Has").Params(jen.Id("timer").Id("Timer")).Bool().Add(brief(
		jen.Return(jen.Id("t").Op(">>").Id("timer").Op("&").Lit(1).Op("==").Lit(1))))
	f.Line()
	comment(f, "All are the timers in the set, in the order in which they are declared.")
	f.Func().Params(jen.Id("t").Id("Timers")).Id("All").Params().Qual("iter", "Seq").Types(jen.Id("Timer")).Block(
		jen.Return(jen.Func().Params(jen.Id("yield").Func().Params(jen.Id("Timer")).Bool()).Block(
			jen.For(
				jen.Id("rest").Op(":=").Id("t"),
				jen.Id("rest").Op("!=").Lit(0).Op("&&").Id("yield").Call(
					jen.Id("Timer").Call(jen.Qual("math/bits", "TrailingZeros64").Call(jen.Uint64().Call(jen.Id("rest"))))),
				jen.Id("rest").Op("&=").Id("rest").Op("-").Lit(1)).Block())))
	f.Line()
	f.Var().Id("timerSetNames").Op("=").Qual(fsmPath, "SetNames").Types(jen.Id("Timers")).Add(namesOf("timer", bits))
	f.Line()
	comment(f, "String joins the names of the timers in the set.")
	f.Func().Params(jen.Id("t").Id("Timers")).Id("String").Params().String().Add(brief(
		jen.Return(jen.Id("timerSetNames").Dot("String").Call(jen.Id("t")))))
	return f
}

// clockOf declares which timers run on one clock.
func (p *plan) clockOf(f *jen.File, clocks []jen.Code) {
	comment(f, "NumTimers is the number of timers, which count from 1; NumClocks that of the clocks they run on, which count from 0.")
	f.Const().Defs(
		jen.Id("NumTimers").Op("=").Lit(len(p.Timers)),
		jen.Id("NumClocks").Op("=").Lit(p.numberOfClocks()))
	f.Line()
	f.Var().Id("timerClocks").Op("=").Index(jen.Op("...")).Uint8().Add(lines(clocks...))
	f.Line()
	comment(f, "Clock is the clock that the timer runs on. Timers with the same end share one: it has run out when the timer that was started "+
		"last is over. A timer that does not exist has the clock -1.")
	f.Func().Params(jen.Id("t").Id("Timer")).Id("Clock").Params().Int().Block(
		jen.If(jen.Id("t").Op("==").Lit(0).Op("||").Int().Call(jen.Id("t")).Op(">=").Len(jen.Id("timerClocks"))).Block(jen.Return(jen.Lit(-1))),
		jen.Return(jen.Int().Call(jen.Id("timerClocks").Index(jen.Id("t")))))
	f.Line()
}

// numberClocks gives each timer the clock of the first one that has the same end.
func (p *plan) numberClocks() {
	next := 0
	for i, t := range p.Timers {
		first := slices.IndexFunc(p.Timers[:i], func(other *spec.Timer) bool { return other.Guard == t.Guard && other.Event == t.Event })
		if first >= 0 {
			p.clocks[t] = p.clocks[p.Timers[first]]
			continue
		}
		p.clocks[t] = next
		next++
	}
}

func (p *plan) numberOfClocks() int {
	return slices.Max(slices.Collect(maps.Values(p.clocks))) + 1
}

// timerSet is the set of these timers.
func (p *plan) timerSet(timers []*spec.Timer) *jen.Statement {
	return or(namesIn(timers, func(t *spec.Timer) string { return "1<<" + p.timerNames[t] }))
}

// timerSpec is the literal, without its type, for how long a timer lasts.
func timerSpec(t *spec.Timer) *jen.Statement {
	fields := []jen.Code{keyed("Length", limit(t.After)), keyed("Default", millis(t.Default))}
	if t.Most > 0 {
		fields = append(fields, keyed("Most", millis(t.Most)))
	}
	if t.Jitter > 0 {
		fields = append(fields, keyed("Jitter", jen.Lit(t.Jitter)))
	}
	if t.Free > 0 {
		fields = append(fields, keyed("Free", jen.Lit(t.Free)))
	}
	if t.Sending {
		fields = append(fields, keyed("FromSending", jen.True()))
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
