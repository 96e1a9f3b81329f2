package heartbeat

//kbeat:pure

import (
	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// commit sends offsets under the present identity, or says why it does not.
func (c *Core) commit(in CommitAsked) {
	c.step.commit = in
	rule := c.fired(classic.HandleCommit(&c.memory, c.effects()))
	if rule.Result.Class() != fsm.ClassPending {
		c.emit(CommitEnded{ID: in.ID, Err: c.failure(rule)})
	}
}

// commitAnswered handles OffsetCommit's answer.
func (c *Core) commitAnswered() {
	rule := c.fired(classic.HandleOffsetCommit(&c.memory, c.step.answer.Code, classic.OffsetCommitGuards{
		Stale:  c.stale(),
		Former: c.former(),
	}, c.effects()))
	c.emit(CommitEnded{ID: c.step.sent.commit, Err: c.failure(rule), Partitions: c.step.answer.Partitions})
}

func (e *effects) SendCommit() {
	e.send(open{
		request: Request{API: classic.InputOffsetCommit, Offsets: e.step.commit.Offsets},
		commit:  e.step.commit.ID,
	})
}
