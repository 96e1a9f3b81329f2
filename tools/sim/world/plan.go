package world

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// Size bounds what a plan may be.
type Size struct {
	Length       time.Duration // of the run
	Fewest, Most int           // members
}

// Plan is all that a run follows from.
type Plan struct {
	Seed        uint64
	Length      time.Duration
	Calm        time.Duration // from when on nothing is disturbed
	Config      heartbeat.Config
	Cooperative bool
	Partitions  int
	Delay       time.Duration // group.initial.rebalance.delay.ms
	Latency     time.Duration // what a message is on its way for, at most, where nothing slows it
	People      []Person
	Acts        []Act // in order of time
}

// Person is a member with its application, in all its processes.
type Person struct {
	Instance string
	Runs     bool          // its generations are Member.Run's: it lets go as soon as one ends
	Work     time.Duration // between two polls, at most
	LetGo    time.Duration // what a callback takes, at most
	Divides  time.Duration // what dividing the group's work takes, at most
	Patience time.Duration // after which it gives up a poll that waits; 0: never
	Commits  bool
	Lease    bool          // it works only while the coordinator cannot have given its partitions to others
	Batch    time.Duration // what its worker takes, at most, from reading to committing; 0: nothing
}

// Act is something that is done to the group.
type Act struct {
	At, For time.Duration
	Kind    ActKind
	Who     int                 // the person's index; -1: all, or the brokers
	Extra   time.Duration       // of Slow: the delay; of Jump: how far; of Move, Crash and the broker's: until the group is loaded
	Share   float64             // of Codes: how many answers are replaced
	Mode    heartbeat.LeaveMode // of Leave and Absent
	// Other: of Kill, it comes back under another identity; of Leave and Absent, as soon as it has sent a JoinGroup; of
	// HalfOpen, nothing even arrives; of Refuse, its versions are; of Codes, what is refused was done all the same; of Crash,
	// connections are not refused.
	Other bool
}

// ActKind is what is done.
type ActKind string

// The acts. Birth alone is no fault.
const (
	Birth    ActKind = "birth"     // the person's first process begins
	Kill     ActKind = "kill"      // ends without a word; after For another process begins, if For is not 0
	Leave    ActKind = "leave"     // leaves the group, and closes; after For another process begins, if For is not 0
	Absent   ActKind = "absent"    // leaves the group without closing, and polls again after For
	Twin     ActKind = "twin"      // another process with the same identity begins, while the first goes on
	Pause    ActKind = "pause"     // stands still
	Stuck    ActKind = "stuck"     // its application does not poll
	Rejoin   ActKind = "rejoin"    // its application asks for a rebalance
	Break    ActKind = "break"     // what drives its heartbeat loop fails
	Fail     ActKind = "fail"      // its callbacks and its assignor return errors
	Cut      ActKind = "cut"       // its connections break, and it gets no others
	HalfOpen ActKind = "half-open" // nothing that it sends is answered; Other: nothing arrives
	Refuse   ActKind = "refuse"    // brokers do not take its credentials
	Throttle ActKind = "throttle"  // nothing that it wants to send leaves
	Slow     ActKind = "slow"      // what it sends and is sent takes longer
	Codes    ActKind = "codes"     // some of its requests are answered by any code; Other: after they were performed
	Jump     ActKind = "jump"      // its clock steps forward by Extra
	Wobble   ActKind = "wobble"    // its clock goes back and forth by a little
	Move     ActKind = "move"      // the group moves to another coordinator, which loads it in Extra
	Crash    ActKind = "crash"     // the coordinator's node dies for For; Other: in silence
	Mute     ActKind = "mute"      // the connections that it has carry nothing any more, and do not end

	// The coordinator's node, for For. When that is longer than its session with the controller, another one takes over.
	BrokerKill ActKind = "broker killed"  // its connections end
	BrokerStop ActKind = "broker stopped" // it answers nothing, and carries out what has reached it when it goes on
	BrokerCut  ActKind = "broker cut off" // nothing arrives or leaves, and no connection ends
)

// String is the act in one line.
func (a Act) String() string {
	s := fmt.Sprintf("%9.3fs %s", a.At.Seconds(), a.Kind)
	if a.Who >= 0 {
		s += fmt.Sprintf(" m%d", a.Who)
	}
	if a.For > 0 {
		s += fmt.Sprintf(" for %s", a.For)
	}
	if a.Extra > 0 {
		s += fmt.Sprintf(" (%s)", a.Extra)
	}
	if a.Share > 0 {
		s += fmt.Sprintf(" %.0f%%", a.Share*100)
	}
	if a.Other {
		s += " " + map[ActKind]string{
			Kill: "and comes back as another", Leave: "when it joins", Absent: "when it joins", HalfOpen: "with nothing arriving",
			Refuse: "for their versions", Codes: "though it was done", Crash: "in silence",
		}[a.Kind]
	}
	return s
}

// NewPlan draws a plan. All of it comes from one stream, in which one more choice would make others of all that follow it, and
// of every seed on record another life. A new trait of a plan has a stream of its own, rand.NewPCG(seed, N) with the next N.
func NewPlan(seed uint64, size Size) Plan {
	d := draw{rand.New(rand.NewPCG(seed, 1))}
	p := Plan{Seed: seed, Length: size.Length, Cooperative: d.chance(0.5), Partitions: 3 + d.IntN(30)}
	p.Config = d.config(size.Length)
	p.Latency = []time.Duration{10 * time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond}[d.IntN(4)]
	if d.chance(0.3) {
		p.Delay = d.between(0, 3*time.Second)
	}
	p.Calm = p.Length - judge.Settle(&p.Config) - 15*time.Second
	for i := range size.Fewest + d.IntN(size.Most-size.Fewest+1) {
		p.People = append(p.People, d.person(i, p.Config))
		birth := Act{At: d.between(0, 2*time.Second), Kind: Birth, Who: i}
		if d.chance(0.3) {
			birth.At = d.between(0, p.Calm*2/3)
		}
		p.Acts = append(p.Acts, birth)
	}
	intensity := []time.Duration{5 * time.Second, 15 * time.Second, 40 * time.Second}[d.IntN(3)]
	for at := d.between(2*time.Second, 2*intensity); at < p.Calm; at += d.between(0, 2*intensity) {
		p.Acts = append(p.Acts, d.act(at, p))
	}
	p.drawOutages(draw{rand.New(rand.NewPCG(seed, 4))})
	leases := draw{rand.New(rand.NewPCG(seed, 5))}
	for i := range p.People {
		p.People[i].Lease = leases.chance(0.3)
	}
	slices.SortStableFunc(p.Acts, func(a, b Act) int { return int(a.At - b.At) })
	return p
}

// drawOutages lets coordinators be killed, stopped and cut off, and connections fall silent.
func (p *Plan) drawOutages(d draw) {
	pause := []time.Duration{30 * time.Second, time.Minute, 3 * time.Minute}[d.IntN(3)]
	for at := d.between(5*time.Second, 2*pause); at < p.Calm; at += d.between(5*time.Second, 2*pause) {
		a := Act{At: at, Kind: []ActKind{BrokerKill, BrokerStop, BrokerCut, Mute}[d.IntN(4)], Who: -1}
		a.For = min([]time.Duration{d.between(time.Second, 8*time.Second), d.between(9*time.Second, 20*time.Second), d.between(20*time.Second, time.Minute)}[d.IntN(3)], p.Calm-at)
		a.Extra = d.between(0, 2*time.Second)
		if a.Kind == Mute {
			a.Who, a.For, a.Extra = d.IntN(len(p.People)+1)-1, 0, 0
		}
		p.Acts = append(p.Acts, a)
	}
}

// Only is the plan with no other acts than those of these indices, in ascending order.
func (p Plan) Only(indices []int) Plan {
	kept := make([]Act, len(indices))
	for i, at := range indices {
		kept[i] = p.Acts[at]
	}
	p.Acts = kept
	return p
}

// draw makes choices.
type draw struct{ *rand.Rand }

func (d draw) chance(p float64) bool { return d.Float64() < p }

// between is in [low, high), in whole milliseconds.
func (d draw) between(low, high time.Duration) time.Duration {
	if high <= low {
		return low
	}
	return low + time.Duration(d.Int64N(int64(high-low))).Truncate(time.Millisecond)
}

// config is what all members of the group have. A group with it settles within half of the run; and who hears of a
// rebalance by a heartbeat has the other half of the rebalance timeout to join: where it has not, each rebalance throws
// members out, whose return is the next one.
func (d draw) config(length time.Duration) heartbeat.Config {
	for {
		c := heartbeat.Config{
			Group: "g", ProtocolType: "consumer",
			SessionTimeout:  []time.Duration{3, 6, 10, 20, 45}[d.IntN(5)] * time.Second,
			MaxPollInterval: []time.Duration{4, 10, 20, 30, 60}[d.IntN(5)] * time.Second,
			RequestTimeout:  []time.Duration{2, 5, 10, 30}[d.IntN(4)] * time.Second,
			RetryBackoff:    100 * time.Millisecond, RetryBackoffMax: time.Second,
		}
		c.HeartbeatInterval = c.SessionTimeout / []time.Duration{3, 4, 10}[d.IntN(3)]
		if d.chance(0.3) {
			c.HeartbeatInterval = min(3*time.Second, c.SessionTimeout/2)
		}
		if judge.Settle(&c) <= length/2 && c.HeartbeatInterval <= c.MaxPollInterval/2 {
			return c
		}
	}
}

func (d draw) person(i int, c heartbeat.Config) Person {
	p := Person{
		Runs: d.chance(0.3), Commits: d.chance(0.5),
		Work:    []time.Duration{200 * time.Millisecond, time.Second, c.MaxPollInterval / 4}[d.IntN(3)],
		Divides: []time.Duration{time.Millisecond, 100 * time.Millisecond, c.MaxPollInterval / 4}[d.IntN(3)],
		LetGo:   []time.Duration{time.Millisecond, 100 * time.Millisecond, c.MaxPollInterval / 8}[d.IntN(3)],
	}
	if d.chance(0.35) {
		p.Instance = fmt.Sprintf("i%d", i)
	}
	if d.chance(0.3) {
		p.Patience = d.between(100*time.Millisecond, 5*time.Second)
	}
	if d.chance(0.5) {
		p.Batch = []time.Duration{c.MaxPollInterval / 4, 2 * c.MaxPollInterval}[d.IntN(2)]
	}
	return p
}

// act is any fault.
func (d draw) act(at time.Duration, p Plan) Act {
	kinds := []ActKind{
		Kill, Kill, Leave, Absent, Twin, Pause, Pause, Stuck, Rejoin, Rejoin, Break, Fail, Cut, Cut, Refuse, HalfOpen, HalfOpen, Throttle, Slow, Slow,
		Codes, Codes, Jump, Wobble, Move, Move, Crash, Crash,
	}
	a := Act{At: at, Kind: kinds[d.IntN(len(kinds))], Who: d.IntN(len(p.People)), Other: d.chance(0.5)}
	session, poll := p.Config.SessionTimeout, p.Config.MaxPollInterval
	a.For = []time.Duration{d.between(0, session/2), d.between(0, 2*session), d.between(session, 4*session)}[d.IntN(3)]
	switch a.Kind {
	case Kill, Leave, Absent:
		a.Mode = heartbeat.LeaveMode(d.IntN(3))
		if a.Kind != Absent && d.chance(0.2) {
			a.For = 0
		}
	case Stuck:
		a.For = d.between(poll/2, 3*poll)
	case Cut, HalfOpen, Throttle, Slow, Codes:
		if d.chance(0.2) {
			a.Who = -1
		}
		extra := d.between(50*time.Millisecond, []time.Duration{500 * time.Millisecond, 4 * time.Second}[d.IntN(2)])
		share := []float64{0.1, 0.5, 1}[d.IntN(3)]
		if a.Kind == Slow {
			a.Extra = extra
		}
		if a.Kind == Codes {
			a.Share = share
		}
	case Jump:
		a.Extra = d.between(0, 2*session)
	case Move, Crash:
		a.Who = -1
		a.Extra = d.between(0, []time.Duration{time.Second, 2 * session}[d.IntN(2)])
	}
	a.For = min(a.For, p.Calm-at)
	return a.plain()
}

// plain is the act without what means nothing for its kind.
func (a Act) plain() Act {
	switch a.Kind {
	case Twin, Rejoin, Break, Jump, Move:
		a.For = 0
	}
	switch a.Kind {
	case Kill, Leave, Absent, HalfOpen, Refuse, Codes, Crash:
	default:
		a.Other = false
	}
	return a
}
