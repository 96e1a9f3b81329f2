package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// differs reports whether two machines do, remember, send or promise different things. Documentation and the prose that is
// passed on as a reason do not count: only the reader of a text can say that it is the wrong one. Its placeholders do count.
func differs(a, b *spec.Machine) bool {
	return declarations(a) != declarations(b) || decides(a, b)
}

// declarations are everything beside the decisions, as one text.
func declarations(m *spec.Machine) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	for _, s := range m.States {
		add("state %s %t %t enters %s leaves %s", s.Name, s == m.Initial, s.Final, promises(s.EntersWith), promises(s.LeavesWith))
	}
	for _, e := range m.Edges() {
		add("edge %s %s %t %t", e.From.Name, e.To.Name, e.Unused, e.Any)
	}
	for _, i := range m.Identity {
		add("identity %s", i.Name)
	}
	for _, f := range m.Flags {
		add("flag %s %t", f.Name, f.Initial)
	}
	for _, t := range m.Timers {
		add("timer %s %q %d %d %v %d %t %s %s", t.Name, t.After.Text, t.Default, t.Most, t.Jitter, t.Free, t.Sending, guard(t.Guard), input(t.Event))
	}
	for _, e := range m.Effects {
		add("effect %s sets %s clears %s drops %s takes %s starts %s forgets %s sends %s calls %v answered %s only %s parameter %s %t",
			e.Name, names(e.Sets), names(e.Clears), names(e.Drops), names(e.Takes), names(e.Starts), names(e.Forgets), names(e.Sends),
			slices.Sorted(slices.Values(e.Calls)), names(e.AnsweredBy), condition(e.Only), e.Parameter, e.Required)
	}
	for _, q := range m.Requests {
		abandoned := ""
		if q.Abandoned != nil {
			abandoned = q.Abandoned.Name
		}
		var when []string
		for _, c := range q.When {
			when = append(when, condition(c))
		}
		slices.Sort(when)
		add("request %s %s again %s as %s when %v", q.Response.Name, limit(q.Limit), limit(q.Again), abandoned, when)
	}
	for _, e := range m.Errors {
		add("error %s %t", e.Name, e.Retriable)
	}
	for _, g := range m.Results {
		for _, r := range g.Results {
			add("result %s %s %s %s %s", names(g.Inputs), r.Name, r.Class, r.Error, dos(r.Do))
		}
	}
	for _, x := range m.Musts {
		add("must %s %s %s %s", names(x.Drops), names(x.Flags), names(x.Effects), names(x.States))
	}
	for _, x := range m.Absorbing {
		add("absorbing %s", x.State.Name)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// decides reports whether some cell is decided differently. Both machines are asked for everything that one of them asks.
func decides(a, b *spec.Machine) bool {
	left, right := cases(a), cases(b)
	if len(left) != len(right) {
		return true
	}
	type pair struct {
		left, right spec.Decision
		retriable   bool // all that a decision can ask of a code
	}
	known := map[pair]bool{}
	for key, l := range left {
		r, ok := right[key]
		if !ok {
			return true
		}
		p := pair{l.decision, r.decision, l.code != nil && l.code.Retriable}
		if known[p] || structure(l.decision) == structure(r.decision) {
			continue
		}
		known[p] = true
		asked := spec.Asked(l.decision)
		for _, t := range spec.Asked(r.decision) {
			if !slices.ContainsFunc(asked, func(u spec.Test) bool { return u.Name() == t.Name() }) {
				asked = append(asked, t)
			}
		}
		for _, values := range spec.Assignments(asked, l.code) {
			for i, s := range a.States {
				if i >= len(b.States) || rule(spec.Decide(l.decision, s, values, nil)) != rule(spec.Decide(r.decision, b.States[i], values, nil)) {
					return true
				}
			}
		}
	}
	return false
}

type decided struct {
	decision spec.Decision
	code     *spec.Code
}

func cases(m *spec.Machine) map[string]decided {
	out := map[string]decided{}
	for _, in := range m.Inputs() {
		for _, c := range in.Cases {
			if in.Kind != spec.Response {
				out[in.Name] = decided{c.Decision, nil}
			}
			for _, code := range c.Codes {
				out[in.Name+"/"+code.Name] = decided{c.Decision, code}
			}
		}
	}
	return out
}

// structure is a decision as text, without its reasons.
func structure(d spec.Decision) string {
	s, ok := d.(*spec.Switch)
	if !ok {
		return rule(d.(*spec.Rule))
	}
	var out []string
	for _, a := range s.Arms {
		out = append(out, condition(a.When)+": "+structure(a.Then))
	}
	return fmt.Sprintf("%t{%s}", s.Ordered, strings.Join(out, "; "))
}

func rule(r *spec.Rule) string {
	if r == nil {
		return "nothing"
	}
	result := ""
	if r.Result != nil {
		result = r.Result.Name
	}
	var to []string
	for _, s := range r.To {
		to = append(to, s.Name)
	}
	return fmt.Sprintf("%v %s %s", to, dos(r.Do), result)
}

func condition(c *spec.Condition) string {
	if c == nil {
		return "else"
	}
	var tests []string
	for _, t := range c.Tests {
		tests = append(tests, fmt.Sprintf("%s %t", t.Name(), t.Want))
	}
	slices.Sort(tests)
	return fmt.Sprintf("%v %t %s", tests, c.States == nil, names(c.States))
}

func limit(l *spec.Limit) string {
	if l == nil {
		return ""
	}
	return l.Text
}

func guard(g *spec.Guard) string {
	if g == nil {
		return ""
	}
	return g.Name
}

func input(in *spec.Input) string {
	if in == nil {
		return ""
	}
	return in.Name
}

func promises(list []spec.Promise) string {
	var out []string
	for _, p := range list {
		out = append(out, p.Name())
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

var placeholder = regexp.MustCompile(`\{\w+\}`)

func dos(list []spec.Do) string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%s%v", d.Effect.Name, placeholder.FindAllString(d.Text, -1)))
	}
	return strings.Join(out, ",")
}

// names of declarations, sorted: their order means nothing.
func names[T interface {
	*spec.State | *spec.Flag | *spec.Effect | *spec.Identity | *spec.Timer | *spec.Input
}](list []T) string {
	var out []string
	for _, x := range list {
		switch x := any(x).(type) {
		case *spec.State:
			out = append(out, x.Name)
		case *spec.Flag:
			out = append(out, x.Name)
		case *spec.Effect:
			out = append(out, x.Name)
		case *spec.Identity:
			out = append(out, x.Name)
		case *spec.Timer:
			out = append(out, x.Name)
		case *spec.Input:
			out = append(out, x.Name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}
