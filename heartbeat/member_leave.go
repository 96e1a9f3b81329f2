package heartbeat

import (
	"context"
	"fmt"
)

// Leave takes the member out of the group: the application lets go of what it owns (Revoked, or the end of Run's work),
// and the coordinator is told, so that the partitions move at once. A static member keeps its place unless mode is
// LeaveAlways. A Poll or Run under way ends with ErrLeft; a later one waits until the member has left, and joins again. reason
// travels to the coordinator. While one Leave goes on, another one waits for its end.
//
// The error is what the callback has returned, why the coordinator may not have been told, or the cause of ctx: the
// member then leaves all the same, without anybody waiting. As Close, it must not be called from a callback, nor from
// Run's work.
func (m *Member) Leave(ctx context.Context, mode LeaveMode, reason string) error {
	if _, err := mode.MarshalText(); err != nil {
		return fmt.Errorf("leave: %w: LeaveIfDynamic, LeaveAlways or LeaveNever", err)
	}
	if err := needContext(ctx, "leave"); err != nil {
		return err
	}
	c := newCaller()
	m.mu.Lock()
	idle, closing := !m.started, m.closing
	if !idle && !closing {
		m.leaves++
		m.post(LeaveAsked{mode, reason}, c)
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
	err := c.await(ctx, m, func() { m.mail.post(letter{from: c, givenUp: true}) })
	return settle(ctx, err)
}

// Close leaves the group as Leave with LeaveIfDynamic does, and ends the member: when it has returned, nothing is sent any
// more, no callback begins, and nothing that the member has started is left. It must not be called from a callback, nor
// from Run's work.
//
// When ctx ends before the member has left, Close returns its cause, and does not wait for the application: a callback of
// a Poll, or work, that has not returned by then goes on, with a context that has ended. A callback that runs inside Close
// must look at that context itself, or Close is as late as it is. The coordinator then may not know that the member has
// left; so give Close a context with time in it, and not the one whose end is the reason to close.
//
// Closing a closed member returns nil, when it is closed.
func (m *Member) Close(ctx context.Context) error {
	if err := needContext(ctx, "close"); err != nil {
		return err
	}
	c := newCaller()
	m.mu.Lock()
	first, started := !m.closing, m.started
	m.closing = true
	switch {
	case first && started:
		m.post(LeaveAsked{LeaveIfDynamic, "the member is closed"}, c)
	case first:
		m.cancel()
		m.mail.close()
		close(m.done)
	}
	m.mu.Unlock()
	if !first || !started {
		<-m.done
		return nil
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
func (m *Member) close(ctx context.Context, c *caller) error {
	left := false
	defer func() {
		if !left { // a callback panics: what it let go of is to move at once all the same
			_ = m.awaitLeave(ctx, c)
		}
		m.post(CloseAsked{}, nil)
		<-m.done
		if running := m.calls.finish(); running != nil {
			select {
			case <-running:
			case <-ctx.Done():
			}
		}
	}()
	err := m.awaitLeave(ctx, c)
	left = true
	return err
}
