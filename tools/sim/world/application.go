package world

import (
	"errors"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// application polls, works on what it is assigned, and lets go of it.
type application struct {
	process *process

	polls   int // that were made
	polling bool
	idle    bool // it waits, and polls when a poll would do something

	told    judge.Identity // whose assignment it has
	owned   []int32
	running heartbeat.CallbackKind // 0 while it is told nothing
	letting bool                   // it is about to let go, because its generation has ended
	tired   bool                   // it gives its poll up as soon as no callback runs

	leaving bool
	parting int    // counts leaves
	then    func() // when it has left
	commits uint64
	until   time.Duration // when its lease ends, in the world's time; 0 while it may not work
}

// errFails is what applications fail with.
var errFails = errors.New("the application fails")

// eager reports whether it lets go of everything before its member joins anew.
func (a *application) eager() bool { return !a.process.world.plan.Cooperative || a.process.person.Runs }

// poll polls, unless it does already or is leaving.
func (a *application) poll() {
	x := a.process
	if a.polling || a.leaving {
		return
	}
	a.polling, a.idle, a.tired = true, false, false
	a.polls++
	this := a.polls
	x.step(heartbeat.Poll{})
	if p := x.person.Patience; p > 0 && a.polling && a.polls == this {
		x.after(p, func() {
			if a.polling && a.polls == this {
				a.tired = true
				a.giveUp()
			}
		})
	}
}

// giveUp ends a poll that waits too long, but not in the middle of a callback.
func (a *application) giveUp() {
	if a.tired && a.polling && a.running == 0 {
		a.polling, a.tired = false, false
		a.process.step(heartbeat.PollGivenUp{})
		a.work()
	}
}

// pollEnded goes on after a poll.
func (a *application) pollEnded(err error) {
	a.polling = false
	x := a.process
	switch {
	case err == nil:
		a.work()
	case errors.Is(err, heartbeat.ErrLeft) && a.leaving, errors.Is(err, heartbeat.ErrClosed):
	case errors.Is(err, classic.CodeFencedInstanceID) && x.world.replaced(x):
		x.after(x.draw.between(0, time.Second), func() { x.end(judge.Killed) })
	default:
		x.after(x.draw.between(100*time.Millisecond, 2*time.Second), a.poll)
	}
}

// replaced reports whether another process has the instance id of this one.
func (w *world) replaced(x *process) bool {
	for _, o := range x.person.processes {
		if o != x && !o.dead && o.config.InstanceID == x.config.InstanceID {
			return true
		}
	}
	return false
}

// work works until it is time to poll.
func (a *application) work() {
	x := a.process
	if x.person.Runs {
		a.idle = true
		this := a.polls
		x.after(x.config.MaxPollInterval/3, func() {
			if a.polls == this {
				a.wake()
			}
		})
		return
	}
	x.after(x.draw.between(0, x.person.Work)+time.Millisecond, a.next)
}

// next polls after some work, unless the application is stuck.
func (a *application) next() {
	x := a.process
	if x.person.faults.stuck > x.world.now {
		x.after(x.person.faults.stuck-x.world.now, a.next)
		return
	}
	if x.person.Commits && a.told != judge.Nobody() && x.draw.chance(0.3) {
		a.read()
	}
	a.poll()
}

// wake lets an application that waits poll.
func (a *application) wake() {
	if a.idle {
		a.idle = false
		a.process.after(0, a.next)
	}
}

// stepped is called after each step of the Core. An application that runs notices that its generation has ended.
func (a *application) stepped() {
	x := a.process
	if a.idle && x.core.Wants() {
		a.wake()
	}
	a.lease()
	if x.person.Runs && a.told != judge.Nobody() && a.told != x.who() {
		a.letGo()
	}
}

// lease reports until when it may work, as Session.Deadline and Session.Valid say it.
func (a *application) lease() {
	x := a.process
	if !x.config.Lease {
		return
	}
	until := time.Duration(0)
	if a.told != judge.Nobody() && a.told == x.who() {
		until = a.until
		if end, held := x.core.LeaseEnd(); held {
			until = end + x.born - x.offset
		}
	}
	if until != a.until {
		a.until = until
		x.world.saw(judge.Event{Member: x.name, Kind: judge.Leased, Until: until})
	}
}

// called is told something by its member.
func (a *application) called(c heartbeat.Callback) {
	x := a.process
	a.running = c.Kind
	takes := x.draw.between(0, x.person.LetGo)
	switch {
	case c.Kind == heartbeat.CallbackAssigned:
		a.told, a.letting = judge.Identity{MemberID: c.Member, Generation: c.Generation}, false
		given := decode(c.Assignment)
		if a.eager() {
			a.hold(given.partitions)
		}
		x.after(takes, func() { a.assigned(given) })
	case c.Kind == heartbeat.CallbackRevoked && !a.eager() && !a.leaving:
		x.after(0, a.answer)
	case a.letting: // letGo answers
	case x.person.Runs:
		a.letGo()
	default:
		x.after(takes, func() {
			a.drop()
			a.answer()
		})
	}
}

// assigned takes up an assignment. What a cooperative member has to give back it gives back, and joins again.
func (a *application) assigned(given share) {
	x := a.process
	gives := slices.ContainsFunc(a.owned, func(p int32) bool { return !slices.Contains(given.partitions, p) })
	a.hold(given.partitions)
	if !a.eager() {
		x.step(heartbeat.ProtocolsChanged{Protocols: protocols(true, given)})
		if gives {
			x.step(heartbeat.RejoinAsked{Reason: "gives partitions back"})
		}
	}
	a.answer()
}

// letGo lets go of everything after a while, because the generation has ended.
func (a *application) letGo() {
	if a.letting {
		return
	}
	x := a.process
	a.letting = true
	x.after(x.draw.between(0, x.person.LetGo), func() {
		a.letting = false
		if a.running != heartbeat.CallbackAssigned {
			a.drop()
		}
		if a.running == heartbeat.CallbackRevoked || a.running == heartbeat.CallbackLost {
			a.answer()
		}
	})
}

// drop works on nothing any more.
func (a *application) drop() {
	a.told = judge.Nobody()
	a.hold(nil)
	if a.process.world.plan.Cooperative {
		a.process.step(heartbeat.ProtocolsChanged{Protocols: protocols(true, share{})})
	}
}

// hold works on these partitions from now on.
func (a *application) hold(partitions []int32) {
	if !slices.Equal(a.owned, partitions) {
		a.owned = partitions
		a.process.world.saw(judge.Event{Member: a.process.name, Kind: judge.Holds, Partitions: a.process.world.named(partitions)})
	}
}

// answer ends the callback.
func (a *application) answer() {
	x := a.process
	var err error
	if x.person.faults.fail > x.world.now {
		err = errFails
	}
	x.step(heartbeat.CallbackEnded{Err: err})
	a.giveUp()
}

// divide divides the group's work, as its leader.
func (a *application) divide(r heartbeat.RunAssignment) {
	x := a.process
	x.after(x.draw.between(0, x.person.Divides), func() {
		if x.person.faults.fail > x.world.now {
			x.step(heartbeat.AssignmentFailed{Join: r.Join, Err: errFails})
			return
		}
		x.step(heartbeat.Assigned{Join: r.Join, Assignments: divide(r.Input, len(x.world.partition), x.world.plan.Cooperative)})
	})
}

// leave leaves the group, does something then, and does not wait for it for long.
func (a *application) leave(mode heartbeat.LeaveMode, last bool, then func()) {
	x := a.process
	if a.leaving {
		return
	}
	a.leaving, a.then, a.idle = true, then, false
	a.parting++
	this := a.parting
	x.step(heartbeat.LeaveAsked{Mode: mode, Reason: "the simulation says so", Last: last})
	x.after(10*time.Second, func() {
		if a.leaving && a.parting == this {
			a.left()
		}
	})
}

// left goes on when it has left, or does not wait any more.
func (a *application) left() {
	if a.leaving {
		a.leaving = false
		a.process.after(0, a.then)
	}
}
