package heartbeat

//kbeat:pure

import (
	"errors"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// open is a request under way, with the identity that it was sent under.
type open struct {
	request Request
	who     identity
	at      time.Duration // when it was sent
	commit  uint64        // the application's id of an OffsetCommit
	found   int           // how many coordinators had been found when it was sent
	dismiss bool          // a LeaveGroup for a member id that was never this member's
}

// send fills in what all requests have, and lets it go.
func (e *effects) send(o open) uint64 {
	e.lastID++
	r := &o.request
	r.ID, r.Group, r.Instance = e.lastID, e.config.Group, e.config.InstanceID
	r.Node, r.Timeout, r.Again = e.node, e.config.limit(r.API), e.config.again(r.API)
	if r.API == classic.InputFindCoordinator {
		r.Node = AnyBroker // also where the coordinator is known: it is another broker that is asked about it
	}
	o.who, o.at, o.found = e.who, e.now, e.found
	if o.dismiss {
		o.who = identity{member: r.Member, generation: NoGeneration}
	}
	r.Member, r.Generation = o.who.member, o.who.generation
	e.open = append(e.open, o)
	e.emit(o.request)
	return r.ID
}

// answered handles how a request has ended. What is not under way (any more) is ignored, but for a member id.
func (c *Core) answered(r Response) {
	i := slices.IndexFunc(c.open, func(o open) bool { return o.request.ID == r.ID })
	if i < 0 {
		c.answeredLate(r)
		return
	}
	c.endRequest(i, r)
}

// endRequest handles how the request open[i] has ended.
func (c *Core) endRequest(i int, r Response) {
	o := c.open[i]
	c.open = slices.Delete(c.open, i, i+1)
	c.step.sent, c.step.answer = &o, wellFormed(o.request, r)
	switch o.request.API {
	case classic.InputFindCoordinator:
		c.lookedUp()
	case classic.InputJoinGroup:
		c.joinAnswered()
	case classic.InputSyncGroup:
		c.syncAnswered()
	case classic.InputHeartbeat:
		c.heartbeatAnswered()
	case classic.InputOffsetCommit:
		c.commitAnswered()
	case classic.InputLeaveGroup:
		c.leaveAnswered()
	}
}

// abandon ends the requests for which the specification says that their answer does not count any more, and reports whether
// there were any.
func (c *Core) abandon() bool {
	abandoned := false
	for i := 0; i < len(c.open); i++ {
		o := c.open[i]
		code, ended := classic.Abandons(o.request.API, c.memory, classic.RequestGuards{
			Stale:    o.who != c.who,
			Replaced: c.has(classic.CoordinatorKnown) && o.request.Node != c.node,
		})
		if !ended {
			continue
		}
		abandoned = true
		listen := nameless(o.request) // closing its connection would not take it back
		if listen {
			c.late = append(c.late, o)
		}
		c.emit(Abandoned{ID: o.request.ID, Listen: listen})
		c.step = step{who: c.who}
		c.endRequest(i, Response{ID: o.request.ID, Code: code})
		i = -1 // what has ended may end others
	}
	return abandoned
}

// nameless reports whether a request is a JoinGroup without a member id, to which the coordinator gives one.
func nameless(r Request) bool { return r.API == classic.InputJoinGroup && r.Member == "" }

// answeredLate gives back the member id that comes with the answer to an abandoned JoinGroup.
func (c *Core) answeredLate(r Response) {
	i := slices.IndexFunc(c.late, func(o open) bool { return o.request.ID == r.ID })
	if i < 0 {
		return
	}
	o := c.late[i]
	c.late = slices.Delete(c.late, i, i+1)
	if r = wellFormed(o.request, r); givesMemberID(r.Code) {
		c.step.answer = r
		c.fired(classic.HandleLateMemberID(&c.memory, classic.LateMemberIDGuards{
			SameNode: o.request.Node == c.node,
			Leaves:   c.leaves(),
		}, c.effects()))
	}
}

// stale reports whether the request that is answered was sent under another identity than the present one.
func (c *Core) stale() bool { return c.step.sent.who != c.who }

// former reports whether a coordinator has been found since the request that is answered was sent. It may be the same node:
// what is answered then says nothing about the connection to it.
func (c *Core) former() bool { return c.step.sent.found != c.found }

// wellFormed takes an answer that lacks what the rules take from it for one that does not decode.
func wellFormed(sent Request, r Response) Response {
	broken := false
	switch sent.API {
	case classic.InputFindCoordinator:
		broken = r.Code == classic.CodeNone && r.Node < 0
	case classic.InputJoinGroup:
		broken = r.Code == classic.CodeNone && r.Generation < 0 || r.Member == "" && givesMemberID(r.Code)
	}
	if broken {
		return Response{ID: r.ID, Code: classic.CodeMalformed, Err: r.Err}
	}
	return r
}

// givesMemberID reports whether a member that has joined takes its id from an answer with this code.
func givesMemberID(c classic.Code) bool {
	rule := classic.DecideJoinGroup(classic.Memory{State: classic.PreparingRebalance}, c, classic.JoinGroupGuards{})
	return slices.ContainsFunc(rule.Do, func(do classic.Do) bool {
		return do.Effect == classic.EffectTakeMemberID || do.Effect == classic.EffectTakeIdentity
	})
}

// notSent reports whether an error says that the request has not left, so that no broker can have acted on it.
func notSent(err error) bool {
	var left interface{ NotSent() bool }
	return errors.As(err, &left) && left.NotSent()
}
