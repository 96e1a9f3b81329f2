package heartbeat

import (
	"context"
	"errors"
)

// Leave takes the member out of the group: the application lets go of what it owns (Revoked, or the end of Run's work),
// and the coordinator is told, so that the partitions move at once. A static member keeps its place unless mode is
// LeaveGroup. A Poll or Run under way ends with ErrLeft; a later one joins again. reason travels to the coordinator.
//
// The error is what the callback has returned, why the coordinator may not have been told, or the cause of ctx: the
// member then leaves all the same, without anybody waiting.
func (m *Member) Leave(ctx context.Context, mode LeaveMode, reason string) error {
	m.mu.Lock()
	idle, handle := !m.started, m.handle
	closing := m.closing
	m.mu.Unlock()
	if closing {
		return ErrClosed
	}
	if idle {
		return nil
	}
	return m.leave(ctx, handle, mode, reason)
}

func (m *Member) leave(ctx context.Context, handle handler, mode LeaveMode, reason string) error {
	c := newCaller(handle)
	m.post(LeaveAsked{mode, reason}, c)
	err := c.await(ctx, m, func() { m.mail.post(letter{from: c, givenUp: true}) })
	if errors.Is(err, errGivenUp) {
		return context.Cause(ctx)
	}
	return err
}

// Close leaves the group as Leave with LeaveDefault does, and ends the member: when it has returned, nothing is sent any
// more, no callback runs, and nothing that the member has started is left. When ctx ends before the coordinator has
// answered, Close does not wait for that. It must not be called from a callback, nor from Run's work.
//
// Closing a closed member returns nil, when it is closed.
func (m *Member) Close(ctx context.Context) error {
	m.mu.Lock()
	first, started, handle := !m.closing, m.started, m.handle
	m.closing = true
	if first && !started {
		m.cancel()
		close(m.done)
	}
	m.mu.Unlock()
	if !started {
		return nil
	}
	var err error
	if first {
		err = m.leave(ctx, handle, LeaveDefault, "the member is closed")
		m.post(CloseAsked{}, nil)
	}
	<-m.done
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}
