package world

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// process is one life of a person: a Core, its clock, its application and its connections.
type process struct {
	world  *world
	person *person
	name   string
	core   Core
	config heartbeat.Config
	trace  *heartbeat.TraceWriter // or nil
	draw   draw
	app    application

	born, ended time.Duration
	dead        bool
	offset      time.Duration // by which its clock has jumped
	tick        time.Duration // the next one that is queued; 0 while none is

	joins func() // happens when it has sent its next JoinGroup; or nil

	pauses int      // that go on
	inbox  []func() // what waits for the end of a pause

	flights []*flight
	routes  [routes]line
	muted   [routes]bool // carry nothing any more
}

// lived is how long the process has lived.
func (x *process) lived() time.Duration {
	if x.dead {
		return x.ended - x.born
	}
	return x.world.now - x.born
}

// clock is the process's own time.
func (x *process) clock() time.Duration {
	now := x.world.now - x.born + x.offset
	if x.person.faults.wobble > x.world.now {
		now -= x.draw.between(0, 20*time.Millisecond)
	}
	return max(now, 0)
}

// who is who the member is now.
func (x *process) who() judge.Identity {
	s := x.core.Status()
	return judge.Identity{MemberID: s.Member, Generation: s.Generation}
}

// sender is whom a request says that it is from.
func sender(r heartbeat.Request) judge.Identity {
	return judge.Identity{MemberID: r.Member, Generation: r.Generation}
}

// do does something as the process: when its pause is over, and not when it is dead.
func (x *process) do(f func()) {
	switch {
	case x.dead:
	case x.pauses > 0:
		x.inbox = append(x.inbox, f)
	default:
		f()
	}
}

// after does something as the process, after a while.
func (x *process) after(d time.Duration, f func()) { x.world.after(d, func() { x.do(f) }) }

// step tells the Core something, and does what it wants.
func (x *process) step(in heartbeat.Input) {
	x.tell(in)
	now := x.clock()
	out := x.core.Step(now, in)
	if x.trace != nil {
		_ = x.trace.Record(now, in, out) // a trace that fails ends by itself
	}
	if _, ok := in.(heartbeat.CloseAsked); ok {
		x.end(judge.Closed)
	}
	for _, o := range out {
		x.perform(o)
	}
	if x.dead {
		return
	}
	x.app.stepped()
	x.await()
}

// tell reports an input.
func (x *process) tell(in heartbeat.Input) {
	e := judge.Event{Member: x.name}
	switch in := in.(type) {
	case heartbeat.Poll:
		e.Kind = judge.Polled
	case heartbeat.PollGivenUp:
		e.Kind = judge.PollGivenUp
	case heartbeat.CallbackEnded:
		e.Kind, e.Callback, e.Err = judge.CallbackEnded, x.app.running, in.Err
		x.app.running = 0
	case heartbeat.LeaveAsked:
		e.Kind, e.Mode = judge.Leaving, in.Mode
		limit := 2*x.person.LetGo + 2*x.limit(classic.InputLeaveGroup) + time.Second
		if in.Last { // an id that is on its way is waited for, as long as the caller does
			limit += x.limit(classic.InputJoinGroup)
		}
		x.called(judge.CallLeave, 0, limit)
	case heartbeat.CommitAsked:
		x.called(judge.CallCommit, in.ID, x.limit(classic.InputOffsetCommit))
		return
	default:
		return
	}
	x.world.saw(e)
}

// perform does one thing that the Core wants.
func (x *process) perform(o heartbeat.Output) {
	e := judge.Event{Member: x.name}
	switch o := o.(type) {
	case heartbeat.Fired:
		e.Kind, e.Rule, e.Code, e.Request, e.From, e.To = judge.Fired, o.Rule, o.Code, o.Request, o.From, o.To
		x.world.outcome.Fired[o.Rule]++
		x.world.saw(e)
	case heartbeat.Request:
		e.Kind, e.API, e.Request, e.Node, e.Who, e.Read = judge.Sent, o.API, o.ID, o.Node, sender(o), readers(o)
		if o.API == classic.InputJoinGroup {
			e.Partitions = x.world.named(decode(o.Protocols[0].Metadata).partitions)
		}
		x.world.saw(e)
		x.send(o)
		if o.API == classic.InputJoinGroup && x.joins != nil {
			x.after(x.draw.between(0, 2*x.world.plan.Latency), x.joins)
			x.joins = nil
		}
	case heartbeat.Abandoned:
		if o.Listen {
			break
		}
		e.Kind, e.Request = judge.Abandoned, o.ID
		x.world.saw(e)
		x.forget(o.ID)
	case heartbeat.CommitEnded:
		e.Kind, e.Call, e.CallID, e.Err = judge.Returned, judge.CallCommit, o.ID, o.Err
		x.world.saw(e)
	case heartbeat.PollEnded:
		e.Kind, e.Err = judge.PollReturned, o.Err
		x.world.saw(e)
		x.app.pollEnded(o.Err)
	case heartbeat.Callback:
		e.Kind, e.Callback, e.Who = judge.CallbackBegun, o.Kind, judge.Identity{MemberID: o.Member, Generation: o.Generation}
		x.world.saw(e)
		x.app.called(o)
	case heartbeat.RunAssignment:
		x.app.divide(o)
	case heartbeat.Left:
		e.Kind, e.Err = judge.Left, o.Err
		x.world.saw(e)
		x.world.saw(judge.Event{Member: x.name, Kind: judge.Returned, Call: judge.CallLeave, Err: o.Err})
		x.app.left()
	}
}

// await lets time pass until the Core's next deadline.
func (x *process) await() {
	deadline, ok := x.core.Deadline()
	if !ok {
		return
	}
	at := deadline + x.born - x.offset
	if at <= x.world.now { // a deadline that has passed is for a Core that does not hear of time; the world's goes on
		at = x.world.now + time.Millisecond
	}
	if x.person.faults.wobble > x.world.now {
		at += time.Millisecond // the clock may go back, and does not stand still
	}
	if x.tick > x.world.now && x.tick <= at {
		return
	}
	x.tick = at
	x.world.at(at, func() {
		if x.tick == at {
			x.tick = 0
			x.do(func() { x.step(heartbeat.Tick{}) })
		}
	})
}

// jump lets the clock step forward.
func (x *process) jump(d time.Duration) {
	x.offset += d
	x.do(func() {
		x.world.saw(judge.Event{Member: x.name, Kind: judge.Resumed}) // as far as it knows, it has stood still
		x.step(heartbeat.Tick{})
	})
}

func (x *process) pause() {
	if !x.dead {
		if x.pauses++; x.pauses == 1 {
			x.world.saw(judge.Event{Member: x.name, Kind: judge.Paused})
		}
	}
}

// resume ends all pauses: what has come meanwhile, and the time that has passed, is seen in any order.
func (x *process) resume() {
	if x.dead || x.pauses == 0 {
		return
	}
	x.pauses = 0
	x.world.saw(judge.Event{Member: x.name, Kind: judge.Resumed})
	waiting := x.inbox
	x.inbox = nil
	if x.draw.chance(0.5) {
		x.do(func() { x.step(heartbeat.Tick{}) })
	}
	for _, f := range waiting {
		x.do(f)
	}
	x.do(func() { x.step(heartbeat.Tick{}) })
}

// end ends the process.
func (x *process) end(how judge.Kind) {
	if !x.dead {
		x.dead, x.ended = true, x.world.now
		x.world.saw(judge.Event{Member: x.name, Kind: how})
	}
}

// called reports a call that waits.
func (x *process) called(c judge.Call, id uint64, limit time.Duration) {
	x.world.saw(judge.Event{Member: x.name, Kind: judge.Called, Call: c, CallID: id, Limit: limit})
}

// limit is how long a request may wait, by the specification.
func (x *process) limit(api classic.Input) time.Duration {
	return api.Lifetime().Limit.Length(func(name string) time.Duration {
		return map[string]time.Duration{
			"request.timeout.ms": x.config.RequestTimeout, "session.timeout.ms": x.config.SessionTimeout, "max.poll.interval.ms": x.config.MaxPollInterval,
		}[name]
	})
}
