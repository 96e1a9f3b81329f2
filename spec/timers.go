package spec

import (
	"slices"
	"strconv"
)

// Timer says how long something lasts, and what its end is: a guard that holds from then on, or an event.
// A timer that was never started is over. Timers with the same guard are one clock: the last one started counts.
type Timer struct {
	Name    string
	Doc     string
	After   *Limit  // how long it lasts
	Default int     // milliseconds, where the settings have their defaults
	Most    int     // milliseconds; above 0 the length doubles with each attempt, up to Most
	Jitter  float64 // 0.2 is ± 20 %
	Free    int     // with Most: how many attempts have no pause, before the length begins to grow
	Sending bool    // it counts from the sending of the request that is answered, and not from its answer
	Guard   *Guard
	Event   *Input
	Pos     Pos
}

// readTimers reads how long things last, and declares the guards that their ends are.
func (r *reader) readTimers() {
	for _, f := range r.mapping(r.top.get("timers"), "timers") {
		a := r.known(f.value, f.key.text, atTimer)
		t := &Timer{
			Name:    f.key.text,
			Doc:     r.text(a.get("doc"), "doc"),
			Default: r.number(a.get("default"), "default", 0),
			Most:    r.number(a.get("most"), "most", 1),
			Jitter:  r.jitter(a),
			Free:    r.number(a.get("free"), "free", 1),
			Sending: r.fromSending(a),
			Pos:     f.key.pos,
		}
		if w := r.scalar(a.get("after"), "after"); w.text != "" {
			t.After = r.limit(w, "after")
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
		if t.Free > 0 && t.Most == 0 {
			r.say(BadValue, a.where("free"), "timer %s: free counts attempts, and without `most` all are alike", t.Name)
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

// fromSending reads `from: sending`; without it a timer counts from the moment in which it is started.
func (r *reader) fromSending(a fields) bool {
	n := a.get("from")
	if n == nil {
		return false
	}
	if w := r.scalar(n, "from"); w.text != "sending" {
		r.say(BadValue, w.pos, "from is %s: write `from: sending`, or leave it out", w.text)
	}
	return true
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
