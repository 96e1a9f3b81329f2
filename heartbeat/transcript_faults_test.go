package heartbeat_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// faults are what is not the member's own and can fail it: what it tells of its rules, what carries its requests, and what
// divides the group's work. It fails as a transcript says, once.
type faults struct {
	world *world
	who   string
	logs  bool // failures are written into the diary

	mu     sync.Mutex
	broken string                      // what panics when it is called next
	still  time.Duration               // how long the member stands still at its next rule
	divide func(context.Context) error // before the next assignment
}

func (f *faults) options() []heartbeat.Option {
	return []heartbeat.Option{
		heartbeat.WithLogger(slog.New(f)),
		heartbeat.WithHooks(fsm.Hooks[classic.State]{Enter: func(classic.State) { f.strike("hook") }}),
	}
}

// panics lets the next call of what the first argument names panic.
func (s *script) panics() {
	f := s.app().faults
	switch s.arg(0) {
	case "observer", "hook", "logger":
	case "transport":
		f = s.carrier
	default:
		s.d.Fatalf(s.t, "%q does not panic", s.arg(0))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = s.arg(0)
}

func (s *script) stall() {
	f := s.app().faults
	f.mu.Lock()
	defer f.mu.Unlock()
	f.still = s.parse(s.arg(0))
}

// strike panics when it is what's turn.
func (f *faults) strike(what string) {
	f.mu.Lock()
	hit := f.broken == what
	if hit {
		f.broken = ""
	}
	f.mu.Unlock()
	if hit {
		panic("the " + what + " is broken")
	}
}

// see is called at each rule, by the goroutine of the member.
func (f *faults) see() {
	f.mu.Lock()
	still := f.still
	f.still = 0
	f.mu.Unlock()
	time.Sleep(still)
	f.strike("observer")
}

func (f *faults) dividing(conduct func(context.Context) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.divide = conduct
}

// beforeAssignment is what comes before the application divides the group's work.
func (f *faults) beforeAssignment(ctx context.Context) error {
	f.mu.Lock()
	divide := f.divide
	f.divide = nil
	f.mu.Unlock()
	if divide == nil {
		return nil
	}
	return divide(ctx)
}

// Enabled is slog.Handler's, as the rest: it takes failures only.
func (f *faults) Enabled(_ context.Context, l slog.Level) bool {
	f.strike("logger")
	return f.logs && l >= slog.LevelWarn
}

func (f *faults) Handle(_ context.Context, r slog.Record) error {
	text := fmt.Sprintf("%s %s", r.Level, r.Message)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "rule" || a.Key == "code" || a.Key == "error" {
			text += fmt.Sprintf(" %s=%q", a.Key, a.Value)
		}
		return true
	})
	f.world.diary.add(noticed, f.who, "%s", text)
	return nil
}

func (f *faults) WithAttrs([]slog.Attr) slog.Handler { return f }

func (f *faults) WithGroup(string) slog.Handler { return f }
