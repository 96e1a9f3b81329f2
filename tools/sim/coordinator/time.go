package coordinator

import (
	"slices"
	"time"
)

// Deadline is when the next Tick may change something; false while nothing but a request can.
func (g *Group) Deadline() (time.Duration, bool) {
	first := min(g.joinEnds, g.syncEnds)
	for _, m := range g.members {
		if !m.alive() {
			first = min(first, m.expires)
		}
	}
	for _, p := range g.pending {
		first = min(first, p.expires)
	}
	return first, first != never
}

// Tick lets happen what is due at now.
func (g *Group) Tick(now time.Duration) {
	g.now = max(g.now, now)
	for _, p := range slices.Clone(g.pending) {
		if p.expires <= g.now {
			g.forget(p)
			g.maybeCompleteJoin()
		}
	}
	for _, m := range slices.Clone(g.members) {
		if m.expires <= g.now && !m.alive() && slices.Contains(g.members, m) {
			g.remove(m)
			g.rebalance()
		}
	}
	if g.joinEnds <= g.now {
		g.endJoin()
	}
	if g.syncEnds <= g.now {
		g.endSync()
	}
}

// endSync removes who has not sent SyncGroup in time.
func (g *Group) endSync() {
	g.syncEnds = never
	removed := false
	for _, m := range slices.Clone(g.members) {
		if m.owesSync {
			g.remove(m)
			removed = true
		}
	}
	if removed {
		g.rebalance()
	}
}
