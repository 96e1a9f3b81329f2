package heartbeat

//kbeat:pure

import (
	"slices"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// join is what the present join has brought so far.
type join struct {
	id         uint64 // of its JoinGroup
	members    []JoinMember
	skip       bool
	plan       []Assignment // of the leader
	assignment []byte
}

// joinAnswered handles JoinGroup's answer.
func (c *Core) joinAnswered() {
	answer := &c.step.answer
	c.tellFatal(classic.HandleJoinGroup(&c.memory, answer.Code, classic.JoinGroupGuards{
		Stale:             c.stale(),
		Former:            c.former(),
		Nameless:          nameless(c.step.sent.request) && c.static() && !notSent(answer.Err),
		OtherProtocolType: differs(answer.ProtocolType, c.config.ProtocolType),
		Leader:            answer.Leader == answer.Member,
	}, c.effects()))
	if c.has(classic.AssignmentRunning) && c.join.skip {
		c.assigned(Assigned{Join: c.join.id})
	}
}

// syncAnswered handles SyncGroup's answer.
func (c *Core) syncAnswered() {
	answer := &c.step.answer
	c.tellFatal(classic.HandleSyncGroup(&c.memory, answer.Code, classic.SyncGroupGuards{
		Stale:             c.stale(),
		Former:            c.former(),
		OtherProtocolType: differs(answer.ProtocolType, c.config.ProtocolType),
		OtherProtocolName: differs(answer.Protocol, c.who.protocol),
		Leased:            c.config.Lease,
	}, c.effects()))
}

// assigned goes on with the leader's assignment; one of an earlier join is ignored.
func (c *Core) assigned(in Assigned) {
	if c.has(classic.AssignmentRunning) && in.Join == c.join.id {
		c.join.plan = in.Assignments
		c.tellFatal(classic.HandleAssigned(&c.memory, c.effects()))
	}
}

// assignmentFailed ends a join whose leader cannot divide the work.
func (c *Core) assignmentFailed(in AssignmentFailed) {
	if c.has(classic.AssignmentRunning) && in.Join == c.join.id {
		c.step.err = in.Err
		c.tellFatal(classic.HandleAssignmentFailed(&c.memory, c.effects()))
	}
}

// differs reports whether an answer names something else; older brokers name nothing.
func differs(named *string, own string) bool { return named != nil && *named != own }

func (e *effects) SendJoin() {
	e.mode = LeaveIfDynamic
	e.join = join{id: e.send(open{request: Request{
		API: classic.InputJoinGroup, ProtocolType: e.config.ProtocolType, Protocols: slices.Clone(e.config.Protocols),
		SessionTimeout: e.config.SessionTimeout, RebalanceTimeout: e.config.MaxPollInterval, Reason: e.reason,
	}})}
}

func (e *effects) TakeMemberID() {
	e.who = identity{member: e.step.answer.Member, generation: NoGeneration}
}

func (e *effects) TakeIdentity() {
	answer := &e.step.answer
	e.who = identity{member: answer.Member, generation: answer.Generation}
	if answer.Protocol != nil {
		e.who.protocol = *answer.Protocol
	}
	e.join.members, e.join.skip = answer.Members, answer.SkipAssignment
}

func (e *effects) RunAssignment() {
	if !e.join.skip {
		e.emit(RunAssignment{Join: e.join.id, Input: AssignmentInput{
			Group: e.config.Group, Generation: e.who.generation, Leader: e.who.member, Protocol: e.who.protocol, Members: e.join.members,
		}})
	}
}

func (e *effects) EndAssignment() {}

func (e *effects) AbandonAssignment() { e.emit(AssignmentAbandoned{e.join.id}) }

func (e *effects) SendSync() {
	e.send(open{request: Request{
		API: classic.InputSyncGroup, ProtocolType: e.config.ProtocolType, Protocol: e.who.protocol, Assignments: e.join.plan,
	}})
}

func (e *effects) Settle() {
	e.join.assignment = e.step.answer.Assignment
	e.reason = ""
}

func (e *effects) SettleForNow() { e.join.assignment = e.step.answer.Assignment }

func (e *effects) EndJoin() {}

func (e *effects) GiveUpJoin() {}

func (e *effects) RepeatJoin() {}

func (e *effects) RepeatSync() {}

func (e *effects) PutOffSync() {}

func (e *effects) AbandonSync() {}

func (e *effects) NoteLostJoin() {}

func (e *effects) ForgetLostJoin() {}

func (e *effects) ForgiveFence() {}

func (e *effects) FailJoin(reason fsm.Text) { e.step.text = reason }

func (e *effects) PutOffJoin(reason fsm.Text) { e.step.text = reason }

func (e *effects) RequestRejoin(reason fsm.Text) { e.step.text = reason }

func (e *effects) AskRejoin(reason fsm.Text) { e.step.text = reason }

func (e *effects) ResetGeneration(reason fsm.Text) {
	e.who = identity{member: e.who.member, generation: NoGeneration}
	e.step.text = reason
}

func (e *effects) ResetIdentity(reason fsm.Text) {
	e.who = nobody
	e.step.text = reason
}
