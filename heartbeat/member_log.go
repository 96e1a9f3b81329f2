package heartbeat

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// logFired logs that a rule has decided.
func (m *Member) logFired(f Fired) {
	log := m.options.log
	if log == nil {
		return
	}
	level := slog.LevelDebug
	switch f.Rule.Result.Class() {
	case fsm.ClassBackoff, fsm.ClassFatal, fsm.ClassIgnored:
		level = slog.LevelWarn
	default:
		if len(f.Rule.To) > 0 {
			level = slog.LevelInfo
		}
	}
	if !log.Enabled(context.Background(), level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("group", m.config.Group), slog.String("rule", f.Rule.Name), slog.String("at", f.Rule.At()),
		slog.String("state", f.To.String()),
	}
	if f.Code != classic.CodeNone {
		attrs = append(attrs, slog.String("code", f.Code.String()))
	}
	if f.Err != nil {
		attrs = append(attrs, slog.Any("err", f.Err))
	}
	if f.Rule.Why != "" {
		attrs = append(attrs, slog.String("why", f.Rule.Why))
	}
	log.LogAttrs(context.Background(), level, f.Rule.Input.String(), attrs...)
}

// record writes what was told and done into the trace. A trace that cannot be written ends.
func (m *Member) record(now time.Duration, in Input, outputs []Output) {
	if m.loop.trace == nil {
		return
	}
	var err error
	broken := guard("trace", func() { err = m.loop.trace.Record(now, in, outputs) })
	if err = errors.Join(err, broken); err == nil {
		return
	}
	m.loop.trace = nil
	if m.options.log != nil {
		m.options.log.Error("the trace ends: it cannot be written", "group", m.config.Group, "err", err)
	}
}
