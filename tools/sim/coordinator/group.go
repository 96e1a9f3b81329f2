package coordinator

import (
	"fmt"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Config is what a broker says of all its groups.
type Config struct {
	// InitialDelay is group.initial.rebalance.delay.ms: how long the first join into an empty group waits for others.
	InitialDelay time.Duration
}

// State is Kafka's name for what a group is at.
type State string

// The states.
const (
	Empty               State = "Empty"
	PreparingRebalance  State = "PreparingRebalance"
	CompletingRebalance State = "CompletingRebalance"
	Stable              State = "Stable"
)

// newMemberJoinTimeout is how long a new member may wait for its first join.
const newMemberJoinTimeout = 5 * time.Minute

// reply answers a request; nil when there is nobody to answer.
type reply func(heartbeat.Response)

// Group is a group at its coordinator.
type Group struct {
	config Config
	now    time.Duration

	known        bool // somebody has asked to join it
	state        State
	generation   int32
	protocolType string
	protocol     string
	leader       string
	members      []*member // in the order in which they came
	pending      []*pending
	ids          int // that were given

	initial  bool          // the present join began in an empty group
	more     bool          // somebody new has come since it was last looked at
	joinEnds time.Duration // when it is looked at
	joinLast time.Duration // when it is over at the latest
	syncEnds time.Duration // when who has not sent SyncGroup is removed; never while nobody is waited for

	reading bool // what has come while it was stopped; no timer runs

	stored  snapshot
	loaded  time.Duration
	commits int
	changes int // of whom it holds, its state or generation
}

// never is a time that does not come.
const never = time.Duration(1<<63 - 1)

// member is a member as the coordinator holds it.
type member struct {
	id, instance string
	session      time.Duration
	rebalance    time.Duration
	protocols    []heartbeat.Protocol
	assignment   []byte
	expires      time.Duration
	isNew        bool // its first join has not been answered
	owesSync     bool // it has not sent the SyncGroup of this generation
	join, sync   reply
}

// alive reports whether a member is so without a heartbeat.
func (m *member) alive() bool { return !m.isNew && (m.join != nil || m.sync != nil) }

// pending is an id that was given and not joined with yet.
type pending struct {
	id      string
	expires time.Duration
}

// New makes a group that nobody is in.
func New(c Config) *Group {
	return &Group{config: c, state: Empty, joinEnds: never, syncEnds: never}
}

// Handle handles a request at now. answer is called when it is answered: at once, from a later Handle, Tick or Unload, or
// never.
func (g *Group) Handle(now time.Duration, r heartbeat.Request, answer func(heartbeat.Response)) {
	g.Tick(now)
	switch r.API {
	case classic.InputJoinGroup:
		g.join(r, answer)
	case classic.InputSyncGroup:
		g.sync(r, answer)
	case classic.InputHeartbeat:
		answer(heartbeat.Response{Code: g.heartbeat(r)})
	case classic.InputLeaveGroup:
		answer(heartbeat.Response{Code: g.leave(r)})
	case classic.InputOffsetCommit:
		answer(g.commit(r))
	}
}

// State is what the group is at.
func (g *Group) State() State { return g.state }

// Changes counts what has changed of State, Generation and Held.
func (g *Group) Changes() int { return g.changes }

// Commits counts the commits that were taken.
func (g *Group) Commits() int { return g.commits }

// become moves the group to a state.
func (g *Group) become(s State) {
	g.state = s
	g.changes++
}

// Generation is the present one.
func (g *Group) Generation() int32 { return g.generation }

// Loaded is when this coordinator has taken the group over.
func (g *Group) Loaded() time.Duration { return g.loaded }

// Held is a member id that the coordinator holds.
type Held struct {
	ID, Instance string
	Pending      bool   // it was given, and not joined with yet
	Assignment   []byte // in a stable group
}

// Held are all that the coordinator holds.
func (g *Group) Held() []Held {
	held := make([]Held, 0, len(g.members)+len(g.pending))
	for _, m := range g.members {
		h := Held{ID: m.id, Instance: m.instance}
		if g.state == Stable {
			h.Assignment = m.assignment
		}
		held = append(held, h)
	}
	for _, p := range g.pending {
		held = append(held, Held{ID: p.id, Pending: true})
	}
	return held
}

// newID is a member id that nobody has had.
func (g *Group) newID(instance string) string {
	g.ids++
	if instance != "" {
		return fmt.Sprintf("%s-%d", instance, g.ids)
	}
	return fmt.Sprintf("id-%d", g.ids)
}

// find is the member of this id, or nil.
func (g *Group) find(id string) *member {
	for _, m := range g.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// static is the member of this instance, or nil.
func (g *Group) static(instance string) *member {
	for _, m := range g.members {
		if instance != "" && m.instance == instance {
			return m
		}
	}
	return nil
}

// check finds who sends a request, or says why it is nobody.
func (g *Group) check(r heartbeat.Request) (*member, classic.Code) {
	if r.Instance != "" {
		switch m := g.static(r.Instance); {
		case m == nil:
			return nil, classic.CodeUnknownMemberID
		case m.id != r.Member:
			return nil, classic.CodeFencedInstanceID
		}
	}
	m := g.find(r.Member)
	if m == nil {
		return nil, classic.CodeUnknownMemberID
	}
	return m, classic.CodeNone
}

// beat begins a member's session anew.
func (g *Group) beat(m *member) { m.expires = g.now + m.session }

// heartbeat handles a Heartbeat.
func (g *Group) heartbeat(r heartbeat.Request) classic.Code {
	m, code := g.check(r)
	switch {
	case code != classic.CodeNone:
		return code
	case r.Generation != g.generation:
		return classic.CodeIllegalGeneration
	}
	g.beat(m)
	if g.state == PreparingRebalance {
		return classic.CodeRebalanceInProgress
	}
	return classic.CodeNone
}

// commit handles an OffsetCommit.
func (g *Group) commit(r heartbeat.Request) heartbeat.Response {
	m, code := g.check(r)
	switch {
	case !g.known:
		code = classic.CodeGroupIDNotFound
	case code != classic.CodeNone:
	case r.Generation != g.generation:
		code = classic.CodeIllegalGeneration
	case g.state == CompletingRebalance:
		code = classic.CodeRebalanceInProgress
	default:
		g.beat(m)
		g.commits++
	}
	answer := heartbeat.Response{Code: code}
	for _, o := range r.Offsets {
		answer.Partitions = append(answer.Partitions, heartbeat.PartitionError{Topic: o.Topic, Partition: o.Partition, Code: code})
	}
	return answer
}

// leave handles a LeaveGroup.
func (g *Group) leave(r heartbeat.Request) classic.Code {
	if i := slices.IndexFunc(g.pending, func(p *pending) bool { return p.id == r.Member }); i >= 0 && r.Instance == "" {
		g.forget(g.pending[i])
		if g.state != Empty {
			g.rebalance() // though nobody has left who was in the group
		}
		return classic.CodeNone
	}
	if m := g.static(r.Instance); m != nil && r.Member == "" {
		r.Member = m.id // whoever it is
	}
	m, code := g.check(r)
	if code != classic.CodeNone {
		return code
	}
	g.remove(m)
	g.rebalance()
	return classic.CodeNone
}

// forget takes an id back that nobody has joined with.
func (g *Group) forget(p *pending) {
	g.pending = slices.DeleteFunc(g.pending, func(o *pending) bool { return o == p })
	g.changes++
}

// remove takes a member out of the group. If it waits for the answer to a SyncGroup, it waits for ever.
func (g *Group) remove(m *member) {
	g.changes++
	g.members = slices.DeleteFunc(g.members, func(o *member) bool { return o == m })
	tell(&m.join, heartbeat.Response{Code: classic.CodeUnknownMemberID})
	m.sync = nil
	if g.leader == m.id {
		g.leader = ""
		if len(g.members) > 0 {
			g.leader = g.members[0].id
		}
	}
}

// tell answers who waits, if anybody does.
func tell(waits *reply, r heartbeat.Response) {
	if answer := *waits; answer != nil {
		*waits = nil
		answer(r)
	}
}
