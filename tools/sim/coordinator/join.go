package coordinator

import (
	"bytes"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// join handles a JoinGroup.
func (g *Group) join(r heartbeat.Request, answer reply) {
	refuse := func(c classic.Code) {
		answer(heartbeat.Response{Code: c, Member: r.Member, Generation: heartbeat.NoGeneration})
	}
	if r.Member == "" {
		g.create() // even if it is refused
	}
	if !g.supports(r) {
		refuse(classic.CodeInconsistentGroupProtocol)
		return
	}
	if r.Member == "" {
		g.joinNew(r, answer)
		return
	}
	if i := slices.IndexFunc(g.pending, func(p *pending) bool { return p.id == r.Member }); i >= 0 {
		if r.Instance != "" {
			refuse(classic.CodeUnknownServerError) // it was given to a dynamic member, and Kafka does not expect that
			return
		}
		g.pending = slices.Delete(g.pending, i, i+1)
		g.add(r, r.Member, answer)
		return
	}
	m, code := g.check(r)
	if code != classic.CodeNone {
		refuse(code)
		return
	}
	same := sameProtocols(m.protocols, r.Protocols)
	if same && (g.state == CompletingRebalance || g.state == Stable && g.leader != m.id) {
		answer(g.present(m))
		return
	}
	g.update(m, r)
	m.join = answer
	g.rebalance()
}

// joinNew handles the JoinGroup of a member that has no id.
func (g *Group) joinNew(r heartbeat.Request, answer reply) {
	id := g.newID(r.Instance)
	switch m := g.static(r.Instance); {
	case m != nil:
		g.replace(m, r, id, answer)
	case r.Instance != "":
		g.add(r, id, answer)
	default:
		g.pending = append(g.pending, &pending{id, g.now + r.SessionTimeout})
		g.changes++
		answer(heartbeat.Response{Code: classic.CodeMemberIDRequired, Member: id, Generation: heartbeat.NoGeneration})
	}
}

// add takes a new member in.
func (g *Group) add(r heartbeat.Request, id string, answer reply) {
	m := &member{id: id, instance: r.Instance, isNew: true, join: answer, expires: g.now + newMemberJoinTimeout}
	g.update(m, r)
	if len(g.members) == 0 {
		g.protocolType, g.leader = r.ProtocolType, id
	}
	g.members = append(g.members, m)
	g.more = true
	g.changes++
	g.rebalance()
}

// update takes what a member says of itself.
func (g *Group) update(m *member, r heartbeat.Request) {
	m.protocols, m.session, m.rebalance = r.Protocols, r.SessionTimeout, r.RebalanceTimeout
}

// replace lets a process take the place of another one that has its instance id.
func (g *Group) replace(m *member, r heartbeat.Request, id string, answer reply) {
	for _, waits := range []*reply{&m.join, &m.sync} {
		tell(waits, heartbeat.Response{Code: classic.CodeFencedInstanceID, Member: m.id, Generation: heartbeat.NoGeneration})
	}
	leads := g.leader == m.id
	if leads {
		g.leader = id
	}
	m.id = id
	g.changes++
	g.update(m, r)
	g.beat(m)
	if g.state == Stable && g.choose() == g.protocol {
		g.store()
		present := g.present(m)
		present.SkipAssignment = leads
		answer(present)
		return
	}
	m.join = answer
	g.rebalance()
}

// present tells a member the present generation.
func (g *Group) present(m *member) heartbeat.Response {
	r := heartbeat.Response{
		Generation: g.generation, Member: m.id, Leader: g.leader, ProtocolType: new(g.protocolType), Protocol: new(g.protocol),
	}
	if m.id == g.leader {
		for _, o := range g.members {
			r.Members = append(r.Members, heartbeat.JoinMember{ID: o.id, Instance: o.instance, Metadata: o.metadata(g.protocol)})
		}
	}
	return r
}

// metadata are what a member says of a protocol.
func (m *member) metadata(protocol string) []byte {
	for _, p := range m.protocols {
		if p.Name == protocol {
			return p.Metadata
		}
	}
	return nil
}

// rebalance begins a join, or goes on with the one that is under way.
func (g *Group) rebalance() {
	if g.state == PreparingRebalance {
		g.maybeCompleteJoin()
		return
	}
	for _, m := range g.members {
		m.owesSync, m.assignment = false, nil
		if m.sync != nil {
			g.beat(m)
			tell(&m.sync, heartbeat.Response{Code: classic.CodeRebalanceInProgress})
		}
	}
	g.initial, g.more = g.state == Empty, false
	g.syncEnds = never
	g.become(PreparingRebalance)
	g.joinLast = g.now + g.longestRebalance()
	g.joinEnds = g.joinLast
	if !g.initial {
		g.maybeCompleteJoin()
		return
	}
	g.joinEnds = min(g.joinLast, g.now+g.config.InitialDelay)
	if g.joinEnds == g.now {
		g.completeJoin()
	}
}

// endJoin ends the join when its time is over. The first one waits once more when somebody has come meanwhile.
func (g *Group) endJoin() {
	if g.initial && g.more && g.now < g.joinLast {
		g.more = false
		g.joinEnds = min(g.joinLast, g.now+g.config.InitialDelay)
		return
	}
	g.completeJoin()
}

// longestRebalance is how long a join lasts.
func (g *Group) longestRebalance() (longest time.Duration) {
	for _, m := range g.members {
		longest = max(longest, m.rebalance)
	}
	return longest
}

// maybeCompleteJoin ends the join when all are there; but not the first one, in which nobody knows who all are.
func (g *Group) maybeCompleteJoin() {
	waits := func(m *member) bool { return m.join == nil }
	if g.state == PreparingRebalance && !g.initial && len(g.pending) == 0 && !slices.ContainsFunc(g.members, waits) {
		g.completeJoin()
	}
}

// completeJoin ends the join with those that are there, and begins the next generation.
func (g *Group) completeJoin() {
	for _, m := range slices.Clone(g.members) {
		if m.join == nil && m.instance == "" {
			g.remove(m)
		}
	}
	if leader := g.find(g.leader); len(g.members) > 0 && leader.join == nil {
		i := slices.IndexFunc(g.members, func(m *member) bool { return m.join != nil })
		if i < 0 { // static members, none of which has joined
			g.joinEnds = g.now + g.longestRebalance()
			return
		}
		g.leader = g.members[i].id
	}
	g.joinEnds = never
	g.generation++
	if len(g.members) == 0 {
		g.become(Empty)
		g.protocol, g.leader = "", ""
		g.store()
		return
	}
	g.become(CompletingRebalance)
	g.protocol = g.choose()
	g.syncEnds = g.now + g.longestRebalance()
	for _, m := range slices.Clone(g.members) {
		m.isNew, m.owesSync = false, true
		g.beat(m)
		tell(&m.join, g.present(m))
	}
}

// supports reports whether a member can take part in the group with its protocols. What it has offered so far counts too: who
// is alone cannot change to another protocol at once either.
func (g *Group) supports(r heartbeat.Request) bool {
	if len(g.members) == 0 {
		return r.ProtocolType != "" && len(r.Protocols) > 0
	}
	return r.ProtocolType == g.protocolType && slices.ContainsFunc(r.Protocols, func(p heartbeat.Protocol) bool {
		return !slices.ContainsFunc(g.members, func(m *member) bool { return !m.offers(p.Name) })
	})
}

func (m *member) offers(protocol string) bool {
	return slices.ContainsFunc(m.protocols, func(p heartbeat.Protocol) bool { return p.Name == protocol })
}

// choose is the protocol that most members prefer, of those that all have; the first of equals.
func (g *Group) choose() string {
	var names []string
	votes := map[string]int{}
	for _, m := range g.members {
		for _, p := range m.protocols {
			if !slices.ContainsFunc(g.members, func(o *member) bool { return !o.offers(p.Name) }) {
				if votes[p.Name]++; votes[p.Name] == 1 {
					names = append(names, p.Name)
				}
				break
			}
		}
	}
	best := ""
	for _, n := range names {
		if votes[n] > votes[best] {
			best = n
		}
	}
	return best
}

func sameProtocols(a, b []heartbeat.Protocol) bool {
	return slices.EqualFunc(a, b, func(a, b heartbeat.Protocol) bool { return a.Name == b.Name && bytes.Equal(a.Metadata, b.Metadata) })
}
