package heartbeat

import (
	"context"
	"errors"
	"fmt"
)

// errGivenUp ends the wait of a caller whose context has ended.
var errGivenUp = errors.New("the caller does not wait any more")

// caller is a goroutine of the application that waits inside Poll, Leave or Close. Callbacks run on it.
type caller struct {
	news   chan any // sessionCall or ended
	handle handler
	commit chan<- CommitEnded // of a Commit, which has no callbacks
}

// sessionCall is a Callback with the session that it is about.
type sessionCall struct {
	Callback
	session *Session
}

// handler tells the application something.
type handler func(context.Context, sessionCall) error

// ended tells a caller that what it waits for is over.
type ended struct{ err error }

// newCaller has room for all that can come before it looks: a callback, and the end.
func newCaller(handle handler) *caller {
	return &caller{news: make(chan any, 8), handle: handle}
}

// await lets the caller wait, and runs the callbacks that come meanwhile. When ctx ends, giveUp is called, once; the wait
// goes on until the member has answered that.
func (c *caller) await(ctx context.Context, m *Member, giveUp func()) error {
	done := ctx.Done()
	for {
		select {
		case <-done:
			done = nil
			giveUp()
		case <-m.done:
			return ErrClosed
		case news := <-c.news:
			switch news := news.(type) {
			case sessionCall:
				c.call(ctx, m, news)
			case ended:
				return news.err
			}
		}
	}
}

// call runs a callback, and tells the member how it ended; also when it panics, which is the application's to see.
func (c *caller) call(ctx context.Context, m *Member, callback sessionCall) {
	err := fmt.Errorf("%s callback: it did not return", callback.Kind)
	defer func() { m.post(CallbackEnded{err}, nil) }()
	err = c.handle(ctx, callback)
}

// tell gives the caller news; nobody waits where c is nil.
func (c *caller) tell(news any) {
	if c != nil {
		c.news <- news
	}
}
