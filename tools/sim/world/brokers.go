package world

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// nodes is how many brokers there are.
const nodes = 3

// brokers are the nodes of the cluster, one of which coordinates the group.
type brokers struct {
	world   *world
	draw    draw
	node    int32 // the coordinator's; heartbeat.AnyBroker while there is none
	loaded  bool  // it has the group
	moves   int   // counts moves
	former  int32 // who was it before
	stale   time.Duration
	dead    [nodes]time.Duration // until when each is
	silent  [nodes]bool          // and does not refuse connections
	outages [nodes]outage
	held    []*flight     // that were given to the group, and may be answered late
	tick    time.Duration // the group's next one that is queued; 0 while none is
	seen    int           // the group's changes that were reported
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
		if after, ok := b.reachable(f); ok {
			w.after(after, func() { f.answer(b.find()) })
		}
		return
	case b.waits(f):
		return
	case b.dead[r.Node] > w.now:
		if b.silent[r.Node] {
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
	if f.route == held {
		b.held = append(slices.DeleteFunc(b.held, func(o *flight) bool { return o.over }), f)
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
	if x.config.Lease && (r.API == classic.InputHeartbeat && c == classic.CodeRebalanceInProgress || r.API == classic.InputOffsetCommit && c == classic.CodeOffsetMetadataTooLarge) {
		c = classic.CodeNotCoordinator // a lease holds only where brokers do not say of a member that it is there which is not
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
			view.Members = append(view.Members, judge.ViewMember{ID: m.ID, Instance: m.Instance, Owns: w.named(decode(m.Assignment).partitions)})
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
			if b.frozen() {
				return
			}
			w.group.Tick(w.now)
			b.look()
		}
	})
}

// relocate lets another node, if there is one that lives, become the coordinator.
func (b *brokers) relocate(loading time.Duration) {
	b.moves++
	this := b.moves
	next := heartbeat.AnyBroker
	for i := range int32(nodes) {
		if n := (b.former + 1 + i) % nodes; b.dead[n] <= b.world.now && b.outages[n].kind == "" {
			next = n
			break
		}
	}
	if b.node = next; next == heartbeat.AnyBroker {
		b.world.after(time.Second, func() {
			if b.moves == this {
				b.relocate(loading)
			}
		})
		return
	}
	b.world.after(loading, func() {
		if b.moves == this {
			b.load()
		}
	})
}

// load gives the coordinator the group.
func (b *brokers) load() {
	b.moves++
	b.loaded = true
	b.world.group.Load(b.world.now)
	b.look()
}

// leave moves the group away from its coordinator.
func (b *brokers) leave(a Act) {
	w := b.world
	if b.suffering() && slices.ContainsFunc(b.outages[:], func(o outage) bool { return o.kind != "" }) {
		return // the controller has one thing to do at a time
	}
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
	b.moves++
	this := b.moves
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
		if b.moves == this {
			b.relocate(a.Extra)
		}
	})
}

// calm makes all nodes live, and the coordinator have the group.
func (b *brokers) calm() {
	b.dead, b.stale = [nodes]time.Duration{}, 0
	for n := range b.outages {
		if b.outages[n].kind != "" {
			b.comeBack(int32(n), 0)
		}
	}
	if !b.loaded {
		if b.node == heartbeat.AnyBroker {
			b.node = (b.former + 1) % nodes
		}
		b.load()
	}
}
