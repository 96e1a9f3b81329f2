package heartbeat

//kbeat:pure

import (
	"fmt"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// leaving is how far a LeaveAsked has come.
type leaving struct {
	asked     bool
	releasing bool          // the application is told
	done      bool          // the member has forgotten itself; what it has sent may not be answered yet
	last      bool          // the member is closed after it
	until     time.Duration // for which a late member id is waited for then, and by a poll LeaveGroup's answer
	reason    string
	err       error
}

// leave begins to leave the group: first the application gives up what it owns.
func (c *Core) leave(in LeaveAsked) {
	c.endPoll(ErrLeft)
	if c.leaving.asked {
		c.leaving.last = c.leaving.last || in.Last
		return
	}
	c.leaving, c.mode = leaving{asked: true, last: in.Last, reason: in.Reason}, in.Mode
	if !c.has(classic.CallbackRunning) {
		c.release()
	}
}

func (c *Core) release() {
	c.leaving.releasing = true
	c.fired(classic.HandleLeave(&c.memory, classic.LeaveGuards{IdentityReset: c.reset()}, c.effects()))
	c.answerUnheard()
}

// released goes on when the application has given up what it owned.
func (c *Core) released(err error) {
	c.leaving.releasing, c.leaving.done, c.leaving.err = false, true, err
	c.leaving.until = c.now + min(c.config.RequestTimeout, lateWait)
	c.told = nobody
	c.step.given = c.leaving.reason
	rule := c.fired(classic.HandleReleased(&c.memory, classic.ReleasedGuards{
		HasMemberID: c.who.member != "",
		Leaves:      c.leaves(),
	}, c.effects()))
	if untold := c.failure(rule); c.leaving.err == nil {
		c.leaving.err = untold
	}
}

// leaves reports whether the coordinator is to be told that the member leaves.
func (c *Core) leaves() bool { return c.mode == LeaveAlways || c.mode == LeaveIfDynamic && !c.static() }

// lateWait bounds the wait for a member id that is given back before the member is closed, and how long a poll waits for
// LeaveGroup's answer. A coordinator gives both at once, unless it hangs.
const lateWait = 5 * time.Second

// endLeave answers LeaveAsked when nothing of it is under way any more. Before the member is closed, a JoinGroup that was
// sent without an id is waited for, as its id could not be given back later.
func (c *Core) endLeave() {
	if c.leaving.done && c.polling && c.now >= c.leaving.until {
		c.leaveUnanswered()
	}
	awaited := c.leaving.last && c.now < c.leaving.until && c.leaves() && c.has(classic.CoordinatorKnown) && slices.ContainsFunc(c.late, func(o open) bool {
		return o.request.Node == c.node
	})
	sent := slices.ContainsFunc(c.open, func(o open) bool {
		return o.request.API == classic.InputLeaveGroup && (!o.dismiss || c.leaving.last)
	})
	if !c.leaving.done || awaited || sent {
		return
	}
	c.emit(Left{c.leaving.err})
	c.leaving = leaving{}
	if c.polling {
		c.poll()
		c.turnLoops()
	}
}

// leaveUnanswered stops waiting for LeaveGroup: a poll does, and can join without it. The identity that leaves is no more this
// member's, whenever the coordinator carries it out.
func (c *Core) leaveUnanswered() {
	for i, o := range c.open {
		if o.request.API != classic.InputLeaveGroup || o.dismiss {
			continue
		}
		c.open[i].dismiss = true
		if c.leaving.err == nil {
			c.leaving.err = fmt.Errorf("group %q: LeaveGroup, sent %s ago to broker %d, was not answered, and a poll waits: the coordinator may not know that the member has left",
				c.config.Group, (c.now - o.at).Round(time.Millisecond), o.request.Node)
		}
	}
}

// leaveAnswered handles LeaveGroup's answer.
func (c *Core) leaveAnswered() {
	rule := c.fired(classic.HandleLeaveGroup(&c.memory, c.step.answer.Code, classic.LeaveGroupGuards{Former: c.former()}, c.effects()))
	if err := c.failure(rule); err != nil && c.leaving.err == nil && !c.step.sent.dismiss {
		c.leaving.err = err
	}
}

func (e *effects) Release() {
	e.reason = e.leaving.reason
	e.letGo(CallbackRevoked)
}

func (e *effects) GiveUp() {
	e.reason = e.leaving.reason
	e.letGo(CallbackLost)
}

func (e *effects) SendLeave(reason fsm.Text) {
	e.send(open{request: Request{API: classic.InputLeaveGroup, Reason: e.core().text(reason, nil)}})
}

func (e *effects) Dismiss() {
	e.send(open{request: Request{
		API: classic.InputLeaveGroup, Member: e.step.answer.Member, Reason: "the member has left before its join was answered",
	}, dismiss: true})
}
