package world

import (
	"time"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// faults are what a person suffers from, each until a time.
type faults struct {
	cut, deaf, silent, throttled, slow, codes time.Duration
	refused                                   time.Duration
	versions                                  bool          // are refused, not its credentials
	delay                                     time.Duration // while slow
	share                                     float64       // of answers that are lies
	performed                                 bool          // what is lied about was done
	wobble, stuck, fail                       time.Duration
}

// act does something to the group.
func (w *world) act(a Act) {
	switch a.Kind {
	case Move, Crash:
		w.brokers.leave(a)
		return
	case BrokerKill, BrokerStop, BrokerCut:
		w.brokers.outage(a)
		return
	case Birth:
		p := w.people[a.Who]
		w.birth(p, p.Instance)
		return
	}
	people := w.people
	if a.Who >= 0 {
		people = people[a.Who : a.Who+1]
	}
	for _, p := range people {
		w.suffer(p, a)
	}
}

// suffer does something to a person.
func (w *world) suffer(p *person, a Act) {
	until := w.now + a.For
	switch f := &p.faults; a.Kind {
	case Cut:
		f.cut = max(f.cut, until)
		for _, x := range p.processes {
			x.breakAll(heartbeat.AnyBroker)
		}
	case HalfOpen:
		if a.Other {
			f.deaf = max(f.deaf, until)
		} else {
			f.silent = max(f.silent, until)
		}
	case Refuse:
		f.refused, f.versions = max(f.refused, until), a.Other
	case Throttle:
		f.throttled = max(f.throttled, until)
	case Slow:
		f.slow, f.delay = max(f.slow, until), a.Extra
	case Codes:
		f.codes, f.share, f.performed = max(f.codes, until), a.Share, a.Other
	case Wobble:
		f.wobble = max(f.wobble, until)
	case Stuck:
		f.stuck = max(f.stuck, until)
	case Fail:
		f.fail = max(f.fail, until)
	default:
		if x := p.present(); x != nil {
			w.happen(x, a)
		}
	}
}

// present is a person's youngest process that lives; nil while there is none.
func (p *person) present() *process {
	for i := len(p.processes) - 1; i >= 0; i-- {
		if !p.processes[i].dead {
			return p.processes[i]
		}
	}
	return nil
}

// happen does something to a process.
func (w *world) happen(x *process, a Act) {
	p := x.person
	switch a.Kind {
	case Kill:
		x.end(judge.Killed)
		w.again(p, a)
	case Leave, Absent:
		leave := func() {
			x.app.leave(a.Mode, a.Kind == Leave, func() {
				if a.Kind == Absent {
					x.after(min(a.For, w.plan.Calm-w.now), x.app.poll)
					return
				}
				x.step(heartbeat.CloseAsked{})
				w.again(p, a)
			})
		}
		if a.Other {
			x.joins = leave
			return
		}
		x.do(leave)
	case Twin:
		w.birth(p, x.config.InstanceID)
	case Pause:
		x.pause()
		w.after(a.For, x.resume)
	case Jump:
		x.jump(a.Extra)
	case Mute:
		x.muteAll()
	case Break:
		x.do(func() { x.step(heartbeat.LoopBroke{Err: errFails}) })
	case Rejoin:
		x.do(func() { x.step(heartbeat.RejoinAsked{Reason: "the simulation says so"}) })
	}
}

// again lets another process of a person begin, after a while.
func (w *world) again(p *person, a Act) {
	if a.For == 0 {
		return
	}
	instance := p.Instance
	if a.Other && instance != "" {
		instance += "'"
	}
	w.after(a.For, func() { w.birth(p, instance) })
}
