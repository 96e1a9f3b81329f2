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

// Resume lets a coordinator that was stopped go on at now. What has come meanwhile is handled before its timers run, so that
// who was to be given up in that time is not.
func (g *Group) Resume(now time.Duration, handle func()) {
	g.now = max(g.now, now)
	g.reading = true
	handle()
	g.reading = false
	g.Tick(now)
}

// Tick lets happen what is due at now.
func (g *Group) Tick(now time.Duration) {
	g.now = max(g.now, now)
	if g.reading {
		return
	}
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
