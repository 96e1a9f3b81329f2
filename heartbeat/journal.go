package heartbeat

//kbeat:pure

import (
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// journal decides what of a member's steps is an event for an operator, and follows its outages. It is fed with each step,
// and has no clock or logger: the same steps give the same events.
type journal struct {
	config   Config
	describe func(Callback) []eventAttr // of an assignment that comes or goes; nil where the application has none

	now    time.Duration // of the step
	before Status        // the member's before it
	after  Status
	events []event

	outage    outage
	beat      time.Duration // of the last answered heartbeat
	beaten    bool          // there was one
	node      int32         // the coordinator that was logged last
	away      bool          // the member has left, or was never polled
	wanted    time.Duration // when the join that goes on was first wanted
	why       string        // it was
	implied   classic.Code  // what the last rule that has failed is, where that was not received
	joined    identity      // of the last generation that was joined
	assigned  identity      // of the last assignment
	members   int           // of the group, where this member leads it
	owns      bool          // the application was notified of an assignment that was not lost since
	revoked   bool          // and was asked to release it
	callback  Callback      // that runs
	described []eventAttr   // of what it revokes
	called    time.Duration // when it began
	leaving   bool          // it belongs to a leave: what the application owns is given up, not lost
	refused   refusal       // the last one logged
}

// event is one line of the log.
type event struct {
	failure bool // Warn, else Info
	message string
	attrs   []eventAttr
}

type eventAttr struct {
	key   string
	value any
}

// refusal is a refused commit; one for each name and generation is logged.
type refusal struct {
	name       string
	generation int32
}

func newJournal(config Config, status Status) journal {
	return journal{config: config, after: status, node: AnyBroker, away: true, joined: nobody, assigned: nobody}
}

// step notes what one step of the Core has done, and returns what of it an operator should know.
func (j *journal) step(now time.Duration, outputs []Output, status Status) []event {
	j.now, j.before, j.after, j.events = now, j.after, status, nil
	for _, o := range outputs {
		if r, ok := o.(RunAssignment); ok {
			j.members = len(r.Input.Members)
		}
	}
	for _, o := range outputs {
		switch o := o.(type) {
		case Fired:
			j.fired(o)
		case Callback:
			j.calls(o)
		case CommitEnded:
			j.committed(o)
		}
	}
	if j.outage.due(now) {
		j.warn("still failing", append(j.sum(), eventAttr{"last", j.outage.last})...)
	}
	return j.events
}

// fired notes that a rule has decided.
func (j *journal) fired(f Fired) {
	if e := f.Rule.Result.Error(); e.Kind == fsm.ErrorCode && e.Code != f.Code {
		j.implied = e.Code
	} else if f.Code == j.implied {
		j.implied = classic.CodeNone
	}
	began := len(j.events)
	j.leaving = j.leaving || does(f, classic.EffectRelease, classic.EffectGiveUp)
	j.ends(f)
	j.loses(f)
	j.fails(f, len(j.events) == began)
	j.recovers(f)
	wants := f.Rule.Sets.Has(classic.RejoinNeeded) && !j.before.Flags.Has(classic.RejoinNeeded)
	if wants {
		j.wanted, j.why = j.now, j.after.Reason
		j.before.Flags |= classic.RejoinNeeded // one line for a step
	}
	switch {
	case f.Rule.Input == classic.InputPoll && j.away:
		j.away, j.wanted, j.why = false, j.now, ""
	case f.Rule.Input == classic.InputReleased:
		j.leaves(f)
		j.away, j.leaving, j.outage, j.joined, j.assigned = true, false, outage{}, nobody, nobody
	case does(f, classic.EffectSendLeave):
		j.leaves(f)
	case does(f, classic.EffectTakeIdentity):
		j.joins(f)
	case f.Rule.Input == classic.InputLeaveGroup && failed(f):
		j.warn("leave failed", j.rule(f)...)
	case f.Rule.Input == classic.InputClose:
		j.info("member closed")
	case wants:
		j.rejoins(f, len(j.events) == began)
	case f.Rule.Input == classic.InputSyncGroup && f.Rule.Sets.Has(classic.RejoinNeeded):
		j.why = j.after.Reason
		j.rejoins(f, len(j.events) == began && !interrupts(f))
	}
}

// rejoins notes that the member is to join anew, unless a line about the same rule says so already.
func (j *journal) rejoins(f Fired, alone bool) {
	if alone && !j.away {
		j.info("rejoining group", append(j.reason(j.after.Reason), j.rule(f)...)...)
	}
}

// joins notes that JoinGroup was answered by a generation.
func (j *journal) joins(f Fired) {
	leads := does(f, classic.EffectRunAssignment)
	attrs := []eventAttr{{"leader", leads}}
	if leads && j.members > 0 {
		attrs = append(attrs, eventAttr{"members", j.members})
	}
	attrs = append(attrs, eventAttr{"protocol", j.after.Protocol})
	j.add(event{message: "joined group"}, j.joined, append(append(attrs, j.reason(j.why)...), took(j.now-j.wanted)))
	j.joined = identity{member: j.after.Member, generation: j.after.Generation}
}

// leaves notes that the member has left, and whether it sends LeaveGroup, or has forgotten its generation without; a member
// without an identity was in no group.
func (j *journal) leaves(f Fired) {
	if j.past() == nobody {
		return
	}
	attrs := append([]eventAttr{{"leave_group", does(f, classic.EffectSendLeave)}}, j.reason(j.after.Reason)...)
	if failed(f) {
		j.warn("left group", append(attrs, j.rule(f)...)...)
		return
	}
	j.info("left group", attrs...)
}

// fails counts a failure. The first of an outage is logged where no other line is about the same rule; so are, of those that
// nothing repeats, the first of each name, and what the heartbeat loop has decided by itself.
func (j *journal) fails(f Fired, alone bool) {
	if !interrupts(f) || j.away {
		return
	}
	first, novel := j.outage.fail(j.now, nameOf(f), f.Rule.Input == classic.InputFindCoordinator, j.failure(f))
	notable := first || f.Rule.Input == classic.InputHeartbeatTurn || novel && f.Rule.Result.Class() == fsm.ClassFatal
	if alone && notable {
		j.warn(failureMessage(f), j.rule(f)...)
	}
}

// recovers notes what succeeds.
func (j *journal) recovers(f Fired) {
	if f.Rule.Result.Class() != fsm.ClassOK {
		return
	}
	over := false
	switch joined := f.From == classic.Stable; {
	case f.Rule.Input == classic.InputFindCoordinator: // also where it is the coordinator that is known
		j.finds()
		over = j.outage.succeed(j.now, true)
	case does(f, classic.EffectHeartbeatReceived):
		j.beat, j.beaten = j.now, true
		over = joined && j.outage.succeed(j.now, false)
	case f.Rule.Sets.Has(classic.JoinSucceeded):
		over = j.outage.succeed(j.now, false)
	}
	if over {
		j.info("recovered", j.sum()...)
	}
}

// finds notes which broker is the coordinator, where that is another than before. In an outage each is logged once.
func (j *journal) finds() {
	before, node := j.node, j.after.Coordinator
	if node == before || node == AnyBroker {
		return
	}
	j.node = node
	if j.outage.on() {
		if slices.Contains(j.outage.nodes, node) {
			return
		}
		j.outage.nodes = append(j.outage.nodes, node)
	}
	if before == AnyBroker {
		j.info("coordinator found")
	} else {
		j.info("coordinator moved", eventAttr{"coordinator_before", before})
	}
}

// committed notes a commit that is refused for good.
func (j *journal) committed(o CommitEnded) {
	e, ok := o.Err.(*Error)
	if !ok || e.Retriable || (refusal{e.Name, e.Generation}) == j.refused {
		return
	}
	j.refused = refusal{e.Name, e.Generation}
	f := Fired{Rule: e.Rule, Code: e.Code, Err: e.Err}
	attrs := append(j.rule(f), why(f)...)
	if len(e.Partitions) > 0 {
		attrs = append(attrs, eventAttr{"partitions", e.partitions()})
	}
	j.warn("commit refused", attrs...)
}

// failureMessage is the event that a failure is.
func failureMessage(f Fired) string {
	switch e := f.Rule.Result.Error(); {
	case f.Rule.Input == classic.InputFindCoordinator:
		return "coordinator lookup failed"
	case f.Rule.Input.Kind() == fsm.KindLoop && e.Kind == fsm.ErrorNamed: // such as "session expired"
		return strings.ToLower(strings.ReplaceAll(e.Name.String(), "_", " "))
	case does(f, classic.EffectLoseCoordinator):
		return "coordinator unavailable"
	}
	switch f.Rule.Input {
	case classic.InputHeartbeat, classic.InputHeartbeatTurn:
		return "heartbeat failed"
	case classic.InputLoopBroke:
		return "heartbeat loop failed"
	case classic.InputAssigned, classic.InputAssignmentFailed:
		return "assignment failed"
	}
	return "join failed"
}
