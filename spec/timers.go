package spec

import (
	"slices"
	"strconv"
)

// readTimers reads how long things last, and declares the guards that their ends are.
func (r *reader) readTimers() {
	for _, f := range r.mapping(r.top.get("timers"), "timers") {
		a := r.known(f.value, f.key.text, atTimer)
		after := r.scalar(a.get("after"), "after")
		if c := r.m.Catalogue; c != nil {
			r.listed(after, "setting", c.Settings)
		}
		t := &Timer{
			Name:    f.key.text,
			Doc:     r.text(a.get("doc"), "doc"),
			After:   after.text,
			Default: r.number(a.get("default"), "default", 0),
			Most:    r.number(a.get("most"), "most", 1),
			Jitter:  r.jitter(a),
			Pos:     f.key.pos,
		}
		r.m.Timers = append(r.m.Timers, t)
		r.declare(f.key, timerKind, t)
		for _, key := range []string{"after", "default"} {
			if a.get(key) == nil {
				r.say(Missing, t.Pos, "timer %s has no %s", t.Name, key)
			}
		}
		if t.Most > 0 && t.Most < t.Default {
			r.say(BadValue, a.where("most"), "timer %s: most is %d and default %d: it cannot grow up to less than it begins with", t.Name, t.Most, t.Default)
		}
		r.timerEnd(t, a)
	}
}

// timerEnd reads what a timer's end is: a guard of its own, or an event.
func (r *reader) timerEnd(t *Timer, a fields) {
	guard, event := a.get("guard"), a.get("event")
	switch {
	case guard != nil && event != nil:
		r.say(Shape, a.where("event"), "timer %s: its end is a guard or an event, not both", t.Name)
	case guard == nil && event == nil:
		r.say(Missing, t.Pos, "timer %s: say what its end is: `guard: NAME` or `event: NAME`", t.Name)
	}
	if guard != nil {
		w := r.scalar(guard, "guard")
		if d := r.names[w.text]; d != nil && d.kind == guardKind && d.at.(*Guard).Timer != nil {
			t.Guard = d.at.(*Guard) // two timers, one clock
			return
		}
		t.Guard = &Guard{Name: w.text, Doc: t.Doc, Scope: []string{"timer"}, Timer: t, Pos: w.pos}
		r.addGuard(t.Guard, w)
	}
	if event != nil {
		t.Event, _ = r.find(r.scalar(event, "event"), "event", eventKind).(*Input)
	}
}

func (r *reader) jitter(a fields) float64 {
	n := a.get("jitter")
	if n == nil {
		return 0
	}
	w := r.scalar(n, "jitter")
	v, err := strconv.ParseFloat(w.text, 64)
	if err != nil || !(v > 0 && v < 1) {
		r.say(BadValue, w.pos, "jitter is a part of the length between 0 and 1 (0.2 is ± 20 %%), not %s", w.text)
		return 0
	}
	return v
}

// listed reports a name that the catalogue does not have, where it lists such names.
func (r *reader) listed(w word, what string, known []string) {
	if len(known) > 0 && w.text != "" && !slices.Contains(known, w.text) {
		r.say(UnknownName, w.pos, "the catalogue has no %s %s%s", what, w.text, near(w.text, known))
	}
}
