package heartbeat

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// loop is what only the member's goroutine touches.
type loop struct {
	machine  *classic.Machine
	trace    *TraceWriter // or nil
	journal  journal
	poller   *caller   // who waits for the end of a poll
	leavers  []*caller // who wait for the end of a leave
	commits  map[uint64]chan<- CommitEnded
	requests map[uint64]*task   // those that are not answered
	abandon  context.CancelFunc // ends the leader's assignment
	session  *Session           // of the generation that the application last received; nil when it has ended
	turn     *Turn              // of the last OffsetCommit; nil before the first
	ending   Fired              // the last rule that wanted a rejoin
}

func (l *loop) init(m *Member) error {
	definition, err := classic.Definition()
	if err != nil {
		return err
	}
	l.machine = classic.NewMachine(definition, m.options.hooks)
	l.commits = make(map[uint64]chan<- CommitEnded)
	l.requests = make(map[uint64]*task)
	l.abandon = func() {}
	l.journal = newJournal(m.config, m.core.Status())
	if m.options.describe != nil && m.options.log != nil {
		l.journal.describe = m.description
	}
	if m.options.trace != nil {
		l.trace = NewTraceWriter(m.options.trace, m.config)
	}
	return nil
}

// run is the member's goroutine: it tells the Core what has come and that time has passed, and does what the Core wants.
func (m *Member) run() {
	defer close(m.done)
	defer m.work.Wait()
	defer close(m.over)
	defer m.cancel()
	defer m.calls.finish()
	defer m.mail.close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		m.await(timer)
		messages := m.mail.take()
		if len(messages) == 0 {
			messages = []message{{input: Tick{}}}
		}
		for _, msg := range messages {
			m.step(msg)
		}
		if m.core.closed {
			m.endSession(ErrClosed)
			return
		}
	}
}

// await returns when there is a message, or when the Core's next deadline has come.
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

// step lets the Core handle one message.
func (m *Member) step(msg message) {
	if msg.renews && msg.from != m.loop.poller {
		return // its poll has ended meanwhile
	}
	switch in := msg.input.(type) {
	case Poll:
		m.loop.poller = msg.from
	case LeaveAsked:
		m.loop.leavers = append(m.loop.leavers, msg.from)
	case CommitAsked:
		m.loop.commits[in.ID] = msg.from.commit
	case Response:
		m.underway.abandon(m.loop.requests[in.ID], false) // it may not have returned, where the answer was made up for it
		delete(m.loop.requests, in.ID)
	}
	if msg.input != nil {
		now := m.now()
		outputs := m.core.Step(now, msg.input)
		m.record(now, msg.input, outputs)
		m.see(now, outputs)
		for _, o := range outputs {
			m.perform(o)
		}
		m.checkSession()
	}
	if msg.givenUp {
		m.giveUp(msg.from)
	}
	if m.core.Wants() {
		wake(m.wants)
	}
}

// see notes what the member is now, before any call returns: whoever has seen the end of a poll or commit finds the
// state, and the session, as they are after it.
func (m *Member) see(now time.Duration, outputs []Output) {
	for _, o := range outputs {
		f, ok := o.(Fired)
		if !ok {
			continue
		}
		if f.Rule.Sets.Has(classic.RejoinNeeded) {
			m.loop.ending = f
		}
	}
	was := m.status.Load()
	m.observe(now, outputs)
	if m.loop.session != nil {
		m.loop.session.lease.renew(m.core)
	}
	if is := m.status.Load(); was.Member != is.Member || was.Generation != is.Generation || was.Coordinator != is.Coordinator {
		m.commits.wakeAll()
	}
	m.checkSession()
}

// giveUp lets a caller go that does not wait any more, unless its end has come already.
func (m *Member) giveUp(c *caller) {
	if m.loop.poller == c {
		m.loop.poller = nil
		may := forPoll
		if !m.core.leaving.asked {
			may = forJoin
		}
		c.tell(ended{&givenUp{cmp.Or(m.status.Load().Failure, m.core.away), m.underway.list(may)}})
	}
	if i := slices.Index(m.loop.leavers, c); i >= 0 {
		m.loop.leavers = slices.Delete(m.loop.leavers, i, i+1)
		may := forLeave
		if m.core.leaving.last {
			may = forLastLeave
		}
		c.tell(ended{&givenUp{m.core.leaving.err, m.underway.list(may)}})
	}
}
