package heartbeat

//kbeat:pure

import (
	"slices"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// leaving is how far a LeaveAsked has come.
type leaving struct {
	asked     bool
	releasing bool // the application is told
	done      bool // the member has forgotten itself; what it has sent may not be answered yet
	reason    string
	err       error
}

// leave begins to leave the group: first the application gives up what it owns.
func (c *Core) leave(in LeaveAsked) {
	c.endPoll(ErrLeft)
	if c.leaving.asked {
		return
	}
	c.leaving, c.mode = leaving{asked: true, reason: in.Reason}, in.Mode
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

// leaves says whether the coordinator is to be told that the member leaves.
func (c *Core) leaves() bool { return c.mode == LeaveAlways || c.mode == LeaveIfDynamic && !c.static() }

// endLeave answers LeaveAsked when nothing of it is under way any more. A JoinGroup that was sent without an id is waited
// for: the coordinator answers it at once, and the id that it gives is dismissed.
func (c *Core) endLeave() {
	dismissible := c.leaves() && c.has(classic.CoordinatorKnown) && slices.ContainsFunc(c.open, func(o open) bool {
		return o.request.API == classic.InputJoinGroup && o.request.Member == ""
	})
	if !c.leaving.done || dismissible || c.underway(classic.InputLeaveGroup) {
		return
	}
	c.emit(Left{c.leaving.err})
	c.leaving = leaving{}
	if c.polling {
		c.poll()
		c.turnLoops()
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
