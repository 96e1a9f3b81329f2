package coordinator

import (
	"slices"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// sync handles a SyncGroup.
func (g *Group) sync(r heartbeat.Request, answer reply) {
	m, code := g.check(r)
	switch {
	case code != classic.CodeNone:
	case r.Generation != g.generation:
		code = classic.CodeIllegalGeneration
	case r.ProtocolType != g.protocolType || r.Protocol != g.protocol:
		code = classic.CodeInconsistentGroupProtocol
	case g.state == PreparingRebalance:
		code = classic.CodeRebalanceInProgress
	}
	if code != classic.CodeNone {
		answer(heartbeat.Response{Code: code})
		return
	}
	m.owesSync = false
	m.sync = answer
	switch {
	case g.state == Stable:
		g.assign(m) // which is no sign of life
	case m.id == g.leader:
		for _, o := range g.members {
			o.assignment = []byte{}
			if i := slices.IndexFunc(r.Assignments, func(a heartbeat.Assignment) bool { return a.Member == o.id }); i >= 0 {
				o.assignment = r.Assignments[i].Data
			}
		}
		g.become(Stable)
		g.store()
		for _, o := range slices.Clone(g.members) {
			if o.sync != nil {
				g.beat(o)
				g.assign(o)
			}
		}
	}
	if !slices.ContainsFunc(g.members, func(m *member) bool { return m.owesSync }) {
		g.syncEnds = never
	}
}

// assign answers a member's SyncGroup by its assignment.
func (g *Group) assign(m *member) {
	tell(&m.sync, heartbeat.Response{ProtocolType: new(g.protocolType), Protocol: new(g.protocol), Assignment: m.assignment})
}
