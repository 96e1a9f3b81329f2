package heartbeat

//kbeat:pure

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// LeaseEnd is the time at which the member's lease ends unless another answer prolongs it; false while it holds none (see
// Config.Lease).
func (c *Core) LeaseEnd() (time.Duration, bool) {
	if !c.has(classic.LeaseHeld) {
		return 0, false
	}
	return min(c.clocks.end(classic.TimerSessionLease), c.clocks.end(classic.TimerRebalanceLease)), true
}
