package heartbeat

import (
	"context"
	"fmt"
	"time"
)

// Leave takes the member out of the group: the application releases what it owns (Revoked, or the end of Run's work),
// and the coordinator is notified, so that the partitions move at once. A static member keeps its place unless mode is
// LeaveAlways. A Poll or Run under way ends with ErrLeft; a later one waits until the member has left, but not longer than
// 5 s for a coordinator that does not answer, and joins again. reason travels to the coordinator. While one Leave goes on,
// another one waits for its end.
//
// The error is what the callback has returned, why the coordinator may not have been notified, or the cause of ctx with what was
// waited for: the member then leaves all the same, without anybody waiting. It waits for the callback that runs, and for Run's
// work: called by one of those with its context, or with one made from it, it returns ErrInCallback at once; with
// another context it ends when that does.
func (m *Member) Leave(ctx context.Context, mode LeaveMode, reason string) error {
	if _, err := mode.MarshalText(); err != nil {
		return fmt.Errorf("leave: %w: LeaveIfDynamic, LeaveAlways or LeaveNever", err)
	}
	if err := m.mayWait(ctx, "leave", "return first, or call Leave on another goroutine with a context of its own"); err != nil {
		return err
	}
	c := newCaller()
	m.mu.Lock()
	idle, closing := !m.started, m.closing
	if !idle && !closing {
		m.leaves++
		m.post(LeaveAsked{Mode: mode, Reason: reason}, c)
	}
	m.mu.Unlock()
	switch {
	case closing:
		return ErrClosed
	case idle:
		return nil
	}
	return m.awaitLeave(ctx, c)
}

func (m *Member) awaitLeave(ctx context.Context, c *caller) error {
	err := c.await(ctx, m, forLeave, func() { m.mail.post(message{from: c, givenUp: true}) })
	return m.settle(ctx, err)
}

// Close leaves the group as Leave with LeaveIfDynamic does, and ends the member: when it has returned, nothing is sent any
// more, no callback begins, and all that the member has started and that looks at its context has ended. What does not look
// at its context, such as an assignor that computes on, is named in the error, and in a warning at growing intervals until it
// returns; Done is closed then. In a callback Close is as Leave: it returns ErrInCallback.
//
// When ctx ends before the member has left, Close returns its cause, with what it has waited for, and does not wait for the
// application: a callback of a Poll, or work, that has not returned by then goes on, with a context that has ended. It
// returns within two tenths of a second, in which those that look at their context can end; a ctx that has ended before
// Close is called is taken for one of a tenth of a second. A callback that runs inside
// Close must look at that context itself, or Close is as late as it is. The coordinator then may not know that the member has
// left; so give Close a context with time in it, and not the one whose end is the reason to close.
//
// Closing a closed member returns nil when it is closed, or the cause of ctx.
func (m *Member) Close(ctx context.Context) error {
	if err := m.mayWait(ctx, "close", "return first, or call Close on another goroutine with a context of its own"); err != nil {
		return err
	}
	c := newCaller()
	m.mu.Lock()
	first, started := !m.closing, m.started
	m.closing = true
	switch {
	case first && started:
		m.post(LeaveAsked{Mode: LeaveIfDynamic, Reason: "the member is closed", Last: true}, c)
	case first:
		m.cancel()
		m.mail.close()
		close(m.over)
		close(m.done)
	}
	m.mu.Unlock()
	if !first || !started {
		return m.awaitEnd(ctx, nil, func() {})
	}
	return m.close(ctx, c)
}

// left is what ends a poll, or a generation, when the application has asked to leave, or to close the member.
func (m *Member) left() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closing {
		return ErrClosed
	}
	return ErrLeft
}

// close ends the member when it has left, also when a callback panics.
func (m *Member) close(ctx context.Context, c *caller) (err error) {
	left := false
	if ctx.Err() != nil { // the group is notified all the same, where that takes no time
		cause := context.Cause(ctx)
		short, end := context.WithCancelCause(context.WithoutCancel(ctx))
		defer end(nil)
		defer time.AfterFunc(grace, func() { end(cause) }).Stop()
		ctx = short
	}
	defer func() {
		if !left { // a callback panics: what it released is to move at once all the same
			_ = m.awaitLeave(ctx, c)
		}
		m.post(CloseAsked{}, nil)
		err = m.awaitEnd(ctx, err, func() { // the member's goroutine may be held up by what it calls
			m.cancel()
			m.calls.finish()
		})
	}()
	err = m.awaitLeave(ctx, c)
	left = true
	return err
}

// awaitEnd returns when the member has ended, and the callback that runs, with the error of the leave before it. When ctx
// ends it calls stop, and what does not end soon after that is named in the error.
func (m *Member) awaitEnd(ctx context.Context, err error, stop func()) error {
	over, done := ctx.Done(), (<-chan struct{})(m.done)
	var late <-chan time.Time
	for done != nil {
		select {
		case <-done:
			done = m.calls.finish()
		case <-over:
			over = nil
			stop()
			late = time.After(grace)
		case <-late:
			if err == nil {
				err = fmt.Errorf("close: %w", context.Cause(ctx))
			}
			return fmt.Errorf("%w; group %q: not ended: %s", err, m.config.Group, m.underway.list(forEnd))
		}
	}
	return err
}
