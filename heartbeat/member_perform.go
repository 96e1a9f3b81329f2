package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// perform does what the Core wants.
func (m *Member) perform(o Output) {
	switch o := o.(type) {
	case Request:
		ctx, cancel := context.WithTimeout(m.ctx, o.Timeout)
		t := m.underway.begin(&task{api: o.API, node: o.Node, cancel: cancel})
		m.loop.requests[o.ID] = t
		if o.API == classic.InputOffsetCommit {
			m.loop.turn = m.loop.turn.Next()
			o.Turn = m.loop.turn
		}
		m.work.Go(func() {
			defer cancel()
			defer m.underway.end(t)
			m.send(ctx, t, o)
		})
	case Abandoned:
		if t := m.loop.requests[o.ID]; t != nil {
			m.underway.abandon(t, o.Listen)
			if !o.Listen {
				t.cancel()
				delete(m.loop.requests, o.ID)
			}
		}
	case RunAssignment:
		ctx, cancel := context.WithCancel(m.mark(m.ctx, theAssignor))
		m.loop.abandon = cancel
		t := m.underway.begin(&task{what: theAssignor})
		m.work.Go(func() {
			defer cancel()
			defer m.underway.end(t)
			m.assign(ctx, t, o)
		})
	case AssignmentAbandoned:
		m.loop.abandon()
	case PollEnded:
		m.loop.poller.tell(ended{o.Err})
		m.loop.poller = nil
	case Callback:
		m.callBack(o)
	case CommitEnded:
		m.loop.commits[o.ID] <- o
		delete(m.loop.commits, o.ID)
	case Left:
		m.endSession(m.left())
		for _, c := range m.loop.leavers {
			c.tell(ended{o.Err})
		}
		m.loop.leavers = nil
	case Fired:
		m.note(o)
	}
}

// send carries one request, and brings its answer. One that the transport does not end in its time is ended for it: the
// member does not wait for an answer that nobody brings.
func (m *Member) send(ctx context.Context, t *task, r Request) {
	defer m.watch(ctx, t, func() {
		r.Turn.Written() // nothing is written any more
		m.post(Response{ID: r.ID, Code: classic.CodeDisconnect, Err: errors.New("transport: it does not return, though its time is over")}, nil)
	})()
	answer := Response{Code: classic.CodeDisconnect, Err: errors.New("transport: it did not return")}
	defer func() {
		r.Turn.Written()
		answer.ID = r.ID
		m.post(answer, nil)
	}()
	if err := guard("transport", func() { answer = m.transport.Send(ctx, r) }); err != nil {
		answer = Response{Code: classic.CodeDisconnect, Err: err}
	}
}

// assign lets the leader's assignor divide the work. The result of one that is abandoned is ignored.
func (m *Member) assign(ctx context.Context, t *task, r RunAssignment) {
	defer m.watch(ctx, t, nil)()
	var plan []Assignment
	err := errors.New("assignor: it did not return")
	defer func() {
		if err != nil {
			m.post(AssignmentFailed{r.Join, err}, nil)
			return
		}
		m.post(Assigned{r.Join, plan}, nil)
	}()
	if broken := guard("assignor", func() { plan, err = m.assignor(ctx, r.Input) }); broken != nil {
		err = broken
	}
	if err == nil {
		err = checkPlan(plan, r.Input.Members)
	}
}

// callBack tells the application, on the goroutine that waits in Poll, or in Leave while the member leaves.
func (m *Member) callBack(c Callback) {
	app, leaving := m.loop.poller, m.core.leaving.releasing
	if leaving {
		app = nil
		if len(m.loop.leavers) > 0 {
			app = m.loop.leavers[0]
		}
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
	app.tell(sessionCall{c, m.live.Load(), leaving})
}

// note passes on that a rule has decided. What is called must not harm the loop: if it panics, the loop has failed, and the
// application gets to know. Who panics also when told of that is not told again.
func (m *Member) note(f Fired) {
	var moved error
	told := []error{
		m.outside("hook", func() { moved = m.move(f.Rule) }),
		m.outside("observer", func() {
			if m.options.onFired != nil {
				m.options.onFired(f)
			}
		}),
	}
	if err := errors.Join(append(told, moved)...); err != nil && f.Rule.Input != classic.InputLoopBroke {
		m.post(LoopBroke{err}, nil)
	}
}

// move lets the machine, whose hooks the application may have set, go the rule's way.
func (m *Member) move(r *classic.Rule) error {
	if len(r.To) == 0 {
		return nil
	}
	if err := m.loop.machine.Fire(r); err != nil {
		return fmt.Errorf("rule at %s: %w", r.At(), err)
	}
	return nil
}

// outside guards what is called on the member's goroutine, and holds it up as long as it runs.
func (m *Member) outside(what string, f func()) error {
	t := m.underway.begin(&task{what: "the " + what, holds: true})
	defer m.underway.end(t)
	return guard(what, f)
}

// guard runs what is not the member's own, and turns a panic into an error.
func guard(what string, f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", what, p, debug.Stack())
		}
	}()
	f()
	return nil
}

// newSession begins the application's part in a generation.
func (m *Member) newSession(c Callback) {
	ctx, end := context.WithCancelCause(m.ctx)
	m.loop.session = &Session{
		member: m, id: identity{c.Member, c.Generation, c.Protocol}, assignment: c.Assignment,
		ctx: ctx, end: end, progress: make(chan struct{}, 1), lease: m.newLease(),
	}
	m.live.Store(m.loop.session)
}

// checkSession ends the session as soon as its generation is not the member's any more.
func (m *Member) checkSession() {
	now := m.status.Load()
	if s := m.loop.session; s != nil && (s.id.generation != now.Generation || s.id.member != now.Member) {
		m.endSession(m.cause())
	}
}

func (m *Member) endSession(cause error) {
	if m.loop.session != nil {
		at := time.Now()
		m.loop.session.over.Store(&at)
		m.loop.session.end(cause)
		m.loop.session = nil
	}
}

// cause is why a generation ends: the last rule that wanted a rejoin, or that the application leaves.
func (m *Member) cause() error {
	f := m.loop.ending
	switch {
	case m.core.leaving.asked:
		return m.left()
	case f.Rule == nil:
		return nil
	}
	who := nobody
	if s := m.loop.session; s != nil {
		who = s.id
	}
	return failureOf(f, m.config.Group, who)
}
