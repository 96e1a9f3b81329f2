package heartbeat

//kbeat:pure

import (
	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// commit sends offsets under the identity that they were read in, or says why it does not.
func (c *Core) commit(in CommitAsked) {
	c.step.commit = in
	rule := c.fired(classic.HandleCommit(&c.memory, classic.CommitGuards{
		Outdated: in.Member != c.who.member || in.Generation != c.who.generation,
	}, c.effects()))
	if rule.Result.Class() != fsm.ClassPending {
		c.emit(CommitEnded{ID: in.ID, Err: c.commitFailure(rule)})
	}
}

// commitAnswered handles OffsetCommit's answer.
func (c *Core) commitAnswered() {
	rule := c.fired(classic.HandleOffsetCommit(&c.memory, c.step.answer.Code, classic.OffsetCommitGuards{
		Stale:  c.stale(),
		Former: c.former(),
	}, c.effects()))
	c.emit(CommitEnded{ID: c.step.sent.commit, Err: c.commitFailure(rule)})
}

// commitFailure is the failure of a commit; nil where it is none.
func (c *Core) commitFailure(rule *classic.Rule) error {
	err := c.failure(rule)
	if e, ok := err.(*Error); ok {
		e.Retriable = rule.Result.Class() == fsm.ClassBackoff
		e.Partitions = c.step.answer.Partitions
	}
	return err
}

func (e *effects) SendCommit() {
	e.send(open{
		request: Request{API: classic.InputOffsetCommit, Offsets: e.step.commit.Offsets},
		commit:  e.step.commit.ID,
	})
}
