package heartbeat

//kbeat:pure

import (
	"fmt"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// heartbeatAnswered handles Heartbeat's answer, as Kafka's HeartbeatResponseHandler and its listener do.
func (c *Core) heartbeatAnswered() {
	rule := c.fired(classic.HandleHeartbeat(&c.memory, c.step.answer.Code, classic.HeartbeatGuards{
		Stale:  c.stale(),
		Former: c.former(),
	}, c.effects()))
	c.keepCause(rule)
	switch rule.Result.Class() {
	case fsm.ClassOK:
		c.silent = nil
	case fsm.ClassBackoff:
		c.silent = c.failure(rule)
	}
}

// silence is why no heartbeat was received lately; nil where one was, and none waits for its answer.
func (c *Core) silence() error {
	i := slices.IndexFunc(c.open, func(o open) bool { return o.request.API == classic.InputHeartbeat })
	if c.silent != nil || i < 0 {
		return c.silent
	}
	o := c.open[i]
	return fmt.Errorf("the heartbeat sent %s ago to broker %d was not answered", (c.now - o.at).Round(time.Millisecond), o.request.Node)
}

// keepCause keeps why the loop has failed, if it has, for the next poll. What comes after the first cause is its consequence.
func (c *Core) keepCause(rule *classic.Rule) {
	if c.broken == nil {
		c.broken = c.fatal(rule)
	}
}

// loopBroke handles the failure of whatever drives the loop. Without a loop, which comes with the first join, a poll does not
// see that it has failed: the cause is raised as that of a join is.
func (c *Core) loopBroke(in LoopBroke) {
	c.step.err = in.Err
	rule := c.fired(classic.HandleLoopBroke(&c.memory, c.effects()))
	if c.has(classic.LoopExists) {
		c.keepCause(rule)
	} else {
		c.raise(c.fatal(rule))
	}
}

func (e *effects) SendHeartbeat() { e.send(open{request: Request{API: classic.InputHeartbeat}}) }

func (e *effects) HeartbeatReceived() {}

func (e *effects) BeatAtOnce() {}

func (e *effects) AwaitLease() {}

func (e *effects) BeginLease() {}

func (e *effects) RenewLease() {}

func (e *effects) RenewSessionLease() {}

func (e *effects) AbandonLease() {}

func (e *effects) EndRejoins() {}

func (e *effects) CheckSilence() { e.LookUp() }

func (e *effects) CheckHeld() { e.LookUp() }

func (e *effects) HeartbeatFailed() {}

func (e *effects) HeartbeatLost() {}

func (e *effects) RepeatLease() {}

func (e *effects) NotePoll() {}

func (e *effects) StartLoop() { e.broken = nil }

func (e *effects) EnableLoop() {}

func (e *effects) DisableLoop() {}

func (e *effects) FailLoop() {}

func (e *effects) EndLoop() {}

func (e *effects) CloseLoop() {}

func (e *effects) DropLoop() { e.step.kept, e.broken = e.broken, nil }
