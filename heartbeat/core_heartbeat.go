package heartbeat

//kbeat:pure

import (
	"github.com/kbeat/kbeat/fsm/classic"
)

// heartbeatAnswered handles Heartbeat's answer, as Kafka's HeartbeatResponseHandler and its listener do.
func (c *Core) heartbeatAnswered() {
	rule := c.fired(classic.HandleHeartbeat(&c.memory, c.step.answer.Code, classic.HeartbeatGuards{
		Stale:  c.stale(),
		Former: c.former(),
	}, c.effects()))
	c.keepCause(rule)
}

// keepCause keeps why the loop has failed, if it has, for the next poll. What comes after the first cause is its consequence.
func (c *Core) keepCause(rule *classic.Rule) {
	if c.broken == nil {
		c.broken = c.fatal(rule)
	}
}

// loopBroke handles the failure of whatever drives the loop.
func (c *Core) loopBroke(in LoopBroke) {
	c.step.err = in.Err
	c.keepCause(c.fired(classic.HandleLoopBroke(&c.memory, c.effects())))
}

func (e *effects) SendHeartbeat() { e.send(open{request: Request{API: classic.InputHeartbeat}}) }

func (e *effects) HeartbeatReceived() {}

func (e *effects) HeartbeatFailed() {}

func (e *effects) NotePoll() {}

func (e *effects) StartLoop() { e.broken = nil }

func (e *effects) EnableLoop() {}

func (e *effects) DisableLoop() {}

func (e *effects) FailLoop() {}

func (e *effects) EndLoop() {}

func (e *effects) CloseLoop() {}

func (e *effects) DropLoop() { e.step.kept, e.broken = e.broken, nil }
