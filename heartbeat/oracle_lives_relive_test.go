package heartbeat

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// relived is a life of Kafka's client that a Core lives again: it is told what the client was told, when the client was.
// What it does is held against what no life may break (life_invariants_test.go), and against the specification's own
// model of a member (lifeModel), in each step.
type relived struct {
	*life
	fact  *lifeFact
	r     *oracleReading
	model *lifeModel
	relax func(name string)            // says that a relaxation is used
	aside func(name string, of change) // says that something is otherwise as declared, and that the life goes on all the same

	asked     map[int]kafkaRequest        // by Kafka's id
	count     map[classic.Input]int       // of Kafka's requests
	sent      map[classic.Input][]Request // the Core's
	ended     map[uint64]bool             // of those
	seen      stepSeen                    // in the present step
	missed    int                         // a request of Kafka's that ended, and that the Core has not sent; 0 for none
	alone     bool                        // the life is no longer compared: the loop goes round when the Core wants it to
	over      bool                        // the member is closed
	queue     [2][]string                 // join_prepare and join_complete of Kafka and of the Core, not compared yet
	last      [2]string                   // of each
	ahead     string                      // a JoinGroup that Kafka's client sends by one of its next polls
	wasAhead  bool                        // before the present step
	gaveUp    bool                        // the Core has given up a join, and Kafka's client has not sent the next JoinGroup yet
	overtakes bool                        // it is ahead of the answer to a join that was given up
	late      map[string]bool             // deviations that have decided, and show later
	lookup    map[string]int              // deviations that have decided, and show in lookups, with the number of the Core's lookups then
	paused    map[string]string           // by clock, the effect that has started it
	given     map[uint64][]string         // requests that were abandoned, with the deviations by which they were
	unknown   map[int]bool                // commits that were abandoned, and of which Kafka's client has still to be told
	present   *lifeStep
	dropped   bool // what Kafka's client loses in it
}

// kafkaRequest is the n-th of an API.
type kafkaRequest struct {
	api classic.Input
	n   int
}

// stepSeen is what the Core does in one step.
type stepSeen struct {
	decided   []*spec.Rule
	requests  []Request
	callbacks []string
	raised    []error
	commits   []CommitEnded
	answered  []string // deviations by which a request was abandoned that Kafka's client has the answer to
}

// newRelived is a member with the life's configuration, and nothing left to chance.
func newRelived(t testing.TB, r *oracleReading, fact *lifeFact) *relived {
	t.Helper()
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	f := fact.Config
	config := Config{
		Group: f.Group, ProtocolType: f.ProtocolType, SessionTimeout: ms(f.SessionTimeout), HeartbeatInterval: ms(f.Heartbeat),
		MaxPollInterval: ms(f.MaxPollInterval), RetryBackoff: ms(f.RetryBackoff), RetryBackoffMax: ms(f.RetryBackoffMax), RequestTimeout: ms(f.RequestTimeout),
	}
	if f.Instance != nil {
		config.InstanceID = *f.Instance
	}
	for _, name := range f.Protocols {
		config.Protocols = append(config.Protocols, Protocol{Name: name, Metadata: []byte("meta")})
	}
	core, err := NewCore(config)
	require.NoError(t, err)
	core.clocks.even, core.asleep = true, true
	l := &relived{
		life: newLifeOf(t, core), fact: fact, r: r, model: newLifeModel(r, core),
		asked: map[int]kafkaRequest{}, count: map[classic.Input]int{}, sent: map[classic.Input][]Request{}, ended: map[uint64]bool{}, late: map[string]bool{}, lookup: map[string]int{},
		paused: map[string]string{}, given: map[uint64][]string{}, unknown: map[int]bool{},
	}
	core.observe = l.observe
	return l
}

// observe is told of each rule that decides, when it has done what it does.
func (l *relived) observe(rule *classic.Rule) {
	l.watching.decided(rule)
	row := l.r.declared(rule)
	l.seen.decided = append(l.seen.decided, row)
	l.model.decided(l.life, rule)
	if answer := l.core.step.answer; answer.Code == classic.CodeAbandoned {
		l.given[answer.ID] = deviatingParts([]*spec.Rule{row})
		l.gaveUp = l.gaveUp || slices.Contains(l.given[answer.ID], "result JoinGroup/given_up")
	}
	for _, do := range row.Effects() {
		for _, timer := range do.Effect.Starts {
			l.paused[clock(timer)] = do.Effect.Name
		}
	}
	for _, do := range rule.Do {
		if call := l.called(do.Effect); call != "" {
			l.seen.callbacks = append(l.seen.callbacks, call)
		}
	}
}

// happens lets the Core live one step.
func (l *relived) happens(s *lifeStep) {
	l.seen, l.present, l.dropped = stepSeen{}, s, false
	l.note(s)
	switch do := s.Do; {
	case do.Advance != nil:
		for _, at := range s.Wakes {
			l.now = time.Duration(at) * time.Millisecond
			known := l.core.has(classic.CoordinatorKnown)
			l.wake()
			if known && !l.core.has(classic.CoordinatorKnown) {
				l.drop()
			}
		}
		l.now = time.Duration(s.T) * time.Millisecond
	case do.Poll != nil:
		l.poll()
	case do.Rejoin != nil:
		l.tell(RejoinAsked{"rebalance enforced by user"})
	case do.Commit != nil:
		who := l.core.who
		l.tell(CommitAsked{ID: uint64(*do.Commit), Member: who.member, Generation: who.generation, Offsets: []Offset{{Topic: "t", Offset: 1}}})
	case do.Leave != nil:
		l.leave(LeaveIfDynamic, "the consumer unsubscribed from all topics")
	case do.Close != nil:
		l.leave(closings[do.Close.Operation], "the consumer is being closed")
		l.tell(CloseAsked{})
		l.over = true
	case do.Disconnect != nil:
		l.lose(do.Disconnect.Lost)
	case do.Timeout != nil:
		l.lose(do.Timeout.Lost)
	case do.Respond != nil:
		if sent, ok := l.request(do.Respond.Request); ok {
			l.tell(l.coherent(do.Respond.response(sent.ID)))
		}
	default:
		require.Fail(l.t, "a step in which nothing happens")
	}
	l.drop()
	if s.Do.Respond != nil && s.Do.Respond.InPoll {
		l.poll()
	}
	if s.Do.Advance == nil && len(s.Saw.Loop) > 0 {
		l.held()
	}
}

// coherent is the answer as a broker gives it that has heard of this member what the Core has sent: where that is no longer
// what Kafka's client sent, it does not give an id again that has left.
func (l *relived) coherent(r Response) Response {
	for l.alone && l.watching.gone[r.Member] {
		if r.Leader == r.Member {
			r.Leader += "'"
		}
		r.Member += "'"
	}
	return r
}

// closings are Kafka's names for how a member closes.
var closings = map[string]LeaveMode{"DEFAULT": LeaveIfDynamic, "LEAVE_GROUP": LeaveAlways, "REMAIN_IN_GROUP": LeaveNever}

// tell lets something happen to the Core, and answers at once what it asks of the application.
func (l *relived) tell(in Input) {
	for todo := []Input{in}; len(todo) > 0; todo = todo[1:] {
		l.hurry()
		l.model.hears(todo[0])
		out := l.step(todo[0])
		l.model.handled(todo[0])
		var by *classic.Rule
		for _, o := range out {
			switch o := o.(type) {
			case Fired:
				by = o.Rule
			case Request:
				if by.Input == classic.InputCheckTurn {
					todo = append(todo, l.confirm(o, by))
					continue
				}
				l.seen.requests = append(l.seen.requests, o)
				l.sent[o.API] = append(l.sent[o.API], o)
			case Callback:
				todo = append(todo, CallbackEnded{})
			case RunAssignment:
				plan := Assigned{Join: o.Join}
				for _, m := range o.Input.Members {
					plan.Assignments = append(plan.Assignments, Assignment{Member: m.ID, Data: []byte("to " + m.ID)})
				}
				todo = append(todo, plan)
			case CommitEnded:
				l.seen.commits = append(l.seen.commits, o)
			case PollEnded:
				if o.Err != nil {
					l.seen.raised = append(l.seen.raised, o.Err)
				}
			}
		}
	}
	l.model.agrees(l.life)
}

// hurry ends a pause that Kafka's client does not make, where it does in this step what comes after it.
func (l *relived) hurry() {
	if l.alone {
		return
	}
	for _, q := range l.present.Saw.Requests {
		for timer, api := range map[classic.Timer]string{classic.TimerLookupRetry: "FindCoordinator", classic.TimerJoinRetry: "JoinGroup"} {
			end := clock(l.r.machine.Timers[timer-1])
			effect := "effect " + l.paused[end]
			grows := effect == "effect put_off_lookup" // which a patient life waits for, as long as Kafka's is
			if q.API == api && lifeDeviations[effect].pauses && (!grows || l.fact.Config.Patient) && l.core.clocks.end(timer) > l.now {
				l.core.clocks.set(timer, l.now)
				l.model.ends[end] = l.now
				l.aside(effect, change{"pause", "(nothing)", "one"})
			}
		}
	}
}

// confirm answers a Core that asks whether its coordinator still is it.
func (l *relived) confirm(r Request, by *classic.Rule) Response {
	l.relax("the coordinator is confirmed")
	l.aside(by.Name, change{"lookups", "less", "more"})
	return Response{ID: r.ID, Node: l.core.node}
}

// wake lets the loop `heartbeat` go round.
func (l *relived) wake() {
	l.core.asleep = false
	l.tell(Tick{})
	l.core.asleep = !l.alone
}

// held lets the loop go round after an input.
func (l *relived) held() {
	before := len(l.seen.decided)
	l.wake()
	if slices.ContainsFunc(l.seen.decided[before:], func(row *spec.Rule) bool { return len(row.Effects()) > 0 }) {
		l.relax("the loop is held")
	}
}

// poll is one without time to wait. A poll that finds a heartbeat due notifies Kafka's thread.
func (l *relived) poll() {
	l.tell(Poll{})
	if l.core.polling {
		l.relax("a poll has no time")
		l.tell(PollGivenUp{})
	}
	l.held()
}

// leave does not wait for the answer to LeaveGroup, nor for that to a JoinGroup whose member id is to be dismissed.
func (l *relived) leave(mode LeaveMode, reason string) {
	l.tell(LeaveAsked{Mode: mode, Reason: reason})
	if l.core.leaving.asked {
		l.relax("a leave has no time")
		l.core.leaving, l.watching.leaving = leaving{}, false
	}
}

// drop ends the requests that Kafka's client loses in this step by cutting the connection itself.
func (l *relived) drop() {
	if lost := l.present.Saw.Dropped; len(lost) > 0 && !l.dropped {
		l.dropped = true
		l.relax("connections are cut")
		l.lose(lost)
	}
}

// lose ends requests by the loss of their connection.
func (l *relived) lose(ids []int) {
	for _, id := range ids {
		if sent, ok := l.request(id); ok {
			l.tell(Response{ID: sent.ID, Code: classic.CodeDisconnect})
		}
	}
}

// note remembers which requests Kafka's client has sent.
func (l *relived) note(s *lifeStep) {
	for _, q := range s.Saw.Requests {
		api, err := classic.ParseInput(q.API)
		require.NoError(l.t, err)
		l.asked[q.ID] = kafkaRequest{api, l.count[api]}
		l.count[api]++
	}
}

// request is the Core's for one of Kafka's: the n-th for the n-th of an API. It has one end. It need not be there where the
// life is no longer compared, nor in a step in which the Core did otherwise.
func (l *relived) request(id int) (Request, bool) {
	k, ok := l.asked[id]
	require.True(l.t, ok, "the end of request %d, which was not sent", id)
	if all := l.sent[k.api]; k.n < len(all) && !l.ended[all[k.n].ID] {
		l.ended[all[k.n].ID] = true
		l.seen.answered = append(l.seen.answered, l.given[all[k.n].ID]...)
		return all[k.n], true
	}
	l.missed = id
	return Request{}, false
}

// response is the answer to the Core's request.
func (a *lifeAnswer) response(id uint64) Response {
	code := classic.Code(a.Code)
	if code == classic.CodeNone {
		code = classic.Code(a.MemberCode)
	}
	answer := Response{
		ID: id, Code: code, Node: a.Node, Generation: a.Generation, Member: a.Member, Leader: a.Leader, Protocol: a.Protocol,
		ProtocolType: a.ProtocolType, SkipAssignment: a.SkipAssignment, Assignment: []byte(a.Assignment),
	}
	for _, m := range a.Members {
		answer.Members = append(answer.Members, JoinMember{ID: m})
	}
	return answer
}
