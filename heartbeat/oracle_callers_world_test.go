package heartbeat

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// callerWorld is what a Core lives in while it is called as the fact says: brokers that end each request as the script says,
// an application that ends each callback so, and a clock that moves to whatever comes next.
type callerWorld struct {
	*Core
	r    *oracleReading
	fact callerFact
	at   time.Duration

	script      map[string][]string
	due         []callerAnswer
	generations int32
	members     int
	commits     uint64
	committing  bool          // the call waits for the last of them
	unavailable time.Duration // until then nobody can connect to the coordinator

	held      bool // a callback goes on until its application is ready
	assigning bool // the last callback was about an assignment
	beating   bool // a heartbeat is to be sent, though the loop sleeps

	exceptions kafkaExceptions
	words      oracleWords

	lines []callerLine
	used  []callerUse // what has decided
	pause map[string]*callerPause
	turn  *spec.Rule // of the join's loop, the last
	found callerSpan // the pause after a failed join that the poll has found
	told  error      // how the call ended
	done  bool       // the call has ended
}

// callerConfig is how Kafka's client was configured.
func callerConfig(static bool) Config {
	config := Config{
		Group: "oracle-group", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}},
		SessionTimeout: 30 * time.Minute, HeartbeatInterval: 10 * time.Minute, MaxPollInterval: time.Minute,
		RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second, RequestTimeout: 30 * time.Second,
	}
	if static {
		config.InstanceID = "instance-1"
	}
	return config
}

// callerUse is a rule that has decided, and the declarations by which Kafka's client may do otherwise here.
type callerUse struct {
	row      *spec.Rule
	deviates []string
	join     callerSpan // the pause of the join that this begins or finds
	lookup   callerSpan // and that of the lookup
}

// callerSpan is a time, in ms since the start.
type callerSpan struct{ since, until int }

// callerPause is one that grows with each failure, as the specification says, counted beside the Core.
type callerPause struct {
	failures     map[string]int // by timer
	since, until time.Duration
}

// pauses counts on what a rule does to the pause after a failed join, or a failed lookup.
func (w *callerWorld) pauses(row *spec.Rule) {
	pause := func(timer *spec.Timer) *callerPause { return w.pause[strings.TrimSuffix(clock(timer), "_due")] }
	setting := func(name string) time.Duration { d, _ := w.config.setting(name); return d }
	for _, do := range row.Effects() {
		for _, timer := range do.Effect.Forgets {
			if p := pause(timer); p != nil {
				p.failures[timer.Name] = 0
			}
		}
		for _, timer := range do.Effect.Starts {
			p := pause(timer)
			if p == nil {
				continue
			}
			p.since, p.until = w.at, w.at
			if n := p.failures[timer.Name] - timer.Free; n >= 0 {
				length := lengthOfLimit(timer.After, setting)
				p.until += backoff(length, length*w.config.RetryBackoffMax/w.config.RetryBackoff, n, 0, nil)
			}
			p.failures[timer.Name]++
		}
	}
}

func newCallerWorld(r *oracleReading, e kafkaExceptions, f callerFact) *callerWorld {
	r.t.Helper()
	core, err := NewCore(callerConfig(f.Static))
	require.NoError(r.t, err)
	w := &callerWorld{Core: core, r: r, exceptions: e, words: oracleWords{e.own}, fact: f, script: map[string][]string{}, generations: 4,
		pause: map[string]*callerPause{"join": {failures: map[string]int{}}, "lookup": {failures: map[string]int{}}}}
	for name, ends := range f.Script {
		w.script[name] = slices.Clone(ends)
	}
	w.script["join_prepare"] = f.preparations()
	core.observe, core.clocks.even = w.decided, true
	return w
}

// decided notes what decides, as far as it can make a difference. A rule by which the join's loop only pauses counts where a call
// finds the pause, not where the pause begins: a poll that waits makes it as Kafka's does.
func (w *callerWorld) decided(rule *classic.Rule) {
	row := w.r.declared(rule)
	w.pauses(row)
	loop := rule.Input == classic.InputJoinTurn
	switch {
	case loop && row.Result.Name == "pause" && len(rule.Do) == 0:
		w.turn = row
		if row.Name == ruleJoinNotDue && w.found == w.span("join") && int(w.at/time.Millisecond) < w.found.until { // by the poll, after a lookup
			w.use(row)
		}
		return
	case loop:
		w.turn = nil
	}
	w.use(row)
}

func (w *callerWorld) span(of string) callerSpan {
	p := w.pause[of]
	return callerSpan{int(p.since / time.Millisecond), int(p.until / time.Millisecond)}
}

func (w *callerWorld) use(row *spec.Rule) {
	use := callerUse{row: row, join: w.span("join"), lookup: w.span("lookup")}
	if row.Deviates != "" && w.shows(row) {
		use.deviates = append(use.deviates, row.Name)
	}
	for _, part := range partsOf([]*spec.Rule{row}) {
		if callerParts[part] == "" && (part != "effect lose_coordinator" || len(w.open) > 0) { // what else is under way is lost
			use.deviates = append(use.deviates, part)
		}
	}
	w.used = append(w.used, use)
}

// pausing counts the pause that the join's loop is in.
func (w *callerWorld) pausing() {
	if w.turn != nil {
		w.use(w.turn)
	}
}

// shows reports whether what a rule does otherwise than Kafka's client can show, as it is used now.
func (w *callerWorld) shows(row *spec.Rule) bool {
	if can := callerShows[row.Name]; can != nil {
		return can(w)
	}
	return row.Input.Name != "leave" || w.throws("leave_prepare") || w.throws("revoked") || w.throws("lost")
}

// The rules whose use hangs on a pause.
const (
	ruleJoinNotDue   = "join/not join_due"
	ruleLookupDue    = "join/not coordinator_known/not lookup_in_flight and lookup_due"
	ruleLookupNotDue = "join/not coordinator_known/not lookup_in_flight and not lookup_due"
)

// callerShows says of rules when what they do otherwise can show; that of the others always can.
var callerShows = map[string]func(*callerWorld) bool{
	ruleLookupDue: func(w *callerWorld) bool { return !w.over(classic.TimerJoinRetry) },
	"join/not rejoin_needed and not join_in_flight":   (*callerWorld).coordinatorUnknown,
	"join/prepare_needed and identity_reset and owns": (*callerWorld).coordinatorUnknown,
	"commit/UNJOINED": (*callerWorld).coordinatorUnknown,
	"callback_failed": func(w *callerWorld) bool { return w.assigning },
}

func (w *callerWorld) coordinatorUnknown() bool { return !w.has(classic.CoordinatorKnown) }

// throws reports whether the next callback of a kind does.
func (w *callerWorld) throws(name string) bool {
	return len(w.script[name]) > 0 && w.script[name][0] == "throws"
}

// next takes how the next request of an API, or the next callback of a kind, ends.
func (w *callerWorld) next(name, otherwise string) string {
	ends := w.script[name]
	if len(ends) == 0 {
		return otherwise
	}
	w.script[name] = ends[1:]
	return ends[0]
}

// step tells the Core something, and does what it wants. The heartbeat loop sleeps where Kafka's thread does not run.
func (w *callerWorld) step(in Input) {
	switch {
	case w.beating:
		w.memory.Flags |= classic.LoopEnabled
	case !w.fact.threaded():
		w.memory.Flags &^= classic.LoopEnabled
	}
	out := slices.Clone(w.Step(w.at, in))
	w.clocks.set(classic.TimerSilence, latest) // Kafka's thread is not what the facts are about, and nor is the loop `check`
	var answers []Input
	for _, o := range out {
		if answer := w.do(o); answer != nil {
			answers = append(answers, answer)
		}
	}
	for _, answer := range answers {
		w.step(answer)
	}
}

// do does what the Core wants, and returns what it is to be told of that at once.
func (w *callerWorld) do(o Output) Input {
	switch o := o.(type) {
	case Request:
		w.send(o)
	case Callback:
		return w.call(o)
	case RunAssignment:
		if !w.fact.consumer() {
			w.note("told leader_elected", "of %s", o.Input.Leader)
		}
		if w.next("leader_elected", "ok") == "throws" {
			return AssignmentFailed{Join: o.Join, Err: errThrown}
		}
		var plan []Assignment
		for _, m := range o.Input.Members {
			plan = append(plan, Assignment{Member: m.ID})
		}
		return Assigned{Join: o.Join, Assignments: plan}
	case PollEnded:
		w.done, w.told = true, o.Err
	case CommitEnded:
		if w.committing && o.ID == w.commits {
			w.done, w.told = true, o.Err
		}
	case Left:
		w.done, w.told = true, o.Err
	}
	return nil
}

// errThrown is what a callback throws.
var errThrown = errors.New("IllegalStateException")

// call runs a callback.
func (w *callerWorld) call(c Callback) Input {
	name := map[CallbackKind]string{CallbackAssigned: "assigned", CallbackRevoked: "revoked", CallbackLost: "lost"}[c.Kind]
	if !w.fact.consumer() {
		name = "join_prepare"
		switch {
		case w.leaving.asked:
			name = "leave_prepare"
		case c.Kind == CallbackAssigned:
			name = "join_complete"
		}
	}
	w.assigning = c.Kind == CallbackAssigned
	w.noteTold(name, c)
	return w.ended(name)
}

// ended is how a callback ends; nil while it goes on.
func (w *callerWorld) ended(name string) Input {
	switch w.next(name, "ok") {
	case "throws":
		return CallbackEnded{errThrown}
	case "false":
		w.held = true
		return nil
	}
	return CallbackEnded{}
}

// mostCallerTurns is more than happens in any call. A Core that does something again and again, and makes no pause, is found out.
const mostCallerTurns = 1000

// until lets happen what happens up to a time, or until the call has ended.
func (w *callerWorld) until(end time.Duration) {
	for turns := 0; !w.done; turns++ {
		if turns > mostCallerTurns {
			w.note("spins", "")
			return
		}
		first := -1
		for i, a := range w.due {
			if first < 0 || a.at < w.due[first].at {
				first = i
			}
		}
		tick, ticks := w.Deadline()
		switch {
		case first >= 0 && w.due[first].at <= end && (!ticks || w.due[first].at <= max(tick, w.at)):
			a := w.due[first]
			w.due = slices.Delete(w.due, first, first+1)
			w.at = max(w.at, a.at)
			w.answer(a)
		case ticks && tick <= end:
			w.at = tick
			w.step(Tick{})
		default:
			w.at = end
			return
		}
	}
}
