package heartbeat

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/kbeat/kbeat/fsm/classic"
)

// perform does what the Core wants.
func (m *Member) perform(o Output) {
	switch o := o.(type) {
	case Request:
		m.work.Go(func() { m.send(o) })
	case RunAssignment:
		m.work.Go(func() { m.assign(o) })
	case PollEnded:
		m.loop.poller.tell(ended{o.Err})
		m.loop.poller = nil
	case Callback:
		m.callBack(o)
	case CommitEnded:
		m.loop.commits[o.ID] <- o
		delete(m.loop.commits, o.ID)
	case Left:
		m.endSession(ErrLeft)
		m.loop.leaver.tell(ended{o.Err})
		m.loop.leaver = nil
	case Fired:
		m.note(o)
	}
}

// send carries one request, and brings its answer.
func (m *Member) send(r Request) {
	ctx, cancel := context.WithTimeout(m.ctx, r.Timeout)
	defer cancel()
	answer := Response{ID: r.ID, Code: classic.CodeDisconnect}
	defer func() {
		if p := recover(); p != nil {
			answer.Err = fmt.Errorf("transport: panic: %v\n%s", p, debug.Stack())
		}
		m.post(answer, nil)
	}()
	answer = m.transport.Send(ctx, r)
	answer.ID = r.ID
}

// assign lets the leader's assignor divide the work.
func (m *Member) assign(r RunAssignment) {
	var plan []Assignment
	err := fmt.Errorf("assignor: it did not return")
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("assignor: panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			m.post(AssignmentFailed{r.Join, err}, nil)
			return
		}
		m.post(Assigned{r.Join, plan}, nil)
	}()
	plan, err = m.options.assignor(m.ctx, r.Input)
}

// callBack tells the application, on the goroutine that waits in Poll, or in Leave while the member leaves.
func (m *Member) callBack(c Callback) {
	app := m.loop.poller
	if m.core.leaving.releasing {
		app = m.loop.leaver
	}
	if c.Kind == CallbackAssigned {
		m.newSession(c)
	} else {
		m.endSession(m.cause())
	}
	if app == nil { // who has asked to leave does not wait for it
		m.post(CallbackEnded{}, nil)
		return
	}
	app.tell(sessionCall{c, m.live.Load()})
}

// note passes on that a rule has decided. What is told must not harm the loop: if it panics, the loop has failed, and the
// application gets to know.
func (m *Member) note(f Fired) {
	defer func() {
		if p := recover(); p != nil {
			m.post(LoopBroke{fmt.Errorf("observer: panic: %v\n%s", p, debug.Stack())}, nil)
		}
	}()
	if f.Rule.Sets.Has(classic.RejoinNeeded) {
		m.loop.ending = f
	}
	m.logFired(f)
	if len(f.Rule.To) > 0 {
		if err := m.loop.machine.Fire(f.Rule); err != nil {
			m.post(LoopBroke{fmt.Errorf("rule %s at %s: %w", f.Rule.Name, f.Rule.At(), err)}, nil)
		}
	}
	if m.options.onFired != nil {
		m.options.onFired(f)
	}
}

// newSession begins the application's part in a generation.
func (m *Member) newSession(c Callback) {
	ctx, end := context.WithCancelCause(m.ctx)
	m.loop.session = &Session{
		member: m, id: identity{c.Member, c.Generation, c.Protocol}, assignment: c.Assignment,
		ctx: ctx, end: end, progress: make(chan struct{}, 1),
	}
	m.live.Store(m.loop.session)
}

// checkSession ends the session as soon as its generation is not the member's any more.
func (m *Member) checkSession(now Status) {
	if s := m.loop.session; s != nil && (s.id.generation != now.Generation || s.id.member != now.Member) {
		m.endSession(m.cause())
	}
}

func (m *Member) endSession(cause error) {
	if m.loop.session != nil {
		m.loop.session.end(cause)
		m.loop.session = nil
	}
}

// cause is why a generation ends: the last rule that wanted a rejoin, or that the application leaves.
func (m *Member) cause() error {
	f := m.loop.ending
	switch {
	case m.core.leaving.asked:
		return ErrLeft
	case f.Rule == nil:
		return nil
	}
	e := &Error{
		Name: f.Rule.Name, API: f.Rule.Input, Code: f.Code, Group: m.config.Group, State: f.From, Rule: f.Rule, Err: f.Err,
		Generation: NoGeneration,
	}
	if f.Code != classic.CodeNone {
		e.Name = f.Code.String()
	}
	if s := m.loop.session; s != nil {
		e.Member, e.Generation = s.id.member, s.id.generation
	}
	return e
}
