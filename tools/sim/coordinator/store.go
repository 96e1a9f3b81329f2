package coordinator

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// snapshot is what of a group outlives its coordinator.
type snapshot struct {
	known        bool
	generation   int32
	protocolType string
	protocol     string
	leader       string
	members      []member
}

// create makes the group known, unless it is already.
func (g *Group) create() {
	if !g.known {
		g.known = true
		g.store()
	}
}

// store writes down the group as it is: when it is created, after an assignment, when a static member was replaced, and when nobody is left.
func (g *Group) store() {
	g.stored = snapshot{known: g.known, generation: g.generation, protocolType: g.protocolType, protocol: g.protocol, leader: g.leader}
	for _, m := range g.members {
		kept := *m
		kept.join, kept.sync, kept.isNew, kept.owesSync = nil, nil, false, false
		g.stored.members = append(g.stored.members, kept)
	}
}

// Unload ends the group at its coordinator, which is one no longer: who waits is told so. Nothing may be asked of it until
// Load.
func (g *Group) Unload(now time.Duration) {
	g.now = max(g.now, now)
	for _, m := range g.members {
		for _, waits := range []*reply{&m.join, &m.sync} {
			tell(waits, heartbeat.Response{Code: classic.CodeNotCoordinator, Member: m.id, Generation: heartbeat.NoGeneration})
		}
	}
	g.members, g.pending, g.known = nil, nil, false
	g.become(Empty)
	g.joinEnds, g.syncEnds = never, never
}

// Crash ends the group at its coordinator, and nobody is told.
func (g *Group) Crash(now time.Duration) {
	for _, m := range g.members {
		m.join, m.sync = nil, nil
	}
	g.Unload(now)
}

// Load begins the group at another coordinator, as it was stored.
func (g *Group) Load(now time.Duration) {
	g.now = max(g.now, now)
	g.loaded = g.now
	s := g.stored
	g.known = s.known
	g.generation, g.protocolType, g.protocol, g.leader = s.generation, s.protocolType, s.protocol, s.leader
	for _, kept := range s.members {
		m := kept
		g.members = append(g.members, &m)
		g.beat(&m)
	}
	g.become(Empty)
	if len(g.members) > 0 {
		g.become(Stable)
	}
}
