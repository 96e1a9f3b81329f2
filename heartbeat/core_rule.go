package heartbeat

//kbeat:pure

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// effects is a Core as the one that does what rules ask for: it implements every handler of package classic. Its methods
// are called by the functions of that package, after they have changed the memory, and by nobody else.
type effects Core

func (e *effects) core() *Core { return (*Core)(e) }

// fired passes on that a rule has decided, before what it has done.
func (c *Core) fired(rule *classic.Rule) *classic.Rule {
	if c.observe != nil {
		c.observe(rule)
	}
	if c.step.text != "" {
		c.reason, c.step.text = c.text(c.step.text, rule), ""
	}
	f := Fired{Rule: rule, From: c.was, To: c.memory.State, Node: AnyBroker}
	c.step.from, c.was = c.was, c.memory.State
	f.Err = c.cause(rule)
	if c.step.sent != nil && rule.Input == c.step.sent.request.API {
		f.Request, f.Code, f.Node = c.step.sent.request.ID, c.step.answer.Code, c.step.sent.request.Node
	}
	if rule.Clears.Has(classic.CoordinatorKnown) {
		c.away = c.failure(rule)
	}
	c.out = slices.Insert(c.out, len(c.out)-c.acted, Output(f))
	c.acted = 0
	return rule
}

// tellFatal passes on that a rule has decided, and tells the poll what it has failed with for good.
func (c *Core) tellFatal(rule *classic.Rule) {
	if err := c.fatal(c.fired(rule)); err != nil {
		c.raise(err)
	}
}

// fatal is what a rule has failed with for good; nil where it has not.
func (c *Core) fatal(rule *classic.Rule) error {
	if rule.Result.Class() != fsm.ClassFatal {
		return nil
	}
	return c.failure(rule)
}

// failure is what a rule raises: what an effect of it has brought back, where it says no other; nil where its result is no
// error.
func (c *Core) failure(rule *classic.Rule) error {
	if kept := c.step.kept; kept != nil && rule.Result.Error().Kind == fsm.ErrorOwn {
		c.step.kept = nil
		return kept
	}
	name := c.errorName(rule)
	if name == "" {
		return nil
	}
	who, node := c.step.who, AnyBroker
	if c.step.sent != nil {
		who, node = c.step.sent.who, c.step.sent.request.Node
	}
	return &Error{
		Name: name, Input: rule.Input, Code: c.step.answer.Code, Group: c.config.Group, Node: node, Member: who.member,
		Generation: who.generation, State: c.step.from, Rule: rule, Err: c.cause(rule),
	}
}

// errorName is the name of what a rule raises, or "".
func (c *Core) errorName(rule *classic.Rule) string { return errorName(rule, c.step.answer.Code) }

// errorName is the name of what a rule raises that has decided about code, or "".
func errorName(rule *classic.Rule, code classic.Code) string {
	switch e := rule.Result.Error(); e.Kind {
	case fsm.ErrorOwn:
		return code.String()
	case fsm.ErrorCode:
		return e.Code.String()
	case fsm.ErrorNamed:
		return e.Name.String()
	}
	return ""
}

// cause is what lies behind a rule's decision; nil where nothing does.
func (c *Core) cause(rule *classic.Rule) error {
	if err := cmp.Or(c.step.err, c.step.answer.Err); err != nil {
		return err
	}
	switch rule.Result {
	case classic.ResultOffsetCommitNoNode, classic.ResultJoinGroupNoNode, classic.ResultReleasedUntold:
		return c.away
	case classic.ResultJoinGroupInconsistent:
		return fmt.Errorf("the answer names the protocol type %s and the protocol %s", quoted(c.step.answer.ProtocolType), quoted(c.step.answer.Protocol))
	}
	return nil
}

// quoted is what an answer names, which may be nothing.
func quoted(name *string) string {
	if name == nil {
		return "null"
	}
	return strconv.Quote(*name)
}

// text fills in the placeholders of a text of a rule, which may be nil where the text asks for no error.
func (c *Core) text(t fsm.Text, rule *classic.Rule) string {
	return t.Expand(func(placeholder string) string {
		switch placeholder {
		case "code":
			return c.step.answer.Code.String()
		case "api":
			return rule.Input.String()
		case "error":
			return c.errorName(rule)
		case "member_id":
			return c.step.answer.Member
		case "given":
			return c.step.given
		}
		return ""
	})
}
