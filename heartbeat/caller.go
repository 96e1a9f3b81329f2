package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// givenUp ends the wait of a caller whose context has ended. last is what had failed last by then, or nil; waits is what
// is waited for.
type givenUp struct {
	last  error
	waits string
}

func (*givenUp) Error() string { return "the caller does not wait any more" }

// settle is the error of a wait: where it was given up, the cause of ctx, with what had failed last and what was waited for.
func (m *Member) settle(ctx context.Context, err error) error {
	var g *givenUp
	if !errors.As(err, &g) {
		return err
	}
	return m.timeIsUp(context.Cause(ctx), g.last, g.waits)
}

// timeIsUp is the error of a call whose time is over: it is cause, and names what has failed last, and what the call was
// waiting for.
func (m *Member) timeIsUp(cause, last error, waits string) error {
	if waits == "" {
		waits = fmt.Sprintf("the retry backoff to end, in state %s", m.State())
	}
	if last == nil {
		return fmt.Errorf("%w; group %q: waiting for %s", cause, m.config.Group, waits)
	}
	return fmt.Errorf("%w; the last failure: %w; waiting for %s", cause, last, waits)
}

// needContext says so where a caller gives no context, before anything is begun that would need one.
func needContext(ctx context.Context, call string) error {
	if ctx == nil {
		return fmt.Errorf("%s: the context is nil: give context.Background(), or one that ends", call)
	}
	return nil
}

// caller is a goroutine of the application that waits inside Poll, Leave or Close. Callbacks run on it.
type caller struct {
	news   chan any           // sessionCall or ended
	commit chan<- CommitEnded // of a Commit, which has no callbacks
	run    *runner            // that polls; nil for Poll itself
	renew  <-chan time.Time   // of a poll: when it counts as another one
	spent  string             // the callback during which the context has ended; "" where there was none
}

// sessionCall is a Callback with the session that it is about.
type sessionCall struct {
	Callback
	session *Session
	leaving bool // it runs in Leave or Close
}

// handler tells the application something.
type handler struct {
	call func(context.Context, sessionCall) error
	name string // of what it calls; "" where that is a callback of the kind in question
}

// of is what is called about c, for errors and logs.
func (h handler) of(c sessionCall) string {
	if h.name != "" {
		return h.name
	}
	return "the " + c.Kind.String() + " callback"
}

// ended tells a caller that what it waits for is over.
type ended struct{ err error }

// newCaller has room for all that can come before it looks: a callback, and the end.
func newCaller() *caller { return &caller{news: make(chan any, 2)} }

// await lets the caller wait, and runs the callbacks that come meanwhile. When ctx ends, giveUp is called, once; the wait
// goes on until the member has answered that. Where the member does not, because what it calls on its own goroutine does
// not return, the wait ends all the same; may says which tasks it can have been for. A poll that waits polls again and
// again, as its application cannot; not while a callback runs, for which the group waits MaxPollInterval at most.
func (c *caller) await(ctx context.Context, m *Member, may func(*task) bool, giveUp func()) error {
	over := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case <-over:
			over = nil
			giveUp()
			late = time.After(grace)
		case <-late:
			go c.attend(ctx, m)
			return &givenUp{m.Status().Failure, m.underway.list(may)}
		case news := <-c.news:
			if end, ok := c.hear(ctx, m, news); ok {
				return c.explain(ctx, end.err)
			}
			if late != nil { // a callback took the time in which the member may have answered
				late = time.After(grace)
			}
		case <-c.renew:
			if c.run.progress() == nil {
				m.mail.post(message{input: Poll{}, from: c, renews: true})
			}
		case <-c.run.progress():
			m.mail.post(message{input: Poll{}, from: c, renews: true})
		case <-m.over:
			return c.last(ErrClosed)
		}
	}
}

// explain names the callback that has taken all of the time, where that is why a wait has ended with err.
func (c *caller) explain(ctx context.Context, err error) error {
	var g *givenUp
	var e *Error
	if c.spent != "" && !errors.As(err, &e) && (errors.As(err, &g) || errors.Is(err, context.Cause(ctx)) || errors.Is(err, ctx.Err())) {
		return &givenUp{waits: c.spent}
	}
	return err
}

// attend runs the callbacks that still come for a caller who has gone, until the member knows that it has.
func (c *caller) attend(ctx context.Context, m *Member) {
	for {
		select {
		case news := <-c.news:
			if _, ok := c.hear(ctx, m, news); ok {
				return
			}
		case <-m.over:
			return
		}
	}
}

// hear runs a callback, or reports that the wait is over.
func (c *caller) hear(ctx context.Context, m *Member, news any) (end ended, ok bool) {
	if call, ok := news.(sessionCall); ok {
		c.call(ctx, m, call)
		return ended{}, false
	}
	return news.(ended), true
}

// last is the end that came before the member's own, and else err.
func (c *caller) last(err error) error {
	for {
		select {
		case news := <-c.news:
			if end, ok := news.(ended); ok {
				return end.err
			}
		default:
			return err
		}
	}
}

// call runs a callback, and tells the member how it ended; also when it panics, which is the application's to see.
func (c *caller) call(ctx context.Context, m *Member, callback sessionCall) {
	if !m.calls.begin() {
		return
	}
	h := m.handler()
	err := fmt.Errorf("%s callback: it did not return", callback.Kind)
	defer func() { m.post(CallbackEnded{err}, nil) }()
	defer m.calls.end() // before the member hears of it, and may want the next
	t := m.underway.begin(&task{what: h.of(callback), stopped: h.name != ""})
	defer m.underway.end(t)
	if t.stopped {
		told, cancel := context.WithCancel(context.Background())
		cancel()
		defer m.watch(told, t, nil)()
	}
	defer func(ctx context.Context) {
		if ctx.Err() != nil {
			c.spent = t.String()
		}
	}(ctx)
	ctx, stop := context.WithCancelCause(context.WithValue(m.mark(ctx, t.what), callKey{m}, t))
	defer stop(nil)
	unlink := context.AfterFunc(m.ctx, func() { stop(ErrClosed) })
	defer unlink()
	err = h.call(ctx, callback)
}

// tell gives the caller news; nobody waits where c is nil.
func (c *caller) tell(news any) {
	if c != nil {
		c.news <- news
	}
}

// calls is the application's callback that runs, if one does: the rules let no other begin before it has ended.
type calls struct {
	mu      sync.Mutex
	over    bool
	running chan struct{} // nil while none runs
}

// begin reports whether a callback may run: none does from the end of the member on.
func (c *calls) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.running = make(chan struct{})
	}
	return !c.over
}

func (c *calls) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.running)
	c.running = nil
}

// finish lets none begin any more, and returns what is closed when the one that runs has ended; nil where none does.
func (c *calls) finish() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	return c.running
}
