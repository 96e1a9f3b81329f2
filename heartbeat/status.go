package heartbeat

//kbeat:pure

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Status is what a member is at one moment.
type Status struct {
	State       classic.State
	Flags       classic.Flags
	Member      string // "" while the coordinator has given none
	Generation  int32  // NoGeneration while there is none
	Protocol    string // that the group has chosen
	Coordinator int32  // its node, or AnyBroker while it is unknown
	Heartbeats  int    // sent and not answered
	Reason      string // of the rejoin that is wanted

	// Failure is the last failure of a lookup, a join or a heartbeat, an *Error, as long as none of a later one has
	// succeeded; nil when all is well, and when the member has left or was not polled yet. FailingSince is the time of the
	// first failure since it last was nil, and zero while it is. LastHeartbeat is when the coordinator last answered a
	// heartbeat in a way that counts for the session; zero before the first. A Core, which has no clock, leaves all three
	// empty; Member.Status has them.
	Failure       error
	FailingSince  time.Time
	LastHeartbeat time.Time
}

// Status is what the member is now.
func (c *Core) Status() Status {
	s := Status{
		State: c.memory.State, Flags: c.memory.Flags, Member: c.who.member, Generation: c.who.generation,
		Protocol: c.who.protocol, Coordinator: AnyBroker, Reason: c.reason,
	}
	if c.has(classic.CoordinatorKnown) {
		s.Coordinator = c.node
	}
	for _, o := range c.open {
		if o.request.API == classic.InputHeartbeat {
			s.Heartbeats++
		}
	}
	return s
}
