package heartbeat

//kbeat:pure

import (
	"errors"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// errNoAssignment is why a member that was never assigned anything cannot commit.
var errNoAssignment = errors.New("the member has no assignment, as it is not in a group or was not polled since it has joined; nothing was committed")

// commit sends offsets under the identity that they were read in, or says why it does not.
func (c *Core) commit(in CommitAsked) {
	c.step.commit = in
	if in.Generation == NoGeneration {
		c.step.err = errNoAssignment
	}
	rule := c.fired(classic.HandleCommit(&c.memory, classic.CommitGuards{
		Outdated: in.Member != c.who.member || in.Generation != c.who.generation,
	}, c.effects()))
	if rule.Result.Class() != fsm.ClassPending {
		c.emit(CommitEnded{ID: in.ID, Err: c.commitFailure(rule)})
	}
}

// commitAnswered handles OffsetCommit's answer. Each partition that has failed is decided about as the whole is.
func (c *Core) commitAnswered() {
	before, guards := c.memory, classic.OffsetCommitGuards{Stale: c.stale(), Former: c.former()}
	rule := c.fired(classic.HandleOffsetCommit(&c.memory, c.step.answer.Code, guards, c.effects()))
	err := c.commitFailure(rule)
	if e, ok := err.(*Error); ok {
		e.Unknown = unknownOutcome(c.step.answer)
		for _, p := range c.step.answer.Partitions {
			if p.Code != classic.CodeNone {
				e.Partitions = append(e.Partitions, p)
				e.rules = append(e.rules, classic.DecideOffsetCommit(before, p.Code, guards))
			}
		}
	}
	c.emit(CommitEnded{ID: c.step.sent.commit, Err: err})
}

// commitFailure is the failure of a commit; nil where it is none.
func (c *Core) commitFailure(rule *classic.Rule) error {
	err := c.failure(rule)
	if e, ok := err.(*Error); ok {
		e.Retriable = rule.Result.Class() == fsm.ClassBackoff
	}
	return err
}

// unanswered is the largest number of a code that stands for the lack of an answer.
const unanswered = -1001

// unknownOutcome reports whether a broker may have done what it was sent, though no answer says so.
func unknownOutcome(r Response) bool {
	return r.Code.Number() <= unanswered && !notSent(r.Err)
}

func (e *effects) SendCommit() {
	e.send(open{
		request: Request{API: classic.InputOffsetCommit, Offsets: e.step.commit.Offsets},
		commit:  e.step.commit.ID,
	})
}
