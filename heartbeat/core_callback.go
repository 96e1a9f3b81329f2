package heartbeat

//kbeat:pure

import "github.com/kbeat/kbeat/fsm/classic"

// callbackEnded goes on after the application has been told something.
func (c *Core) callbackEnded(in CallbackEnded) {
	if !c.has(classic.CallbackRunning) {
		return
	}
	c.step.err = in.Err
	switch {
	case c.leaving.releasing:
		c.released(in.Err)
		return
	case in.Err == nil:
		c.fired(classic.HandleCallbackEnded(&c.memory, c.effects()))
	default:
		c.tellFatal(classic.HandleCallbackFailed(&c.memory, c.effects()))
	}
	if c.leaving.asked {
		c.release()
	}
}

// answerUnheard goes on after a callback that there is nothing to tell in.
func (c *Core) answerUnheard() {
	if c.unheard {
		c.unheard = false
		c.callbackEnded(CallbackEnded{})
	}
}

// letGo tells the application that what it owns goes, or notes that it owns nothing.
func (e *effects) letGo(kind CallbackKind) {
	if e.told == nobody {
		e.unheard = true
		return
	}
	e.emit(Callback{
		Kind: kind, Generation: e.told.generation, Member: e.told.member, Protocol: e.told.protocol, Reason: e.reason,
	})
}

func (e *effects) CallAssigned() {
	e.told = e.who
	e.emit(Callback{
		Kind: CallbackAssigned, Generation: e.who.generation, Member: e.who.member, Protocol: e.who.protocol, Assignment: e.join.assignment,
	})
}

func (e *effects) CallRevoked() { e.letGo(CallbackRevoked) }

func (e *effects) CallLost() {
	e.letGo(CallbackLost)
	e.told = nobody
}

func (e *effects) SkipPrepare() {}

func (e *effects) ForgetSuccess() {}

func (e *effects) EndCallback() {}
