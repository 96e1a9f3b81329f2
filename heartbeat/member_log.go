package heartbeat

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// observe notes what the member has become by a step, and logs that, before anybody is notified. What logs must not harm the
// loop: if it panics, the loop has failed, and the application gets to know; a logger that panics also at that is not
// heard again.
func (m *Member) observe(now time.Duration, outputs []Output) {
	j, status := &m.loop.journal, m.core.Status()
	broken := m.outside("logger", func() { m.log(outputs, j.step(now, outputs, status)) })
	if j.outage.on() {
		status.Failure, status.FailingSince = j.outage.last, m.start.Add(j.outage.since)
	}
	if j.beaten {
		status.LastHeartbeat = m.start.Add(j.beat)
	}
	m.status.Store(&status)
	if broken != nil && !slices.ContainsFunc(outputs, isLoopBroke) {
		m.post(LoopBroke{broken}, nil)
	}
}

func isLoopBroke(o Output) bool {
	f, ok := o.(Fired)
	return ok && f.Rule.Input == classic.InputLoopBroke
}

// log logs each rule that has decided, then the events.
func (m *Member) log(outputs []Output, events []event) {
	log := m.options.log
	if log == nil {
		return
	}
	fired := func(o Output) bool { _, ok := o.(Fired); return ok }
	if slices.ContainsFunc(outputs, fired) && log.Enabled(context.Background(), slog.LevelDebug) {
		for _, o := range outputs {
			if f, ok := o.(Fired); ok {
				log.LogAttrs(context.Background(), slog.LevelDebug, "rule fired", attrsOf(m.loop.journal.decision(f))...)
			}
		}
	}
	for _, e := range events {
		level := slog.LevelInfo
		if e.failure {
			level = slog.LevelWarn
		}
		log.LogAttrs(context.Background(), level, e.message, attrsOf(e.attrs)...)
	}
}

func attrsOf(attrs []eventAttr) []slog.Attr {
	all := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		all[i] = slog.Any(a.key, a.value)
	}
	return all
}

// description lets the application describe what comes or goes.
func (m *Member) description(c Callback) []eventAttr {
	var all []eventAttr
	for _, a := range m.options.describe(c) {
		all = append(all, eventAttr{a.Key, a.Value})
	}
	return all
}

// record writes the input and the outputs of a step into the trace. A trace that cannot be written ends.
func (m *Member) record(now time.Duration, in Input, outputs []Output) {
	if m.loop.trace == nil {
		return
	}
	var err error
	broken := m.outside("trace", func() { err = m.loop.trace.Record(now, in, outputs) })
	if err = errors.Join(err, broken); err == nil {
		return
	}
	m.loop.trace = nil
	if m.options.log != nil {
		if broken := m.outside("logger", func() {
			m.options.log.Error("trace ended: it could not be written", "group", m.config.Group, "err", err)
		}); broken != nil {
			m.post(LoopBroke{broken}, nil)
		}
	}
}
