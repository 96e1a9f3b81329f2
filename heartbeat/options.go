package heartbeat

import (
	"io"
	"log/slog"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// Option changes how a Member does its work.
type Option func(*options)

type options struct {
	callbacks Callbacks
	log       *slog.Logger
	trace     io.Writer
	onFired   func(Fired)
	hooks     fsm.Hooks[classic.State]
}

// WithCallbacks gives the functions that Poll calls. Run has no use for them.
func WithCallbacks(c Callbacks) Option { return func(o *options) { o.callbacks = c } }

// WithLogger lets the member log: changes of its state at level Info, failures at Warn, every other rule at Debug, each
// with the rule and its line. Without it the member is silent.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithTrace lets the member write all that it is told and all that it does to w, as TRACE.md describes; `kbeat replay`
// reads it. w is written by one goroutine at a time. A failure to write ends the trace, is logged, and harms nothing else.
func WithTrace(w io.Writer) Option { return func(o *options) { o.trace = w } }

// WithObserver lets f see each rule that decides, in order. f runs on the member's goroutine, which sends no heartbeat
// meanwhile: it must not block, and may call no method of the member but Status. If it panics, the loop has failed: the
// next poll returns that, and the one after it starts anew.
func WithObserver(f func(Fired)) Option { return func(o *options) { o.onFired = f } }

// WithHooks lets h see each change of the member's state, under the conditions of WithObserver.
func WithHooks(h fsm.Hooks[classic.State]) Option { return func(o *options) { o.hooks = h } }
