//go:build specmutants

package heartbeat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// done is what a rule does, down to what is declared of its effects and its result.
func done(r *spec.Rule, errors []*spec.Error) string {
	var b strings.Builder
	for _, s := range r.To {
		fmt.Fprintf(&b, "to %s ", s.Name)
	}
	for _, do := range r.Effects() {
		e := do.Effect
		fmt.Fprintf(&b, "do %s %q sets %s clears %s drops %s takes %s starts %s forgets %s sends %s calls %s; ", e.Name, do.Text, namesOf(e.Sets, func(f *spec.Flag) string { return f.Name }),
			namesOf(e.Clears, func(f *spec.Flag) string { return f.Name }), namesOf(e.Drops, func(i *spec.Identity) string { return i.Name }),
			namesOf(e.Takes, func(i *spec.Identity) string { return i.Name }), namesOf(e.Starts, timerText),
			namesOf(e.Forgets, func(t *spec.Timer) string { return t.Name }), namesOf(e.Sends, func(i *spec.Input) string { return i.Name }), namesOf(e.Calls, func(c string) string { return c }))
	}
	if r.Result != nil {
		fmt.Fprintf(&b, "result %s %s %s", r.Result.Name, r.Result.Class, r.Result.Error)
		if i := slices.IndexFunc(errors, func(e *spec.Error) bool { return e.Name == r.Result.Error }); i >= 0 {
			fmt.Fprintf(&b, " retriable %t", errors[i].Retriable)
		}
	}
	return b.String()
}

func namesOf[T any](list []T, name func(T) string) string {
	var out []string
	for _, x := range list {
		out = append(out, name(x))
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

func timerText(t *spec.Timer) string {
	return fmt.Sprint(t.Name, " ", t.After.Text, " ", t.Default, " ", t.Most, " ", t.Jitter, " ", endOf(t))
}

// clocksOf says which timers run on one clock.
func clocksOf(m *spec.Machine) string {
	var b strings.Builder
	for _, t := range m.Timers {
		fmt.Fprintln(&b, t.Name, endOf(t))
	}
	return b.String()
}

func endOf(t *spec.Timer) string {
	switch {
	case t.Guard != nil:
		return t.Guard.Name
	case t.Event != nil:
		return t.Event.Name
	}
	return ""
}

// requestText is how long a request waits, and what ends it before.
func requestText(q *spec.Request) string {
	text := fmt.Sprint(q.Response.Name, " ", q.Limit.Text)
	if q.Again != nil {
		text += " again " + q.Again.Text
	}
	if q.Abandoned != nil {
		text += " " + q.Abandoned.Name
	}
	return text + " when " + namesOf(q.When, func(c *spec.Condition) string { return c.Text })
}

// declarations are what holds without any rule that does it: where a member begins, and how long timers last and requests wait.
func declarations(m *spec.Machine) string {
	var b strings.Builder
	fmt.Fprintln(&b, m.Initial.Name)
	for _, f := range m.Flags {
		fmt.Fprintln(&b, f.Name, f.Initial)
	}
	for _, t := range m.Timers {
		fmt.Fprintln(&b, timerText(t))
	}
	for _, q := range m.Requests {
		fmt.Fprintln(&b, requestText(q))
	}
	for _, e := range m.Errors {
		fmt.Fprintln(&b, e.Name, e.Retriable)
	}
	return b.String()
}

// decidesOtherwise reports whether two specifications decide differently somewhere.
func decidesOtherwise(a, b *spec.Machine) bool {
	left, right := inputsByName(a), inputsByName(b)
	shapes := map[spec.Decision]string{}
	for name, l := range left {
		r := right[name]
		for code, before := range l {
			after, ok := r[code]
			if !ok {
				return true
			}
			for _, d := range []spec.Decision{before, after} {
				if shapes[d] == "" {
					shapes[d] = shape(d)
				}
			}
			if shapes[before] != shapes[after] && differ(a, b, before, after, code) {
				return true
			}
		}
	}
	return false
}

type codeKey struct {
	name      string
	retriable bool
}

func inputsByName(m *spec.Machine) map[string]map[codeKey]spec.Decision {
	out := map[string]map[codeKey]spec.Decision{}
	for _, in := range m.Inputs() {
		out[in.Name] = map[codeKey]spec.Decision{}
		for _, c := range in.Cases {
			if in.Kind != spec.Response {
				out[in.Name][codeKey{}] = c.Decision
			}
			for _, code := range c.Codes {
				out[in.Name][codeKey{code.Name, code.Retriable}] = c.Decision
			}
		}
	}
	return out
}

// differ asks both decisions for all that one of them asks.
func differ(a, b *spec.Machine, before, after spec.Decision, code codeKey) bool {
	asked := spec.Asked(before)
	for _, t := range spec.Asked(after) {
		if !slices.ContainsFunc(asked, func(u spec.Test) bool { return u.Name() == t.Name() }) {
			asked = append(asked, t)
		}
	}
	for _, values := range spec.Assignments(asked, &spec.Code{Name: code.name, Retriable: code.retriable}) {
		for i, s := range a.States {
			if done(spec.Decide(before, s, values, nil), nil) != done(spec.Decide(after, b.States[i], values, nil), nil) {
				return true
			}
		}
	}
	return false
}

func shape(d spec.Decision) string {
	s, ok := d.(*spec.Switch)
	if !ok {
		return done(d.(*spec.Rule), nil)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%t{", s.Ordered)
	for _, a := range s.Arms {
		if a.When != nil {
			b.WriteString(a.When.Text + namesOf(a.When.States, func(s *spec.State) string { return s.Name }))
		}
		fmt.Fprintf(&b, ": %s; ", shape(a.Then))
	}
	return b.String() + "}"
}
