package heartbeat

//kbeat:pure

import (
	"slices"

	"github.com/kbeat/kbeat/fsm/classic"
)

// open is a request under way, with the identity that it was sent under.
type open struct {
	request Request
	who     identity
	commit  uint64 // the application's id of an OffsetCommit
	found   int    // how many coordinators had been found when it was sent
	dismiss bool   // a LeaveGroup for a member id that was never this member's
}

// send fills in what all requests have, and lets it go.
func (e *effects) send(o open) uint64 {
	e.lastID++
	r := &o.request
	r.ID, r.Group, r.Instance = e.lastID, e.config.Group, e.config.InstanceID
	r.Node, r.Timeout = e.node, e.config.timeout(r.API)
	if !o.dismiss {
		r.Member = e.who.member
	}
	r.Generation, o.who, o.found = e.who.generation, e.who, e.found
	e.open = append(e.open, o)
	e.emit(o.request)
	return r.ID
}

// underway says whether a request of this API waits for its answer.
func (c *Core) underway(api classic.Input) bool {
	return slices.ContainsFunc(c.open, func(o open) bool { return o.request.API == api })
}

// answered handles how a request has ended. What is not under way (any more) is ignored.
func (c *Core) answered(r Response) {
	i := slices.IndexFunc(c.open, func(o open) bool { return o.request.ID == r.ID })
	if i < 0 {
		return
	}
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

// stale says whether the request that is answered was sent under another identity than the present one.
func (c *Core) stale() bool { return c.step.sent.who != c.who }

// former says whether a coordinator has been found since the request that is answered was sent. It may be the same node:
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

// givesMemberID says whether a member that has joined takes its id from an answer with this code.
func givesMemberID(c classic.Code) bool {
	rule := classic.DecideJoinGroup(classic.Memory{State: classic.PreparingRebalance}, c, classic.JoinGroupGuards{})
	return slices.ContainsFunc(rule.Do, func(do classic.Do) bool {
		return do.Effect == classic.EffectTakeMemberID || do.Effect == classic.EffectTakeIdentity
	})
}
