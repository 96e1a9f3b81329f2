package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// givenUp ends the wait of a caller whose context has ended. trouble is what had failed last by then, or nil.
type givenUp struct{ trouble error }

func (*givenUp) Error() string { return "the caller does not wait any more" }

// settle is the error of a wait: where it was given up, the cause of ctx, with what had failed last.
func settle(ctx context.Context, err error) error {
	var g *givenUp
	switch {
	case !errors.As(err, &g):
		return err
	case g.trouble == nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w; the last try: %w", context.Cause(ctx), g.trouble)
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
}

// sessionCall is a Callback with the session that it is about.
type sessionCall struct {
	Callback
	session *Session
	leaving bool // it runs in Leave or Close
}

// handler tells the application something.
type handler func(context.Context, sessionCall) error

// ended tells a caller that what it waits for is over.
type ended struct{ err error }

// newCaller has room for all that can come before it looks: a callback, and the end.
func newCaller() *caller { return &caller{news: make(chan any, 2)} }

// await lets the caller wait, and runs the callbacks that come meanwhile. When ctx ends, giveUp is called, once; the wait
// goes on until the member has answered that.
func (c *caller) await(ctx context.Context, m *Member, giveUp func()) error {
	over := ctx.Done()
	for {
		select {
		case <-over:
			over = nil
			giveUp()
		case news := <-c.news:
			if end, ok := c.hear(ctx, m, news); ok {
				return end.err
			}
		case <-m.done:
			return c.last(ErrClosed)
		}
	}
}

// hear runs a callback, or says that the wait is over.
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
	err := fmt.Errorf("%s callback: it did not return", callback.Kind)
	defer func() { m.post(CallbackEnded{err}, nil) }()
	defer m.calls.end() // before the member hears of it, and may want the next
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	unlink := context.AfterFunc(m.ctx, func() { stop(ErrClosed) })
	defer unlink()
	err = m.handler()(ctx, callback)
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

// begin says whether a callback may run: none does from the end of the member on.
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
