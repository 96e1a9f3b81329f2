package heartbeat

//kbeat:pure

import "github.com/kbeat/kbeat/fsm/classic"

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
