package world

import (
	"math/rand/v2"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// nodes is how many brokers there are.
const nodes = 3

// brokers are the nodes of the cluster, one of which coordinates the group.
type brokers struct {
	world  *world
	draw   draw
	node   int32 // the coordinator's; heartbeat.AnyBroker while there is none
	loaded bool  // it has the group
	move   int   // counts moves
	former int32 // who was it before
	stale  time.Duration
	dead   [nodes]time.Duration // until when each is
	silent [nodes]bool          // and does not refuse connections
	tick   time.Duration        // the group's next one that is queued; 0 while none is
	seen   int                  // the group's changes that were reported
}

func newBrokers(w *world) brokers {
	return brokers{world: w, draw: draw{rand.New(rand.NewPCG(w.plan.Seed, 3))}, loaded: true}
}

// arrive handles a request at the broker that it was sent to.
func (b *brokers) arrive(f *flight) {
	w, faults, r := b.world, &f.process.person.faults, f.request
	lie := faults.codes > w.now && f.process.draw.chance(faults.share)
	switch {
	case lie && !faults.performed:
		f.answer(f.process.lie(r))
		return
	case r.API == classic.InputFindCoordinator:
		f.answer(b.find())
		return
	case b.dead[r.Node] > w.now:
		if b.silent[r.Node] {
			f.lose()
			return
		}
		w.after(f.process.delay(), func() { f.end(classic.CodeDisconnect) })
		return
	case r.Node != b.node:
		f.answer(heartbeat.Response{Code: classic.CodeNotCoordinator})
		return
	case !b.loaded:
		f.answer(heartbeat.Response{Code: classic.CodeCoordinatorLoadInProgress})
		return
	}
	answer := f.answer
	if lie {
		answer = func(good heartbeat.Response) { f.answer(f.process.twist(r, good)) }
	}
	if r.API == classic.InputOffsetCommit {
		answer = f.reportStored(answer)
	}
	w.group.Handle(w.now, r, answer)
	b.look()
}

// twist is an answer that does not say what was done: another code, or another protocol.
func (x *process) twist(r heartbeat.Request, good heartbeat.Response) heartbeat.Response {
	switch {
	case good.Code == classic.CodeNone && good.ProtocolType != nil && x.draw.chance(0.2):
		good.ProtocolType = new("another")
		return good
	case good.Code == classic.CodeNone && good.Protocol != nil && x.draw.chance(0.2):
		good.Protocol = new("another")
		return good
	}
	return x.lie(r)
}

// lie is any answer but a good one.
func (x *process) lie(r heartbeat.Request) heartbeat.Response {
	named := []classic.Code{
		classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeRebalanceInProgress, classic.CodeFencedInstanceID,
		classic.CodeNotCoordinator, classic.CodeCoordinatorNotAvailable, classic.CodeCoordinatorLoadInProgress, classic.CodeMemberIDRequired,
	}
	c := classic.Code(x.draw.IntN(135) - 1)
	if c == classic.CodeNone || x.draw.chance(0.7) {
		c = named[x.draw.IntN(len(named))]
	}
	return heartbeat.Response{Code: c, Member: "lie", Generation: heartbeat.NoGeneration}
}

// find answers a lookup.
func (b *brokers) find() heartbeat.Response {
	switch {
	case b.stale > b.world.now:
		return heartbeat.Response{Node: b.former}
	case b.node == heartbeat.AnyBroker:
		return heartbeat.Response{Code: classic.CodeCoordinatorNotAvailable}
	}
	return heartbeat.Response{Node: b.node}
}

// look reports what has changed at the coordinator, and lets its time pass.
func (b *brokers) look() {
	w := b.world
	if n := w.group.Changes(); n != b.seen {
		b.seen = n
		view := &judge.View{State: string(w.group.State()), Generation: w.group.Generation(), Loaded: w.group.Loaded()}
		for _, m := range w.group.Held() {
			view.Members = append(view.Members, judge.ViewMember{ID: m.ID, Instance: m.Instance})
		}
		w.saw(judge.Event{Kind: judge.Seen, View: view})
	}
	at, ok := w.group.Deadline()
	if !ok || b.tick > w.now && b.tick <= at {
		return
	}
	at = max(at, w.now)
	b.tick = at
	w.at(at, func() {
		if b.tick == at {
			b.tick = 0
			w.group.Tick(w.now)
			b.look()
		}
	})
}

// relocate lets another node, if there is one that lives, become the coordinator.
func (b *brokers) relocate(loading time.Duration) {
	b.move++
	this := b.move
	next := heartbeat.AnyBroker
	for i := range int32(nodes) {
		if n := (b.former + 1 + i) % nodes; b.dead[n] <= b.world.now {
			next = n
			break
		}
	}
	if b.node = next; next == heartbeat.AnyBroker {
		b.world.after(time.Second, func() {
			if b.move == this {
				b.relocate(loading)
			}
		})
		return
	}
	b.world.after(loading, func() {
		if b.move == this {
			b.load()
		}
	})
}

// load gives the coordinator the group.
func (b *brokers) load() {
	b.move++
	b.loaded = true
	b.world.group.Load(b.world.now)
	b.look()
}

// leave moves the group away from its coordinator.
func (b *brokers) leave(a Act) {
	w := b.world
	if b.node != heartbeat.AnyBroker {
		b.former = b.node
	}
	if b.loaded {
		b.loaded = false
		if a.Kind == Crash {
			w.group.Crash(w.now)
		} else {
			w.group.Unload(w.now)
		}
		b.look()
	}
	b.stale = w.now + b.draw.between(0, 2*time.Second)
	if a.Kind == Move {
		b.relocate(a.Extra)
		return
	}
	b.crash(a)
}

// crash ends the coordinator's node; after a while the others notice.
func (b *brokers) crash(a Act) {
	w := b.world
	b.move++
	this := b.move
	b.node = heartbeat.AnyBroker
	b.dead[b.former], b.silent[b.former] = w.now+a.For, a.Other
	if !a.Other {
		for _, p := range w.people {
			for _, x := range p.processes {
				x.breakAll(b.former)
			}
		}
	}
	w.after(b.draw.between(0, 3*time.Second), func() {
		if b.move == this {
			b.relocate(a.Extra)
		}
	})
}

// calm makes all nodes live, and the coordinator have the group.
func (b *brokers) calm() {
	b.dead, b.stale = [nodes]time.Duration{}, 0
	if !b.loaded {
		if b.node == heartbeat.AnyBroker {
			b.node = (b.former + 1) % nodes
		}
		b.load()
	}
}
