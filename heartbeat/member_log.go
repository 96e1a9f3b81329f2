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
	level := levelOf(f)
	if !log.Enabled(context.Background(), level) {
		return
	}
	now := m.status.Load()
	attrs := []slog.Attr{
		slog.String("group", m.config.Group), slog.String("rule", f.Rule.Name), slog.String("at", f.Rule.At()),
		slog.String("state", f.To.String()), slog.String("member", now.Member), slog.Int("generation", int(now.Generation)),
		slog.Int("coordinator", int(now.Coordinator)),
	}
	switch e := f.Rule.Result.Error(); e.Kind {
	case fsm.ErrorNamed:
		attrs = append(attrs, slog.String("error", e.Name.String()))
	case fsm.ErrorCode:
		attrs = append(attrs, slog.String("error", e.Code.String()))
	}
	if f.Code != classic.CodeNone {
		attrs = append(attrs, slog.String("code", f.Code.String()))
		if message := f.Code.Message(); message != "" {
			attrs = append(attrs, slog.String("message", message))
		}
	}
	if err := m.behind(f); err != nil {
		attrs = append(attrs, slog.Any("err", err))
	}
	if f.Rule.Why != "" {
		attrs = append(attrs, slog.String("why", f.Rule.Why))
	}
	log.LogAttrs(context.Background(), level, f.Rule.Input.String(), attrs...)
}

// behind is what lies behind a rule: behind the answer that it decides about, or what the application has raised.
func (m *Member) behind(f Fired) error {
	switch f.Rule.Input {
	case classic.InputLoopBroke, classic.InputAssignmentFailed, classic.InputCallbackFailed:
		return m.loop.raised
	}
	return f.Err
}

// levelOf is how much a rule is worth an operator's attention: what ends the member's part in its generation, and what has
// failed, is Warn; a state that is entered on the way is Info.
func levelOf(f Fired) slog.Level {
	failed := f.Rule.Result.Error().Kind != fsm.ErrorNone
	switch f.Rule.Result.Class() {
	case fsm.ClassBackoff, fsm.ClassFatal, fsm.ClassIgnored:
		if failed {
			return slog.LevelWarn
		}
	case fsm.ClassRetry:
		if failed && f.From != f.To {
			return slog.LevelWarn
		}
	}
	if f.From != f.To {
		return slog.LevelInfo
	}
	return slog.LevelDebug
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
