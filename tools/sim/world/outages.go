package world

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// controllerSession is broker.session.timeout.ms: the controller gives the groups of a broker to another one when it has not
// heard of it for so long.
const controllerSession = 9 * time.Second

// nextAfter is how long a lookup waits for the answer of one broker before it asks the next.
const nextAfter = 500 * time.Millisecond

// outage is what a coordinator suffers from.
type outage struct {
	kind  ActKind // BrokerStop, BrokerCut, or "" while nothing is wrong
	until time.Duration
	queue []*flight // that have reached a stopped broker, in order
}

// suffering reports whether some broker is killed, stopped or cut off.
func (b *brokers) suffering() bool {
	for n := range b.dead {
		if b.outages[n].kind != "" || b.dead[n] > b.world.now {
			return true
		}
	}
	return false
}

// outage lets the coordinator be killed, stopped or cut off. The controller gives the group to another one when its session
// with it is over; one that comes back sooner is the coordinator still.
func (b *brokers) outage(a Act) {
	w := b.world
	if b.node == heartbeat.AnyBroker || !b.loaded || b.suffering() {
		return
	}
	n := b.node
	b.moves++
	this := b.moves
	if a.Kind == BrokerKill {
		b.dead[n], b.silent[n] = w.now+a.For, false
		w.group.Crash(w.now)
		b.loaded = false
		b.look()
		for _, p := range w.people {
			for _, x := range p.processes {
				x.breakAll(n)
			}
		}
	} else {
		b.outages[n] = outage{kind: a.Kind, until: w.now + a.For}
	}
	w.after(a.For, func() { b.comeBack(n, a.Extra) })
	w.after(controllerSession, func() {
		if b.moves == this && b.node == n && (b.outages[n].kind != "" || b.dead[n] > w.now) {
			b.replace(n, a.Extra)
		}
	})
}

// replace gives the group of a broker that the controller does not hear of to another one. What is held at the former one
// is not answered before it goes on.
func (b *brokers) replace(n int32, loading time.Duration) {
	if b.loaded {
		b.loaded = false
		b.world.group.Crash(b.world.now)
		b.look()
	}
	b.former = n
	b.relocate(loading)
}

// comeBack lets a broker go on. What has reached it is carried out, if it is the coordinator still; else all that waits is
// told that it is not.
func (b *brokers) comeBack(n int32, loading time.Duration) {
	w := b.world
	o := b.outages[n]
	b.outages[n] = outage{}
	switch {
	case b.node != n:
		for _, f := range b.held {
			if f.request.Node == n {
				f.answer(heartbeat.Response{Code: classic.CodeNotCoordinator})
			}
		}
	case !b.loaded: // it was killed, and nobody has taken the group over
		b.moves++
		this := b.moves
		w.after(loading, func() {
			if b.moves == this && b.node == n && !b.loaded {
				b.load()
			}
		})
	case o.kind == BrokerStop:
		handle := func() {
			for _, f := range o.queue {
				b.arrive(f)
			}
			o.queue = nil
		}
		if b.draw.chance(0.5) { // its timers may run before it has read what has come
			w.group.Tick(w.now)
			handle()
		} else {
			w.group.Resume(w.now, handle)
		}
		b.look()
	}
	for _, f := range o.queue {
		b.arrive(f)
	}
}

// waits keeps a request at a broker that does not read it; false where the broker does.
func (b *brokers) waits(f *flight) bool {
	n := f.request.Node
	if n == heartbeat.AnyBroker {
		return false
	}
	switch o := &b.outages[n]; o.kind {
	case BrokerStop:
		o.queue = append(o.queue, f)
		return true
	case BrokerCut: // what was lost on the way is sent again as long as the connection is there
		b.world.at(o.until+f.process.delay(), func() {
			if f.route != held || !f.over {
				b.arrive(f)
			}
		})
		return true
	}
	return false
}

// frozen reports whether the group's coordinator is stopped, so that its time does not pass.
func (b *brokers) frozen() bool {
	return b.node != heartbeat.AnyBroker && b.loaded && b.outages[b.node].kind == BrokerStop
}

// reachable is after what time a lookup has found a broker that answers; false where it finds none.
func (b *brokers) reachable(f *flight) (after time.Duration, ok bool) {
	if !b.suffering() {
		return 0, true
	}
	first := f.process.draw.IntN(nodes)
	for i := range nodes {
		n := (first + i) % nodes
		switch {
		case b.outages[n].kind != "", b.dead[n] > b.world.now && b.silent[n]:
			after += nextAfter
		case b.dead[n] > b.world.now:
			after += 10 * time.Millisecond
		default:
			return after, true
		}
	}
	return 0, false
}
