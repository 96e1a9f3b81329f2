package world

import (
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/coordinator"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// Core is what the world drives as a member: a *heartbeat.Core, or one that misbehaves.
type Core interface {
	Step(now time.Duration, in heartbeat.Input) []heartbeat.Output
	Deadline() (time.Duration, bool)
	Wants() bool
	Status() heartbeat.Status
	LeaseEnd() (time.Duration, bool)
}

// Options change how a plan is run.
type Options struct {
	// NewCore makes the members; nil makes real ones.
	NewCore func(name string, config heartbeat.Config) (Core, error)
	// Saw is told of each event, if it is not nil.
	Saw func(judge.Event)
	// Trace gives the writer of a member's trace; nil where it is not wanted.
	Trace func(name string) io.Writer
	// Until ends the run earlier than the plan says, where it is not 0.
	Until time.Duration
	// On goes on after a violation.
	On bool
}

// Outcome is what a run has shown.
type Outcome struct {
	Violations []judge.Violation
	Windows    []judge.Window
	Lived      time.Duration // the time that all processes together have lived
	Processes  int
	Rebalances int
	Requests   int
	Stored     int           // commits that the coordinator has taken
	AskedLate  int           // commits that were asked for when the member was not any more who had read their offsets
	Busiest    int           // the most requests of one member in ten seconds
	Settled    time.Duration // how long the group took for it, since nothing disturbed it any more
	Fired      map[*classic.Rule]int
}

// slack is by how much a clock that goes back and forth may be late.
const slack = 25 * time.Millisecond

// world is a run under way.
type world struct {
	queue
	plan      Plan
	options   Options
	judge     *judge.Judge
	group     *coordinator.Group
	brokers   brokers
	people    []*person
	outcome   Outcome
	err       error
	requests  int
	partition []judge.Partition
}

// person is a Person and its processes.
type person struct {
	Person
	index     int
	processes []*process // the last one is the present one
	faults    faults
}

// Run lets a plan happen. The error says that a member could not be made.
func Run(plan Plan, options Options) (Outcome, error) {
	w := &world{plan: plan, options: options, judge: judge.New(judge.Settings{Slack: slack})}
	w.outcome.Fired = map[*classic.Rule]int{}
	w.group = coordinator.New(coordinator.Config{InitialDelay: plan.Delay})
	w.brokers = newBrokers(w)
	for i, p := range plan.People {
		w.people = append(w.people, &person{Person: p, index: i})
	}
	for i := range plan.Partitions {
		w.partition = append(w.partition, judge.Partition{Topic: "t", Number: int32(i)})
	}
	if options.NewCore == nil {
		w.options.NewCore = func(_ string, config heartbeat.Config) (Core, error) { return heartbeat.NewCore(config) }
	}
	for _, a := range plan.Acts {
		w.at(a.At, func() { w.act(a) })
	}
	w.at(plan.Calm, w.calm)
	end := plan.Length
	if options.Until > 0 {
		end = min(end, options.Until)
	}
	w.run(end, w.over)
	if !w.over() {
		w.judge.End(end)
	}
	return w.finish(), w.err
}

// over reports whether the run is to end before its time.
func (w *world) over() bool { return w.err != nil || !w.options.On && w.judge.Broken() }

func (w *world) finish() Outcome {
	o := &w.outcome
	o.Violations, o.Windows, o.Busiest = w.judge.Violations(), w.judge.Windows(), w.judge.Busiest()
	o.Settled = w.judge.Settled()
	o.Requests, o.Stored, o.Rebalances = w.requests, w.group.Commits(), int(w.group.Generation())
	for _, p := range w.people {
		for _, x := range p.processes {
			o.Processes++
			o.Lived += x.lived()
		}
	}
	return *o
}

// saw reports an event.
func (w *world) saw(e judge.Event) {
	e.At = w.now
	w.judge.See(e)
	if w.options.Saw != nil {
		w.options.Saw(e)
	}
}

// calm ends all that disturbs the group, for good.
func (w *world) calm() {
	for _, p := range w.people {
		p.faults = faults{}
		for _, x := range p.processes {
			x.joins = nil
			x.resume()
		}
	}
	w.brokers.calm()
	w.saw(judge.Event{Kind: judge.Calm})
}

// calmed reports whether nothing is disturbed any more.
func (w *world) calmed() bool { return w.now >= w.plan.Calm }

// birth begins a process of a person.
func (w *world) birth(p *person, instance string) {
	if w.calmed() {
		return
	}
	config := w.plan.Config
	config.InstanceID, config.Lease = instance, p.Lease
	config.Protocols = protocols(w.plan.Cooperative, share{})
	name := fmt.Sprintf("m%d", p.index)
	if n := len(p.processes); n > 0 {
		name = fmt.Sprintf("%s.%d", name, n+1)
	}
	config.Seed = w.plan.Seed<<16 + uint64(p.index)<<8 + uint64(len(p.processes)) + 1
	core, err := w.options.NewCore(name, config)
	if err != nil {
		w.err = fmt.Errorf("%s: %w", name, err)
		return
	}
	x := &process{
		world: w, person: p, name: name, core: core, config: config, born: w.now,
		draw: draw{rand.New(rand.NewPCG(config.Seed, 2))},
	}
	x.app = application{process: x, told: judge.Nobody()}
	if w.options.Trace != nil {
		if out := w.options.Trace(name); out != nil {
			x.trace = heartbeat.NewTraceWriter(out, config)
		}
	}
	p.processes = append(p.processes, x)
	w.saw(judge.Event{Member: name, Kind: judge.Born, Config: &x.config})
	x.app.poll()
}
