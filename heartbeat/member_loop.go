package heartbeat

import (
	"context"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// loop is what only the member's goroutine touches.
type loop struct {
	machine *classic.Machine
	trace   *TraceWriter // or nil
	poller  *caller      // who waits for the end of a poll
	leavers []*caller    // who wait for the end of a leave
	commits map[uint64]chan<- CommitEnded
	abandon context.CancelFunc // ends the leader's assignment
	session *Session           // of the generation that the application was told of; nil when it has ended
	ending  Fired              // the last rule that wanted a rejoin
	trouble error              // what was answered last, if that is a failure
	raised  error              // what the input that is handled brings
}

func (l *loop) init(m *Member) error {
	definition, err := classic.Definition()
	if err != nil {
		return err
	}
	l.machine = classic.NewMachine(definition, m.options.hooks)
	l.commits = make(map[uint64]chan<- CommitEnded)
	l.abandon = func() {}
	if m.options.trace != nil {
		l.trace = NewTraceWriter(m.options.trace, m.config)
	}
	return nil
}

// run is the member's goroutine: it tells the Core what has come and that time has passed, and does what the Core wants.
func (m *Member) run() {
	defer close(m.done)
	defer m.work.Wait()
	defer m.cancel()
	defer m.calls.finish()
	defer m.mail.close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		m.await(timer)
		letters := m.mail.take()
		if len(letters) == 0 {
			letters = []letter{{input: Tick{}}}
		}
		for _, l := range letters {
			m.step(l)
		}
		if m.core.closed {
			m.endSession(ErrClosed)
			return
		}
	}
}

// await returns when there is a letter, or when the Core's next deadline has come.
func (m *Member) await(timer *time.Timer) {
	timer.Stop()
	var passed <-chan time.Time
	if deadline, ok := m.core.Deadline(); ok {
		timer.Reset(deadline - m.now())
		passed = timer.C
	}
	select {
	case <-m.mail.arrived:
	case <-passed:
	}
}

func (m *Member) now() time.Duration { return time.Since(m.start) }

// step lets the Core handle one letter.
func (m *Member) step(l letter) {
	m.loop.raised = nil
	switch in := l.input.(type) {
	case Poll:
		m.loop.poller = l.from
	case LeaveAsked:
		m.loop.leavers = append(m.loop.leavers, l.from)
	case CommitAsked:
		m.loop.commits[in.ID] = l.from.commit
	case CallbackEnded:
		m.loop.raised = in.Err
	case AssignmentFailed:
		m.loop.raised = in.Err
	case LoopBroke:
		m.loop.raised = in.Err
	}
	if l.input != nil {
		now := m.now().Truncate(time.Microsecond)
		outputs := m.core.Step(now, l.input)
		m.record(now, l.input, outputs)
		m.see(outputs)
		for _, o := range outputs {
			m.perform(o)
		}
		m.checkSession()
	}
	if l.givenUp {
		m.giveUp(l.from)
	}
	if m.core.Wants() {
		wake(m.wants)
	}
}

// see notes what the member is now, before anybody is told: whoever has heard of the end of a poll or commit finds the
// state, and the session, as they are after it.
func (m *Member) see(outputs []Output) {
	for _, o := range outputs {
		f, ok := o.(Fired)
		if !ok {
			continue
		}
		if f.Rule.Sets.Has(classic.RejoinNeeded) {
			m.loop.ending = f
		}
		if f.Request != 0 {
			m.loop.trouble = m.troubleOf(f)
		}
	}
	status := m.core.Status()
	m.status.Store(&status)
	m.checkSession()
}

// giveUp lets a caller go that does not wait any more, unless its end has come already.
func (m *Member) giveUp(c *caller) {
	if m.loop.poller == c {
		m.loop.poller = nil
		c.tell(ended{&givenUp{m.loop.trouble}})
	}
	if i := slices.Index(m.loop.leavers, c); i >= 0 {
		m.loop.leavers = slices.Delete(m.loop.leavers, i, i+1)
		c.tell(ended{&givenUp{m.loop.trouble}})
	}
}
