package heartbeat

import "github.com/kbeat/kbeat/fsm/classic"

// recover lets all be well from now on: then the member must get into the group.
func (l *life) recover() {
	mostTurns := 100 + len(l.open)
	for turn := 0; !l.watching.closed && !l.settled(); turn++ {
		l.must(turn < mostTurns, "all is well, and the member does not get into the group: %+v", l.core.Status())
		l.wellTurn()
	}
}

// stay goes on so: the member must stay in the group.
func (l *life) stay() {
	if l.watching.closed {
		return
	}
	for past := l.now + l.core.config.SessionTimeout; l.now < past; { // a session that nearly ended before may still end
		l.wellTurn()
	}
	l.recover()
	beats, until := 0, l.now+10*l.core.config.HeartbeatInterval
	for turn := 0; l.now < until; turn++ {
		l.must(turn < 100, "time stands still")
		beats += l.wellTurn()
		l.must(l.settled(), "all is well, and the member leaves the group: %+v", l.core.Status())
	}
	l.must(beats >= 9 && beats <= 11, "%d heartbeats in ten intervals", beats)
}

// settled reports whether the member has all that one wants.
func (l *life) settled() bool {
	w := &l.watching
	return l.core.memory.State == classic.Stable && !w.polling && !w.running && !w.leaving && w.holding == holds && !l.core.Wants()
}

// wellTurn lets the next good thing happen, and counts the heartbeats that were sent.
func (l *life) wellTurn() (beats int) {
	var out []Output
	switch w := &l.watching; {
	case w.running:
		out = l.step(CallbackEnded{})
	case l.core.has(classic.AssignmentRunning):
		out = l.step(Assigned{Join: l.core.join.id, Assignments: []Assignment{{Member: l.core.who.member}}})
	case len(l.open) > 0:
		r := l.good(l.open[0])
		r.ProtocolType, r.Protocol = nil, nil
		out = l.step(r)
	case !w.polling && l.core.Wants():
		out = l.step(Poll{})
	default:
		deadline, ok := l.core.Deadline()
		l.must(ok, "nothing can come any more: %+v", l.core.Status())
		if !w.polling {
			out = l.step(Poll{})
		}
		l.now = deadline
		out = append(out, l.step(Tick{})...)
	}
	for _, o := range out {
		if r, ok := o.(Request); ok && r.API == classic.InputHeartbeat {
			beats++
		}
	}
	return beats
}
