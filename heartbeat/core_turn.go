package heartbeat

//kbeat:pure

import (
	"github.com/kbeat/kbeat/fsm/classic"
)

// mostTurns bounds how often the loops go round in one step. A specification in which a loop goes round for ever is
// refused; this holds it off where a change to the Core brings one about all the same.
const mostTurns = 64

// turnLoops lets the loops go round until both wait: what one does can be what the other waits for.
func (c *Core) turnLoops() {
	for range mostTurns {
		moved := c.abandon()
		c.step = step{who: c.who}
		if !c.asleep {
			moved = c.turnLease() || moved
			moved = c.turnCheck() || moved
			moved = c.turnSync() || moved
			moved = c.turnHeartbeat() || moved
		}
		if c.polling {
			moved = c.turnJoin() || moved
		}
		if !moved {
			return
		}
	}
}

// turnLease looks at whether the member may still work: a process that was stopped learns of it here.
func (c *Core) turnLease() bool {
	if c.step.err = nil; c.has(classic.LeaseHeld) && c.over(classic.TimerSessionLease) {
		c.step.err = c.silence()
	}
	return c.turned(classic.HandleLeaseTurn(&c.memory, classic.LeaseTurnGuards{
		SessionLeaseOver:   c.over(classic.TimerSessionLease),
		RebalanceLeaseOver: c.over(classic.TimerRebalanceLease),
		Static:             c.static(),
	}, c.effects()))
}

// turnCheck asks whether a silent coordinator still is the coordinator.
func (c *Core) turnCheck() bool {
	if c.step.err = nil; c.over(classic.TimerSilence) {
		c.step.err = c.silence()
	}
	return c.turned(classic.HandleCheckTurn(&c.memory, classic.CheckTurnGuards{
		LookupDue: c.over(classic.TimerLookupRetry),
		CheckDue:  c.over(classic.TimerSilence),
	}, c.effects()))
}

// turnSync sends SyncGroup again.
func (c *Core) turnSync() bool {
	c.step.err = nil
	return c.turned(classic.HandleSyncTurn(&c.memory, classic.SyncTurnGuards{JoinDue: c.over(classic.TimerJoinRetry)}, c.effects()))
}

// turnHeartbeat makes one turn of the heartbeat loop, and reports whether it has done something.
func (c *Core) turnHeartbeat() bool {
	if c.step.err = nil; c.over(classic.TimerSession) {
		c.step.err = c.silence()
	}
	return c.turned(classic.HandleHeartbeatTurn(&c.memory, classic.HeartbeatTurnGuards{
		SessionExpired: c.over(classic.TimerSession),
		LookupDue:      c.over(classic.TimerLookupRetry),
		PollExpired:    c.over(classic.TimerMaxPoll),
		Static:         c.static(),
		HeartbeatDue:   c.over(classic.TimerInterval),
	}, c.effects()))
}

// turnJoin makes one turn of the loop in which a poll waits, and reports whether it has done something.
func (c *Core) turnJoin() bool {
	c.step.err = nil
	rule := classic.HandleJoinTurn(&c.memory, classic.JoinTurnGuards{
		Departing:     c.leaving.asked,
		IdentityReset: c.reset(),
		Owns:          c.told != nobody,
		LookupDue:     c.over(classic.TimerLookupRetry),
		JoinDue:       c.over(classic.TimerJoinRetry),
	}, c.effects())
	moved := c.turned(rule)
	c.answerUnheard()
	if err := c.fatal(rule); err != nil || rule.Result == classic.ResultHeartbeatTurnReady {
		c.endPoll(err)
	}
	return moved
}

// turned notes a turn of a loop; one that only waits is not worth telling.
func (c *Core) turned(rule *classic.Rule) bool {
	if len(rule.Do) == 0 && len(rule.To) == 0 {
		if c.observe != nil {
			c.observe(rule)
		}
		return false
	}
	c.fired(rule)
	return true
}

// poll is what the application does again and again to stay in the group.
func (c *Core) poll() {
	c.polling = true
	rule := c.fired(classic.HandlePoll(&c.memory, classic.PollGuards{Departing: c.leaving.asked}, c.effects()))
	switch err := c.fatal(rule); {
	case err != nil:
		c.endPoll(err)
	case c.owed != nil && !c.leaving.asked:
		err, c.owed = c.owed, nil
		c.endPoll(err)
	}
}

// endPoll answers the poll that waits, if one does.
func (c *Core) endPoll(err error) {
	if c.polling {
		c.polling = false
		c.emit(PollEnded{err})
	}
}

// raise tells the poll that waits, or else the next one.
func (c *Core) raise(err error) {
	if c.polling {
		c.endPoll(err)
	} else {
		c.owed = err
	}
}

// static reports whether the member is a static one (KIP-345).
func (c *Core) static() bool { return c.config.InstanceID != "" }

// reset reports whether the member has no generation.
func (c *Core) reset() bool { return c.who.generation == NoGeneration }
