package spec

import (
	"slices"
	"strings"
)

// Request says how long a request waits for its answer, and what ends it before.
type Request struct {
	Response *Input // that answers it
	Doc      string
	// Deviates says why it differs from the original on purpose.
	Deviates string
	Limit    *Limit
	Again    *Limit // after which it is sent once more beside itself; nil where it is sent once
	// Abandoned is what its response has where one of When holds before it is answered; nil where nothing but its limit ends it.
	Abandoned *Code
	When      []*Condition
	Pos       Pos
}

// RequestOf is the request that a response answers; nil for other inputs.
func (m *Machine) RequestOf(in *Input) *Request {
	for _, q := range m.Requests {
		if q.Response == in {
			return q
		}
	}
	return nil
}

// Asked lists what the conditions ask that end the request, each once, in the order of the text.
func (q *Request) Asked() []Test {
	s := &Switch{}
	for _, c := range q.When {
		s.Arms = append(s.Arms, Arm{When: c})
	}
	return Asked(s)
}

// readRequests reads how long each request waits, and what ends it before.
func (r *reader) readRequests() {
	for _, f := range r.mapping(r.top.get("requests"), "requests") {
		in, known := r.find(f.key, "response", responseKind).(*Input)
		a := r.known(f.value, f.key.text, atRequest)
		q := &Request{Response: in, Doc: r.text(a.get("doc"), "doc"), Deviates: r.text(a.get("deviates"), "deviates"), Pos: f.key.pos}
		if n := a.get("limit"); n != nil {
			if w := r.scalar(n, "limit"); w.text != "" {
				q.Limit = r.limit(w, "limit")
			}
		} else if len(a) > 0 {
			r.say(Missing, q.Pos, "%s has no limit: say how long it waits for its answer", f.key.text)
		}
		if n := a.get("again"); n != nil {
			if w := r.scalar(n, "again"); w.text != "" {
				q.Again = r.limit(w, "again")
			}
		}
		r.readAbandoned(q, f.key.text, a)
		if !known {
			r.lost.conditions = true
			continue
		}
		r.m.Requests = append(r.m.Requests, q)
	}
}

// readAbandoned reads what ends a request before its limit, and how its response then is.
func (r *reader) readAbandoned(q *Request, name string, a fields) {
	code, when := a.get("abandoned"), a.get("when")
	switch {
	case code != nil && when == nil:
		r.say(Missing, a.where("abandoned"), "%s: say `when` it is abandoned: [CONDITION, …]", name)
	case code == nil && when != nil:
		r.say(Missing, a.where("when"), "%s: say how its response then is: `abandoned: CODE`, one of the catalogue's unanswered ends", name)
	}
	if code != nil {
		q.Abandoned = r.unansweredEnd(r.scalar(code, "abandoned"), name)
	}
	for _, w := range r.words(when, "when") {
		c, ok := r.condition(w)
		if !ok {
			r.lost.conditions = true
			continue
		}
		for _, before := range q.When {
			switch {
			case same(before, c):
				r.conflict(SameCondition, c.Pos, before.Pos, "%s: the same condition stands twice", name)
			case before.covers(c):
				r.conflict(DeadRule, c.Pos, before.Pos, "%s: this condition ends nothing: where it holds the other one does", name)
			case c.covers(before):
				r.conflict(DeadRule, before.Pos, c.Pos, "%s: this condition ends nothing: where it holds the other one does", name)
			}
		}
		q.When = append(q.When, c)
	}
}

// unansweredEnd finds the code that a response has which nobody waits for any more.
func (r *reader) unansweredEnd(w word, name string) *Code {
	c := r.m.Catalogue
	if w.text == "" || c == nil {
		return nil
	}
	var ends []string
	for _, x := range c.Unanswered {
		if x.Name == w.text {
			return x
		}
		ends = append(ends, x.Name)
	}
	have := ""
	if c.Code(w.text) != nil {
		have = " (it is a code that an answer has)"
	}
	r.say(UnknownCode, w.pos, "%s: abandoned as %s: there is no such unanswered end%s%s", name, w.text, have, near(w.text, ends))
	return nil
}

// covers reports whether a condition holds wherever another one does.
func (c *Condition) covers(other *Condition) bool {
	for _, t := range c.Tests {
		if !slices.ContainsFunc(other.Tests, func(u Test) bool { return u.Name() == t.Name() && u.Want == t.Want }) {
			return false
		}
	}
	return c.States == nil || other.States != nil &&
		!slices.ContainsFunc(other.States, func(s *State) bool { return !slices.Contains(c.States, s) })
}

// lifetimes checks that each request that is sent has its limit, and that what ends it can be asked while it waits.
func (k *checker) lifetimes() {
	for _, in := range k.m.Responses {
		sent := k.someEffect(func(e *Effect) bool { return slices.Contains(e.Sends, in) })
		if sent && k.m.RequestOf(in) == nil {
			k.idle(Unlimited, in.Name, in.Pos, "%s is sent, and `requests` does not say how long it waits: write `%s: {limit: …}`", in.Name, in.Name)
		}
	}
	for _, q := range k.m.Requests {
		k.untold(q)
		asked := q.Asked()
		for _, t := range asked {
			if g := t.Guard; g != nil && !slices.ContainsFunc(g.Scope, outlasts) {
				k.conflict(GuardScope, t.Pos, g.Pos, "%s: %s can be asked of %s only, and a request that waits for its answer asks of request, member or config",
					q.Response.Name, g.Name, strings.Join(g.Scope, ", "))
			}
		}
		points := &plan{in: &Input{Kind: Event}, asked: asked, states: len(k.m.States)}
		if len(asked) > maxQuestions || points.size() > maxCells {
			k.say(TooMuch, q.Pos, "%s: what ends this request asks more than %d questions, or too many answers: ask less", q.Response.Name, maxQuestions)
		}
	}
}

// untold reports a rule by which who waits for a request that is abandoned would wait on.
func (k *checker) untold(q *Request) {
	for _, c := range q.Response.Cases {
		if c.Otherwise || q.Abandoned == nil || !slices.Contains(c.Codes, q.Abandoned) {
			continue
		}
		walk(c.Decision, func(rule *Rule) {
			if x := rule.Result; x != nil && x.Group == nil && q.Response.Results != nil {
				k.conflict(NoResult, rule.Pos, q.Pos, "%s: %s, and whoever waits for an abandoned request would wait on: give one of the results", rule.Name, x.Name)
			}
		}, nil)
	}
}

// outlasts reports whether a scope of guards can be asked at any time, without an answer.
func outlasts(scope string) bool {
	return slices.Contains([]string{"request", "member", "config"}, scope)
}
