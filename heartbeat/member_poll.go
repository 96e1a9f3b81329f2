package heartbeat

import (
	"context"
	"time"
)

// Callbacks tell an application that calls Poll of its partitions. They run inside Poll (and Leave and Close), on the
// goroutine that has called it, with no lock held; heartbeats go on meanwhile. They may call the Session's methods, Commit
// among them, Rejoin and Status. Poll, Run, Leave and Close wait for the callback, and return ErrInCallback when they are
// called with its context. Each may be nil.
//
// An error or a panic of a callback is what Poll returns, or shows; the member is in the group all the same.
type Callbacks struct {
	// Assigned gives the application what it owns from now on.
	Assigned func(ctx context.Context, s *Session) error

	// Revoked asks the application to release what it owns, before the group divides its work anew. Until it returns the
	// partitions are the member's, and offsets can be committed. The group waits for it, MaxPollInterval at most.
	Revoked func(ctx context.Context, s *Session) error

	// Lost says that what the application owned belongs to somebody else already: commits will fail. What a Revoked has
	// let it keep (cooperative protocols) is lost as well.
	Lost func(ctx context.Context, s *Session) error
}

// callback tells the application by its Callbacks.
func (m *Member) callback(ctx context.Context, c sessionCall) error {
	call := map[CallbackKind]func(context.Context, *Session) error{
		CallbackAssigned: m.options.callbacks.Assigned,
		CallbackRevoked:  m.options.callbacks.Revoked,
		CallbackLost:     m.options.callbacks.Lost,
	}[c.Kind]
	if call == nil {
		return nil
	}
	return call(ctx, c.session)
}

// Poll says that the application is at work, and does what is to be done for its membership: it joins where that is
// needed, and runs Callbacks. It returns as soon as the member has what it should have; if nothing is to be done, at once.
// It must be called at least once in each MaxPollInterval, or the member leaves the group on the application's behalf. An
// application that waits in Poll polls, however long that takes, unless a callback of its own runs meanwhile.
//
// When ctx ends Poll returns its cause, with the last failure if the member has one then (see Status.Failure), and with what
// it was waiting for; what it has begun goes on, and the next Poll waits for it again. An *Error that does not wrap that
// cause says what the rules do not repeat by themselves; whether to poll again is the caller's decision. ErrClosed, ErrLeft
// and ErrBusy are the others, beside what a callback has returned.
//
// As Kafka's ConsumerCoordinator.poll, with which it shares the rules `poll` and `join` of the specification.
func (m *Member) Poll(ctx context.Context) error {
	if err := m.mayWait(ctx, "poll", "return; the poll that runs it goes on by itself"); err != nil {
		return err
	}
	if !m.polling.TryLock() {
		return ErrBusy
	}
	defer m.polling.Unlock()
	return m.poll(ctx, nil)
}

// poll is one poll, of Poll or, where r is not nil, of Run.
func (m *Member) poll(ctx context.Context, r *runner) error {
	c := newCaller()
	ticker := time.NewTicker(m.config.MaxPollInterval / 3)
	defer ticker.Stop()
	c.run, c.renew = r, ticker.C
	select {
	case <-m.wants: // this poll is what was wanted
	default:
	}
	if err := m.admit(Poll{}, c); err != nil {
		return err
	}
	err := c.await(ctx, m, forPoll, func() { m.mail.post(message{input: PollGivenUp{}, from: c, givenUp: true}) })
	if err == ErrLeft {
		return m.left()
	}
	return m.settle(ctx, err)
}
