package heartbeat

//kbeat:pure

import (
	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// leaving is how far a LeaveAsked has come.
type leaving struct {
	asked     bool
	releasing bool // the application is told
	done      bool // the member has forgotten itself; what it has sent may not be answered yet
	mode      LeaveMode
	reason    string
	err       error
}

// leave begins to leave the group: first the application gives up what it owns.
func (c *Core) leave(in LeaveAsked) {
	if c.leaving.asked {
		return
	}
	c.leaving = leaving{asked: true, mode: in.Mode, reason: in.Reason}
	c.endPoll(ErrLeft)
	if !c.has(classic.CallbackRunning) {
		c.release()
	}
}

func (c *Core) release() {
	c.leaving.releasing = true
	c.fired(classic.HandleLeave(&c.memory, c.effects()))
	c.answerUnheard()
}

// released goes on when the application has given up what it owned.
func (c *Core) released(err error) {
	c.leaving.releasing, c.leaving.done, c.leaving.err = false, true, err
	c.told = nobody
	c.step.given = c.leaving.reason
	c.fired(classic.HandleReleased(&c.memory, classic.ReleasedGuards{
		HasMemberID: c.who.member != "",
		Leaves:      c.leaving.mode == LeaveGroup || c.leaving.mode == LeaveDefault && !c.static(),
	}, c.effects()))
}

// endLeave answers LeaveAsked when nothing of it is under way any more. A dynamic member's JoinGroup is waited for, so that
// an id which the coordinator gives to it can be dismissed.
func (c *Core) endLeave() {
	if !c.leaving.done || c.underway(classic.InputLeaveGroup) || !c.static() && c.underway(classic.InputJoinGroup) {
		return
	}
	c.emit(Left{c.leaving.err})
	c.leaving = leaving{}
}

// leaveAnswered handles LeaveGroup's answer.
func (c *Core) leaveAnswered() {
	rule := c.fired(classic.HandleLeaveGroup(&c.memory, c.step.answer.Code, classic.LeaveGroupGuards{Former: c.former()}, c.effects()))
	if err := c.failure(rule); err != nil && c.leaving.err == nil && !c.step.sent.dismiss {
		c.leaving.err = err
	}
}

func (e *effects) Release() {
	kind := CallbackRevoked
	if e.core().reset() {
		kind = CallbackLost
	}
	if e.reason == "" {
		e.reason = e.leaving.reason
	}
	e.letGo(kind)
}

func (e *effects) SendLeave(reason fsm.Text) {
	e.send(open{request: Request{API: classic.InputLeaveGroup, Reason: e.core().text(reason, nil)}})
}

func (e *effects) Dismiss() {
	e.send(open{request: Request{
		API: classic.InputLeaveGroup, Member: e.step.answer.Member, Reason: "the member has left before its join was answered",
	}, dismiss: true})
}
