package spec

import "strings"

// condition reads `[not] guard and [not] guard in [not] STATE, GROUP`; either half may be missing. What it cannot resolve it
// reports, and returns false.
func (r *reader) condition(w word) (*Condition, bool) {
	c := &Condition{Text: strings.Join(strings.Fields(w.text), " "), Pos: w.pos}
	guards, states := w, word{}
	if i := strings.Index(w.text, " in "); i >= 0 {
		guards, states = w.cut(0, i), w.cut(i+len(" in "), len(w.text))
		if states.text == "" {
			r.say(UnknownName, w.pos, "%s: states are wanted after `in`", w.text)
			return c, false
		}
	} else if r.areStates(w) {
		guards, states = word{}, w
	}
	ok := true
	if guards.text != "" {
		ok = r.tests(c, guards)
	}
	if states.text != "" && !r.states(c, states) {
		ok = false
	}
	return c, ok
}

// areStates says that a condition without `in` is about states: a comma stands between states only.
func (r *reader) areStates(w word) bool {
	text := strings.TrimPrefix(w.text, "not ")
	if strings.Contains(text, ",") {
		return true
	}
	d := r.names[strings.TrimSpace(text)]
	return d != nil && (d.kind == stateKind || d.kind == groupKind)
}

func (r *reader) tests(c *Condition, w word) bool {
	ok := true
	for _, part := range w.split(" and ") {
		t := Test{Want: true, Pos: part.pos}
		if strings.HasPrefix(part.text, "not ") {
			t.Want, part = false, part.after("not ")
		}
		if strings.Contains(part.text, " or ") {
			r.say(UnknownName, part.pos, "%s: there is no `or`; write two lines", part.text)
			return false
		}
		if part.text == w.text && r.names[part.text] == nil { // the whole condition may have been meant to be a state
			r.say(UnknownName, part.pos, "unknown guard, flag or state %s%s", part.text, r.guess(part.text, r.namesOf(guardKind, flagKind, stateKind, groupKind)))
			return false
		}
		switch x := r.find(part, "guard or flag", guardKind, flagKind).(type) {
		case *Guard:
			t.Guard = x
		case *Flag:
			t.Flag = x
		default:
			ok = false
			continue
		}
		for _, before := range c.Tests {
			if before.Name() == t.Name() {
				r.say(NeverHolds, t.Pos, "%s stands twice in one condition", t.Name())
				ok = false
			} else if t.Want && before.Want && t.Guard != nil && before.Guard != nil && t.Guard.Question != nil && t.Guard.Question == before.Guard.Question {
				r.say(NeverHolds, t.Pos, "%s and %s are two answers of %s: they cannot both hold", before.Name(), t.Name(), t.Guard.Question.Name)
				ok = false
			}
		}
		c.Tests = append(c.Tests, t)
	}
	return ok
}

func (r *reader) states(c *Condition, w word) bool {
	negative := strings.HasPrefix(w.text, "not ")
	if negative {
		w = w.after("not ")
	}
	named, ok := map[*State]bool{}, true
	for _, part := range w.split(",") {
		var of []*State
		switch x := r.find(part, "state or group", stateKind, groupKind).(type) {
		case *State:
			of = []*State{x}
		case *Group:
			of = x.States
			r.groupsUsed[x] = true
		default:
			ok = false
		}
		for _, s := range of {
			if named[s] {
				r.say(Duplicate, part.pos, "%s: %s is named twice", w.text, s.Name)
			}
			named[s] = true
		}
	}
	c.States = []*State{}
	for _, s := range r.m.States {
		if named[s] != negative {
			c.States = append(c.States, s)
		}
	}
	if ok && len(c.States) == 0 {
		r.say(NeverHolds, w.pos, "%s: no state is left", c.Text)
		return false
	}
	return ok
}
