package heartbeat

import (
	"slices"
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
	node     int32
	found    int
	mode     LeaveMode
	commit   CommitAsked
	sent     map[uint64]lifeSent // under way
	late     map[uint64]lifeSent // JoinGroups that were abandoned and may still bring a member id
	lastID   uint64
	attempts map[*spec.Timer]int
	ends     map[string]time.Duration // of clocks, by the name of what their end is
}

// lifeSent is what is remembered of a request.
type lifeSent struct {
	request *spec.Request
	who     identity
	node    int32
	found   int
	at      time.Duration
}

// nameless reports whether it is a JoinGroup to which the coordinator gives a member id.
func (s lifeSent) nameless() bool {
	return s.request != nil && s.request.Response.Name == "JoinGroup" && s.who.member == ""
}

func newLifeModel(r *oracleReading, core *Core) *lifeModel {
	m := &lifeModel{
		r: r, core: core, cases: r.casesByCode(), flags: map[*spec.Flag]classic.Flags{}, state: r.machine.Initial, memory: spec.Values{}, who: nobody, told: nobody, node: AnyBroker,
		sent: map[uint64]lifeSent{}, late: map[uint64]lifeSent{}, attempts: map[*spec.Timer]int{}, ends: map[string]time.Duration{},
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
	case CloseAsked: // ends all requests
		clear(m.sent)
		clear(m.late)
	}
}

// handled notes that an answer has come, whatever it was.
func (m *lifeModel) handled(in Input) {
	if answer, ok := in.(Response); ok {
		delete(m.late, answer.ID)
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
		l.must(sent.request != nil, "%s is answered, and request %d is not under way", name, answer.ID)
		if code == sent.request.Abandoned {
			l.must(m.abandons(sent), "%s %d is abandoned, and by the specification it waits on", name, answer.ID)
			if sent.nameless() {
				m.late[answer.ID] = sent
			}
		}
		delete(m.sent, answer.ID)
	}
	switch name {
	case "released":
		m.told = nobody
	case "late_member_id":
		sent = m.late[answer.ID]
		l.must(sent.request != nil, "a member id comes with the answer to request %d, which was not abandoned", answer.ID)
	}
	for guard, holds := range map[string]bool{
		"former": sent.found != m.found, "nameless": sent.nameless() && m.core.config.InstanceID != "", "retriable": code != nil && code.Retriable,
		"same_node":           name == "late_member_id" && sent.node == m.node || name == "FindCoordinator" && answer.Node == m.node,
		"other_protocol_type": answer.ProtocolType != nil && *answer.ProtocolType != m.core.config.ProtocolType,
		"other_protocol_name": answer.Protocol != nil && *answer.Protocol != m.who.protocol,
		"leader":              answer.Leader == answer.Member,
		"outdated":            m.commit.Member != m.who.member || m.commit.Generation != m.who.generation,
	} {
		m.memory[guard] = holds
	}
	m.asks(sent)
	for _, timer := range m.r.machine.Timers {
		if timer.Event != nil {
			l.must(timer.Event.Name != name || m.over(l, timer), "%s, and the timer %s runs", name, timer.Name)
			continue
		}
		m.memory[timer.Guard.Name] = m.over(l, timer)
	}
	row := spec.Decide(c.Decision, m.state, m.memory, nil)
	l.must(row.Name == rule.Name, "the Core decides by %s, and by the specification it is %s", rule.Name, row.Name)
	for _, do := range row.Effects() {
		m.does(l, do.Effect, answer, sent)
	}
	if n := len(row.To); n > 0 {
		m.state = row.To[n-1]
	}
}

// asks answers the guards that can be asked of a request at any time, of the member and of its configuration.
func (m *lifeModel) asks(of lifeSent) {
	static := m.core.config.InstanceID != ""
	for guard, holds := range map[string]bool{
		"stale": of.who != m.who, "replaced": m.memory["coordinator_known"] && of.node != m.node,
		"identity_reset": m.who.generation == NoGeneration, "has_member_id": m.who.member != "", "owns": m.told != nobody,
		"static": static, "leased": m.core.config.Lease, "leaves": m.mode == LeaveAlways || m.mode == LeaveIfDynamic && !static,
	} {
		m.memory[guard] = holds
	}
}

// abandons reports whether a request that is under way ends before it is answered.
func (m *lifeModel) abandons(sent lifeSent) bool {
	m.asks(sent)
	return slices.ContainsFunc(sent.request.When, func(c *spec.Condition) bool { return c.Holds(m.state, m.memory) })
}

// clock is what a timer runs on: those that end in the same guard share one.
func clock(timer *spec.Timer) string {
	if timer.Event != nil {
		return timer.Event.Name
	}
	return timer.Guard.Name
}

// over reports whether a timer has ended, or was never started.
func (m *lifeModel) over(l *life, timer *spec.Timer) bool { return m.ends[clock(timer)] <= l.now }

// does is what the specification says that an effect does.
func (m *lifeModel) does(l *life, e *spec.Effect, answer Response, answered lifeSent) {
	for _, f := range e.Clears {
		m.memory[f.Name] = false
	}
	for _, f := range e.Sets {
		m.memory[f.Name] = true
		if f.Name == "coordinator_known" {
			m.found++
			m.node = answer.Node
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
		if end := clock(timer); timer.Sending { // answers can overtake each other
			m.ends[end] = max(m.ends[end], answered.at+m.length(timer))
		} else {
			m.ends[end] = l.now + m.length(timer)
		}
	}
	for _, in := range e.Sends {
		m.lastID++
		sent := lifeSent{m.r.machine.RequestOf(in), m.who, m.node, m.found, l.now}
		if in.Name == "FindCoordinator" {
			sent.node = AnyBroker
		}
		m.sent[m.lastID] = sent
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
	length := lengthOfLimit(timer.After, func(setting string) time.Duration {
		return map[string]time.Duration{
			"session.timeout.ms": config.SessionTimeout, "max.poll.interval.ms": config.MaxPollInterval, "request.timeout.ms": config.RequestTimeout,
			"heartbeat.interval.ms": config.HeartbeatInterval, "retry.backoff.ms": config.RetryBackoff,
		}[setting]
	})
	if timer.Most > 0 {
		attempt, most := m.attempts[timer]-timer.Free, length*config.RetryBackoffMax/config.RetryBackoff
		m.attempts[timer]++
		if attempt < 0 {
			return 0
		}
		for range attempt {
			length = min(2*length, most)
		}
	}
	return length
}

// lengthOfLimit is how long one is by the settings.
func lengthOfLimit(l *spec.Limit, setting func(name string) time.Duration) time.Duration {
	var lengths []time.Duration
	for _, term := range l.Terms {
		length := setting(term.Setting) * time.Duration(max(term.Times, 1)) / time.Duration(max(term.Over, 1))
		lengths = append(lengths, length+time.Duration(term.Plus)*time.Millisecond)
	}
	if l.Choice == "max" {
		return slices.Max(lengths)
	}
	return slices.Min(lengths)
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
	l.must(!m.memory["coordinator_known"] || c.node == m.node, "the Core's coordinator is broker %d, and by the specification it is %d", c.node, m.node)
	for timer := classic.Timer(1); timer <= classic.NumTimers; timer++ {
		name := clock(m.r.machine.Timers[timer-1])
		l.must(c.clocks.end(timer) == m.ends[name], "%s ends at %s, and by the specification it is at %s", name, c.clocks.end(timer), m.ends[name])
	}
	l.must(!c.has(classic.JoinLost) || !c.over(classic.TimerLostJoin), "a JoinGroup can no longer be carried out, and is not forgotten")
	l.must(len(c.late) == len(m.late), "the Core listens for %d late answers, and by the specification there are %d", len(c.late), len(m.late))
	l.must(len(c.open) == len(m.sent), "the Core waits for %d answers, and by the specification there are %d", len(c.open), len(m.sent))
	for id, sent := range m.sent {
		l.must(!m.abandons(sent), "%s %d waits for its answer, and by the specification it is abandoned", sent.request.Response.Name, id)
	}
}
