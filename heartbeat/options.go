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
	describe  func(Callback) []slog.Attr
	trace     io.Writer
	onFired   func(Fired)
	hooks     fsm.Hooks[classic.State]
}

// WithCallbacks gives the functions that Poll calls. Run has no use for them.
func WithCallbacks(c Callbacks) Option { return func(o *options) { o.callbacks = c } }

// WithLogger lets the member log events in the words of an operator: at level Info "joined group", "assigned", "revoked",
// "rejoining group", "left group", "coordinator found", "coordinator moved"; at level Warn "lost partitions", "commit
// refused", and what has failed. Each has the group, the member id and generation before and after, and, where a rule of the
// specification has decided, the rule with its line and the code that was received; "took" counts from the moment in which
// the join was wanted.
//
// When lookups, joins or heartbeats go on to fail, the first failure is logged at Warn, then "still failing" with the number
// of failures of each code after 10 s, 30 s, 1 min and each further 5 min, and in the end "recovered" at Info. Status has the
// same for programs that do not log. At level Debug each rule that decides is "rule fired".
//
// l is called on the member's goroutine, which sends no heartbeat meanwhile: its handler must not block. If it panics, the
// loop has failed, as with WithObserver. The warning "abandoned call did not return" comes from another goroutine, at any
// time: the handler must be safe for concurrent use, as log/slog requires; a panic at that warning is ignored. No handler runs
// any more when Done is closed. Without a logger the member is silent.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.log = l } }

// WithDescription lets the lines "assigned", "revoked" and "lost partitions" say what an assignment means, which only the
// application knows: f's attributes are added to them. f is called before the application's own callback, with what comes
// (CallbackAssigned), or is to be released for the next generation (CallbackRevoked), or goes as a whole, also by a leave
// (CallbackLost, as soon as it is lost). Where f returns none no line is logged: a cooperative member that keeps what it
// has, say. f runs under the conditions of WithLogger, and not at all without a logger.
func WithDescription(f func(Callback) []slog.Attr) Option { return func(o *options) { o.describe = f } }

// WithTrace lets the member write all its inputs and outputs to w, as TRACE.md describes; `kbeat replay`
// reads it. w is written by one goroutine at a time. A failure to write ends the trace, is logged, and harms nothing else.
func WithTrace(w io.Writer) Option { return func(o *options) { o.trace = w } }

// WithObserver lets f see each rule that decides, in order. f runs on the member's goroutine, which sends no heartbeat
// meanwhile: it must not block, and may call no method of the member but Status. While it blocks, calls end with their
// context all the same, and name it. If it panics, the loop has failed: the
// next poll returns that, and the one after it starts anew.
func WithObserver(f func(Fired)) Option { return func(o *options) { o.onFired = f } }

// WithHooks lets h see each change of the member's state, under the conditions of WithObserver.
func WithHooks(h fsm.Hooks[classic.State]) Option { return func(o *options) { o.hooks = h } }
