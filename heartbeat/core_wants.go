package heartbeat

//kbeat:pure

import "github.com/kbeat/kbeat/fsm/classic"

// Wants says that a poll would do something at once: join, tell the application of its partitions, or raise an error.
func (c *Core) Wants() bool {
	switch {
	case c.closed || c.polling || c.leaving.asked || c.has(classic.CallbackRunning):
		return false
	case c.owed != nil || c.has(classic.LookupFailed) || c.has(classic.JoinSucceeded):
		return true
	}
	return c.has(classic.RejoinNeeded) || c.has(classic.LoopExists|classic.LoopFailed)
}
