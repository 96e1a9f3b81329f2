package heartbeat

import (
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// lifeModel is a member as the specification has it: what it remembers follows from what the rules, decided by package
// spec's own evaluator, say of their effects. A Core is held against it: by which rule it decides, and what it is then.
type lifeModel struct {
	r     *oracleReading
	core  *Core
	cases map[string]*spec.Case // by "input" or "input code"
	flags map[*spec.Flag]classic.Flags

	state    *spec.State
	memory   spec.Values
	who      identity
	told     identity
	found    int
	mode     LeaveMode
	commit   CommitAsked
	sent     map[uint64]lifeSent
	lastID   uint64
	attempts map[*spec.Timer]int
	ends     map[*spec.Guard]time.Duration
}

// lifeSent is what is remembered of a request.
type lifeSent struct {
	who   identity
	found int
}

func newLifeModel(r *oracleReading, core *Core) *lifeModel {
	m := &lifeModel{
		r: r, core: core, cases: r.casesByCode(), flags: map[*spec.Flag]classic.Flags{}, state: r.machine.Initial, memory: spec.Values{}, who: nobody, told: nobody,
		sent: map[uint64]lifeSent{}, attempts: map[*spec.Timer]int{}, ends: map[*spec.Guard]time.Duration{},
	}
	for _, f := range r.machine.Flags {
		m.flags[f] = r.flags([]*spec.Flag{f})
		m.memory[f.Name] = f.Initial
	}
	return m
}

// casesByCode are the decisions of the specification.
func (r *oracleReading) casesByCode() map[string]*spec.Case {
	if r.cases != nil {
		return r.cases
	}
	r.cases = map[string]*spec.Case{}
	for _, in := range r.machine.Inputs() {
		for _, c := range in.Cases {
			if in.Kind != spec.Response {
				r.cases[in.Name] = c
			}
			for _, code := range c.Codes {
				r.cases[in.Name+" "+code.Name] = c
			}
		}
	}
	return r.cases
}

// hears notes what an input says, where rules ask for it.
func (m *lifeModel) hears(in Input) {
	switch in := in.(type) {
	case LeaveAsked:
		m.mode = in.Mode
	case CommitAsked:
		m.commit = in
	}
}

// decided finds the rule for what the Core has just decided, and does what it says.
func (m *lifeModel) decided(l *life, rule *classic.Rule) {
	name := rule.Input.String()
	answer, code := m.core.step.answer, (*spec.Code)(nil)
	var sent lifeSent
	c := m.cases[name]
	if c == nil {
		c, code = m.cases[name+" "+answer.Code.String()], m.r.code(answer.Code.String())
		sent = m.sent[answer.ID]
		delete(m.sent, answer.ID)
	}
	static := m.core.config.InstanceID != ""
	leaves := m.mode == LeaveAlways || m.mode == LeaveIfDynamic && !static
	if name == "released" {
		m.told = nobody
	}
	for guard, holds := range map[string]bool{
		"stale": sent.who != m.who, "former": sent.found != m.found, "retriable": code != nil && code.Retriable,
		"identity_reset": m.who.generation == NoGeneration, "has_member_id": m.who.member != "", "owns": m.told != nobody, "static": static,
		"other_protocol_type": answer.ProtocolType != nil && *answer.ProtocolType != m.core.config.ProtocolType,
		"other_protocol_name": answer.Protocol != nil && *answer.Protocol != m.who.protocol,
		"leader":              answer.Leader == answer.Member, "leaves": leaves,
		"outdated": m.commit.Member != m.who.member || m.commit.Generation != m.who.generation,
	} {
		m.memory[guard] = holds
	}
	for _, timer := range m.r.machine.Timers {
		m.memory[timer.Guard.Name] = m.ends[timer.Guard] <= l.now
	}
	row := spec.Decide(c.Decision, m.state, m.memory, nil)
	l.must(row.Name == rule.Name, "the Core decides by %s, and by the specification it is %s", rule.Name, row.Name)
	for _, do := range row.Effects() {
		m.does(l, do.Effect, answer)
	}
	if n := len(row.To); n > 0 {
		m.state = row.To[n-1]
	}
}

// does is what the specification says that an effect does.
func (m *lifeModel) does(l *life, e *spec.Effect, answer Response) {
	for _, f := range e.Clears {
		m.memory[f.Name] = false
	}
	for _, f := range e.Sets {
		m.memory[f.Name] = true
		if f.Name == "coordinator_known" {
			m.found++
		}
	}
	for _, id := range e.Drops {
		switch id.Name {
		case "member_id":
			m.who.member = ""
		case "generation":
			m.who.generation, m.who.protocol = NoGeneration, ""
		}
	}
	for _, id := range e.Takes {
		switch id.Name {
		case "member_id":
			m.who.member = answer.Member
		case "generation":
			m.who.generation, m.who.protocol = answer.Generation, ""
			if answer.Protocol != nil {
				m.who.protocol = *answer.Protocol
			}
		}
	}
	for _, timer := range e.Forgets {
		m.attempts[timer] = 0
	}
	for _, timer := range e.Starts {
		m.ends[timer.Guard] = l.now + m.length(timer)
	}
	for range e.Sends {
		m.lastID++
		m.sent[m.lastID] = lifeSent{m.who, m.found}
	}
	switch e.Name { // what the application has been told of
	case "call_assigned":
		m.told = m.who
	case "call_lost":
		m.told = nobody
	}
}

// length is how long a timer lasts that is started now, without jitter.
func (m *lifeModel) length(timer *spec.Timer) time.Duration {
	config := m.core.config
	length := map[string]time.Duration{
		"session.timeout.ms": config.SessionTimeout, "max.poll.interval.ms": config.MaxPollInterval,
		"heartbeat.interval.ms": config.HeartbeatInterval, "retry.backoff.ms": config.RetryBackoff,
	}[timer.After]
	if timer.Most > 0 {
		for range m.attempts[timer] {
			length = min(2*length, config.RetryBackoffMax)
		}
		m.attempts[timer]++
	}
	return length
}

// agrees fails the life where the Core is not what the specification says.
func (m *lifeModel) agrees(l *life) {
	c := m.core
	var flags classic.Flags
	for f, bit := range m.flags {
		flags |= on(bit, m.memory[f.Name])
	}
	l.must(c.memory.State.String() == m.state.Name, "the Core is %s, and by the specification it is %s", c.memory.State, m.state.Name)
	l.must(c.memory.Flags == flags, "the Core remembers %v, and by the specification it is %v", c.memory.Flags, flags)
	l.must(c.who == m.who, "the Core is %v, and by the specification it is %v", c.who, m.who)
	l.must(c.lastID == m.lastID, "the Core has sent %d requests, and by the specification it is %d", c.lastID, m.lastID)
	for timer := classic.TimerSession; timer <= classic.TimerJoinRetry; timer++ {
		guard := m.r.machine.Timers[timer-1].Guard
		l.must(c.clocks.end(timer) == m.ends[guard], "%s ends at %s, and by the specification it is at %s", guard.Name, c.clocks.end(timer), m.ends[guard])
	}
}
