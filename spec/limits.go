package spec

import (
	"regexp"
	"slices"
	"strconv"
)

// Limit is a length of time: one Term, or the least (Choice "min") or the greatest ("max") of two.
type Limit struct {
	Text   string // as it is written: "max(request.timeout.ms, max.poll.interval.ms + 5000)"
	Choice string // "", "min" or "max"
	Terms  []Term
	Pos    Pos
}

// Term is a part of a Limit: a setting times Times, divided by Over, plus Plus; without a setting Plus alone.
type Term struct {
	Setting string
	Times   int // from 2 on, or 0: the setting as it is
	Over    int // from 2 on, or 0: the setting as it is
	Plus    int // milliseconds; can be negative
	Pos     Pos
}

var (
	choiceForm = regexp.MustCompile(`^(min|max)\(([^,()]*),([^,()]*)\)$`)
	termForm   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9._-]*)(?: \* ([0-9]{1,9}))?(?: / ([0-9]{1,9}))?(?: ([+-]) ([0-9]{1,9}))?$`)
	millisForm = regexp.MustCompile(`^[0-9]{1,9}$`)
)

// limit reads `TERM`, `min(TERM, TERM)` or `max(TERM, TERM)`. What it does not understand it reports, and returns nil.
func (r *reader) limit(w word, key string) *Limit {
	l := &Limit{Text: w.text, Pos: w.pos}
	parts := []word{w}
	if at := choiceForm.FindStringSubmatchIndex(w.text); at != nil {
		l.Choice = w.text[at[2]:at[3]]
		parts = []word{w.cut(at[4], at[5]), w.cut(at[6], at[7])}
	}
	for _, part := range parts {
		t, ok := r.term(part)
		if !ok {
			r.say(BadValue, part.pos, "%s is a TERM, min(TERM, TERM) or max(TERM, TERM); a TERM is MILLISECONDS, or SETTING [* NUMBER] [/ NUMBER] [+ or - MILLISECONDS], and not %s", key, part.text)
			return nil
		}
		l.Terms = append(l.Terms, t)
	}
	if len(l.Terms) == 2 && l.Terms[0].same(l.Terms[1]) {
		r.say(Duplicate, l.Terms[1].Pos, "%s: %s of the same twice: write it once", key, l.Choice)
	}
	return l
}

// term reads one TERM, and reports a setting that the catalogue does not have.
func (r *reader) term(w word) (Term, bool) {
	t := Term{Pos: w.pos}
	if millisForm.MatchString(w.text) {
		t.Plus, _ = strconv.Atoi(w.text)
		return t, true
	}
	parts := termForm.FindStringSubmatch(w.text)
	if parts == nil {
		return t, false
	}
	t.Setting = parts[1]
	for i, into := range []*int{2: &t.Times, 3: &t.Over, 5: &t.Plus} {
		if into == nil || parts[i] == "" {
			continue
		}
		if *into, _ = strconv.Atoi(parts[i]); *into == 0 || i < 5 && *into == 1 {
			return t, false
		}
	}
	if parts[4] == "-" {
		t.Plus = -t.Plus
	}
	if c := r.m.Catalogue; c != nil {
		r.listed(word{text: t.Setting, pos: w.pos}, "setting", c.Settings)
	}
	return t, true
}

func (t Term) same(u Term) bool {
	return t.Setting == u.Setting && t.Times == u.Times && t.Over == u.Over && t.Plus == u.Plus
}

// limits are all that the machine has, of timers and of requests.
func (m *Machine) limits() (all []*Limit) {
	for _, t := range m.Timers {
		all = append(all, t.After)
	}
	for _, q := range m.Requests {
		all = append(all, q.Limit, q.Again)
	}
	return slices.DeleteFunc(all, func(l *Limit) bool { return l == nil })
}
