package screen

import (
	"slices"
	"strings"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// rule shows a decision: at once, when it costs the member something; when the act is over, when it is part of everyday
// life; else not at all.
func (s *Screen) rule(e event.Event) {
	f := e.Fired
	isError := f.Code != classic.CodeNone
	if isError {
		s.decided.add(e)
	}
	expelled := f.From != classic.Unjoined && f.To == classic.Unjoined
	switch {
	case expelled, isError && costly(f.Rule.Result.Class()):
		s.decision(e)
	case isError && s.acts > 0:
		s.everyday.add(e)
	case isError:
		s.decision(e)
	}
}

// costly reports whether a result means that something has not come about.
func costly(c fsm.Class) bool {
	return c == fsm.ClassBackoff || c == fsm.ClassFatal || c == fsm.ClassIgnored
}

// decision shows a rule: for the first time with all that the specification says of it.
func (s *Screen) decision(e event.Event) {
	f := e.Fired
	what, colour := subject(e), yellow
	if f.From != f.To {
		what += " → " + e.State
		if f.To == classic.Unjoined {
			colour = red
		}
	}
	room := width - len(indent) - nameWidth - len(e.At) - 2
	s.line(s.clock(e) + s.name(e.Member) + s.paint(colour, pad(what, room)) + "  " + s.paint(faint, e.At))
	if s.told[f.Rule] {
		return
	}
	s.told[f.Rule] = true
	for _, detail := range details(e) {
		for i, l := range wrap(detail.text, width-len(indent)-nameWidth-detailWidth) {
			label := ""
			if i == 0 {
				label = detail.label
			}
			s.line(indent + pad("", nameWidth) + s.paint(faint, pad(label, detailWidth)+l))
		}
	}
}

// subject is what a rule decides about: the response and its code, or the event or loop with the rule's conditions.
func subject(e event.Event) string {
	if e.Code != "" {
		return e.Input + " " + e.Code
	}
	text := e.Input
	if e.Fired.Rule.Input.Kind() == fsm.KindLoop {
		text = "loop " + text
	}
	if conditions := strings.Split(e.Rule, "/")[1:]; len(conditions) > 0 {
		text += ": " + strings.Join(conditions, ", ")
	}
	return text
}

const detailWidth = 6

type detail struct{ label, text string }

// details is what the specification says of a rule.
func details(e event.Event) []detail {
	var found []detail
	if path := strings.Split(e.Rule, "/"); e.Code != "" && len(path) > 2 {
		found = append(found, detail{"if", strings.Join(path[2:], ", ")})
	}
	if len(e.Do) > 0 {
		found = append(found, detail{"does", strings.Join(e.Do, ", ")})
	}
	if e.Reason != "" {
		found = append(found, detail{"says", e.Reason})
	}
	switch {
	case e.Why != "":
		found = append(found, detail{"why", e.Why})
	case e.Deviates != "":
		found = append(found, detail{"why", e.Deviates})
	}
	if e.Error != "" {
		found = append(found, detail{"from", e.Error})
	}
	return found
}

// everyday is decisions of one act, by rule and code, in order of appearance.
type everyday struct{ rows []*everydayRow }

type everydayRow struct {
	event   event.Event // the first
	members []string
}

func (d *everyday) add(e event.Event) {
	i := slices.IndexFunc(d.rows, func(r *everydayRow) bool { return r.event.At == e.At && r.event.Code == e.Code })
	if i < 0 {
		i = len(d.rows)
		d.rows = append(d.rows, &everydayRow{event: e})
	}
	if r := d.rows[i]; !slices.Contains(r.members, e.Member) {
		r.members = append(r.members, e.Member)
	}
}

// showEveryday shows what was kept for the end of the act, each rule with the first of its effects, or the first one that has
// a reason.
func (s *Screen) showEveryday() {
	for _, r := range s.everyday.rows {
		text := subject(r.event)
		if do := r.event.Fired.Rule.Do; len(do) > 0 {
			i := max(0, slices.IndexFunc(do, func(d classic.Do) bool { return d.Text != "" }))
			text += ": " + do[i].Effect.String()
		}
		members := byAge(r.members)
		room := width - len(indent) - nameWidth - len([]rune(text)) - len(r.event.At) - len(strings.Join(members, " ")) - 4
		for i, m := range members {
			members[i] = s.paint(s.colourOf(m), m)
		}
		s.line(indent + pad("", nameWidth) + text + "  " + strings.Join(members, " ") + pad("", room) + "  " + s.paint(faint, r.event.At))
	}
	s.everyday = everyday{}
}
