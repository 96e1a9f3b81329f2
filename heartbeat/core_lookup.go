package heartbeat

//kbeat:pure

import (
	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// lookedUp handles FindCoordinator's answer.
func (c *Core) lookedUp() {
	rule := c.fired(classic.HandleFindCoordinator(&c.memory, c.step.answer.Code, classic.FindCoordinatorGuards{
		SameNode: c.step.answer.Node == c.node,
	}, c.effects()))
	if c.away = c.failure(rule); rule.Result.Class() == fsm.ClassFatal {
		c.lookup = c.away
	}
}

func (e *effects) LookUp() { e.send(open{request: Request{API: classic.InputFindCoordinator}}) }

func (e *effects) EndLookup() {}

func (e *effects) PutOffLookup() {}

func (e *effects) KeepLookupError() {}

func (e *effects) DropLookupError() { e.step.kept, e.lookup = e.lookup, nil }

func (e *effects) TakeCoordinator() {
	e.node = e.step.answer.Node
	e.found++
	e.lookup = nil
}

func (e *effects) LoseCoordinator() { e.node = AnyBroker }
