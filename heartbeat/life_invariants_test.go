package heartbeat

import (
	"errors"
	"fmt"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// mostDecisions is how many rules may decide in one step: its own, and what the loops find to do after it.
const mostDecisions = 14

// watching holds one life against what no life may break, by what is seen from outside; Core's own fields only confirm it.
type watching struct {
	decisions int

	closed  bool
	polling bool
	running bool // a callback
	letting bool // the callback that runs is that of leaving
	leaving bool
	holding holding
	state   classic.State
	lastID  uint64
	commits map[uint64]bool // not answered yet
	planned map[uint64]bool // joins whose assignment was asked for
	gone    map[string]bool // member ids that the member has left with

	clocks clocks // before the step
	wants  bool   // before the step: a poll would do something
	asks   bool   // the step is a poll that can tell whether that is so
}

// holding is what the application has been told of its partitions.
type holding uint8

const (
	holdsNothing holding = iota
	holds
	holdsUntilNext // was told that they are divided anew
)

// must fails the life, and shows its trace, unless something holds. It is cheap where it does, for there are very many steps.
func (l *life) must(holds bool, format string, args ...any) {
	if !holds {
		l.t.Helper()
		l.t.Log(l.trace().String())
		require.Fail(l.t, fmt.Sprintf(format, args...))
	}
}

// decided counts the rules that have done something.
func (w *watching) decided(rule *classic.Rule) {
	if len(rule.Do) > 0 || len(rule.To) > 0 || rule.Input.Kind() != fsm.KindLoop {
		w.decisions++
	}
}

// before notes what an input is to bring about.
func (w *watching) before(l *life, in Input) {
	if w.commits == nil {
		w.commits, w.gone, w.planned = map[uint64]bool{}, map[string]bool{}, map[uint64]bool{}
	}
	w.decisions = 0
	w.clocks, w.wants, w.asks = l.core.clocks, l.core.Wants(), false
	switch in := in.(type) {
	case Poll:
		deadline, ok := l.core.Deadline()
		w.asks = !w.closed && !w.polling && !w.leaving && !w.running && !(ok && deadline <= l.now)
		w.polling = true
	case PollGivenUp:
		w.polling = false
	case CommitAsked:
		w.commits[in.ID] = true
	case LeaveAsked:
		w.leaving = true
	case CallbackEnded:
		if w.letting {
			w.holding, w.letting = holdsNothing, false
		}
		w.running = false
	}
}

// after judges what the Core has done.
func (w *watching) after(l *life, in Input, out []Output) {
	c := l.core
	for _, o := range out {
		if w.closed {
			l.must(refused(o), "a closed member does %#v", o)
		}
		w.output(l, o)
	}
	if _, ok := in.(CloseAsked); ok {
		w.closed = true
		l.open, w.running = nil, false
		l.must(len(w.commits) == 0, "commits that nobody has answered")
		l.must(!w.polling, "a poll that nobody has answered")
		l.must(!w.leaving, "a leave that nobody has answered")
	}
	if w.closed {
		_, ok := c.Deadline()
		l.must(!ok, "a closed member waits for a time")
		return
	}
	l.must(w.decisions <= mostDecisions, "%d rules have decided: the loops go round and round", w.decisions)
	w.memory(l)
	w.timers(l, out)
	w.waysForward(l)
	w.poll(l, out)
	again := c.Step(l.now, Tick{})
	l.must(len(again) == 0, "the loops had not come to rest: %v", again)
}

// refused reports whether a caller is told that the member is closed.
func refused(o Output) bool {
	switch o := o.(type) {
	case PollEnded:
		return errors.Is(o.Err, ErrClosed)
	case CommitEnded:
		return errors.Is(o.Err, ErrClosed)
	case Left:
		return errors.Is(o.Err, ErrClosed)
	}
	return false
}

func (w *watching) output(l *life, o Output) {
	switch o := o.(type) {
	case Fired:
		l.must(o.From == w.state, "%s says that it found the member in %s; it was in %s", o.Rule, o.From, w.state)
		l.must(o.To == o.Rule.Next(o.From), "%s leads from %s to %s", o.Rule, o.From, o.To)
		if o.Rule.Input.Kind() == fsm.KindLoop && o.Rule.Result.Class() == fsm.ClassRetry {
			ends := o.From != o.To || o.Rule.Clears.Has(classic.CoordinatorKnown)
			l.must(ends || o.Rule.Result.Error().Kind == fsm.ErrorNone, "%s names an error, and has ended nothing", o.Rule)
		}
		w.state = o.To
	case PollEnded:
		l.must(w.polling, "an answer to no poll: %v", o.Err)
		w.polling = false
	case CommitEnded:
		l.must(w.commits[o.ID], "an answer to no commit: %v", o.Err)
		delete(w.commits, o.ID)
	case Left:
		l.must(w.leaving, "an answer to no leave")
		w.leaving = false
	case RunAssignment:
		l.must(!w.planned[o.Join], "the same assignment is asked for twice")
		w.planned[o.Join] = true
	case Callback:
		w.callback(l, o)
	case Request:
		w.request(l, o)
	case Abandoned:
		l.must(l.sentAt[o.ID] <= l.now && o.ID <= w.lastID, "request %d is abandoned, and was never sent", o.ID)
	}
}

// callback: they come in pairs, and one at a time.
func (w *watching) callback(l *life, o Callback) {
	l.must(!w.running, "%s while another callback runs", o.Kind)
	l.must(o.Generation >= 0 && o.Member != "", "%s of nobody", o.Kind)
	w.running, w.letting = true, l.core.leaving.releasing
	switch o.Kind {
	case CallbackAssigned:
		l.must(w.holding != holds, "assigned twice, and not revoked between")
		w.holding = holds
	case CallbackRevoked:
		l.must(w.holding == holds || w.letting && w.holding == holdsUntilNext, "revoked, and nothing is owned")
		w.holding = holdsUntilNext
	case CallbackLost:
		l.must(w.holding != holdsNothing, "lost, and nothing is owned")
		w.holding = holdsNothing
	default:
		l.must(false, "no such callback: %v", o)
	}
}

// request: each says who sends it, and only what makes sense is sent.
func (w *watching) request(l *life, o Request) {
	w.lastID++
	l.must(o.ID == w.lastID, "request %d after %d", o.ID, w.lastID-1)
	l.must(o.Group == l.core.config.Group && o.Instance == l.core.config.InstanceID && o.Timeout > 0, "%+v", o)
	if o.API == classic.InputFindCoordinator {
		l.must(o.Node == AnyBroker, "a lookup at one broker")
		return
	}
	l.must(o.Node >= 0, "%s to nobody", o.API)
	switch o.API {
	case classic.InputHeartbeat, classic.InputSyncGroup, classic.InputOffsetCommit:
		l.must(o.Generation >= 0, "%s without a generation", o.API)
		l.must(o.Member != "", "%s of nobody", o.API)
	case classic.InputLeaveGroup:
		l.must(o.Member != "", "nobody leaves")
		w.gone[o.Member] = true
		return
	}
	l.must(!w.gone[o.Member], "%s of member %s, which has left", o.API, o.Member)
}

// memory: what the specification remembers is what is going on.
func (w *watching) memory(l *life) {
	c := l.core
	joins, lookups := 0, 0
	for _, o := range l.open {
		if l.lateJoins[o.ID] {
			l.must(nameless(o), "the answer to %s %d is awaited, and it was abandoned", o.API, o.ID)
			continue
		}
		switch o.API {
		case classic.InputJoinGroup, classic.InputSyncGroup:
			joins++
		case classic.InputFindCoordinator:
			lookups++
		}
	}
	for _, f := range []classic.Flags{classic.AssignmentRunning, classic.SyncNeeded, classic.LeaseAwaited} {
		if c.has(f) {
			joins++
		}
	}
	l.must(joins <= 1, "%d joins at once", joins)
	l.must(lookups <= 1, "%d lookups at once", lookups)
	l.must(len(l.open)-len(l.lateJoins) == len(c.open), "%d requests under way, and the Core waits for %d", len(l.open)-len(l.lateJoins), len(c.open))
	l.must(len(l.lateJoins) == len(c.late), "%d joins that may still bring a member id, and the Core listens for %d", len(l.lateJoins), len(c.late))
	l.must(c.has(classic.JoinInFlight) == (joins == 1), "join_in_flight, with %d", joins)
	l.must(c.has(classic.LookupInFlight) == (lookups == 1), "lookup_in_flight, with %d", lookups)
	l.must(c.has(classic.CallbackRunning) == w.running, "callback_running")
	l.must(c.has(classic.CoordinatorKnown) == (c.node != AnyBroker), "coordinator_known, with node %d", c.node)
	l.must(w.letting || (c.told != nobody) == (w.holding != holdsNothing), "what the application was told of: %v, not %d", c.told, w.holding)

	if c.has(classic.CoordinatorKnown) {
		for _, o := range c.open {
			l.must(o.request.Node == c.node || o.request.Node == AnyBroker, "%s waits at broker %d, and the coordinator is %d", o.request.API, o.request.Node, c.node)
		}
	}
	l.must(c.config.Lease || !c.has(classic.LeaseHeld) && !c.has(classic.LeaseAwaited), "a lease, and none is configured")

	s := c.Status()
	l.must(s.State == w.state, "the state is %s, and rules have led to %s", s.State, w.state)
	switch s.State {
	case classic.Unjoined:
		l.must(s.Generation == NoGeneration, "generation %d and unjoined", s.Generation)
		l.must(c.has(classic.RejoinNeeded), "a member without a generation that does not join again is silently dead")
	case classic.CompletingRebalance, classic.Stable:
		l.must(s.Generation >= 0 && s.Member != "", "joined without an identity")
		beats := c.has(classic.LoopExists|classic.LoopEnabled) && !c.has(classic.LoopFailed) && !c.has(classic.LoopClosed)
		l.must(beats || c.has(classic.RejoinNeeded), "a member that neither sends heartbeats nor joins again is silently dead")
	}
}

// timers: each is started by the rules that say so, for as long as it lasts, and by nothing else.
func (w *watching) timers(l *life, out []Output) {
	c := l.core
	for _, o := range out {
		f, ok := o.(Fired)
		if !ok {
			continue
		}
		for t := classic.Timer(1); t <= classic.NumTimers; t++ {
			if f.Rule.Forgets.Has(t) {
				w.clocks.attempts[t] = 0
			}
			if !f.Rule.Starts.Has(t) {
				continue
			}
			length, spec := c.clocks.lengths[t], t.Spec()
			switch attempt := w.clocks.attempts[t] - spec.Free; {
			case spec.FromSending:
				w.clocks.set(t, max(w.clocks.end(t), l.sentAt[f.Request]+length))
				continue
			case spec.Most > 0 && attempt < 0:
				length = 0
			case spec.Most > 0:
				length = backoff(length, length*c.config.RetryBackoffMax/c.config.RetryBackoff, attempt, w.clocks.share(spec.Jitter), &w.clocks.jitter)
			}
			if spec.Most > 0 {
				w.clocks.attempts[t]++
			}
			w.clocks.set(t, l.now+length)
		}
	}
	if w.clocks != c.clocks { // asked first, for to pass them on costs more than all the rest
		l.must(false, "the timers are not as the rules say: %v, not %v", c.clocks, w.clocks)
	}
}

// poll: Wants reports whether one does something, or returns at once. Only one that waits for the lease does neither.
func (w *watching) poll(l *life, out []Output) {
	if !w.asks {
		return
	}
	if l.core.has(classic.LeaseAwaited) {
		w.wants = true
	}
	ready := false
	for _, o := range out {
		ended, ok := o.(PollEnded)
		ready = ready || ok && ended.Err == nil
	}
	l.must(ready != w.wants, "a poll that wants something: %t; that is ready at once: %t", w.wants, ready)
}

// waysForward: whoever waits, waits for something.
func (w *watching) waysForward(l *life) {
	deadline, ok := l.core.Deadline()
	l.must(!ok || deadline > l.now, "a deadline that has passed")
	l.must(!w.polling || w.leaving || ok || len(l.open) > 0 || w.running || l.core.has(classic.AssignmentRunning), "a poll waits, and nothing can come")
	l.must(!w.leaving || len(l.open) > 0 || w.running, "a leave waits, and nothing can come")
}
