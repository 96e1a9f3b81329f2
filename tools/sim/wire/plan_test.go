package wire

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// plan is what a seed decides: who is in the group, and what happens to whom and when. A run of the same plan is the same
// trouble.
type plan struct {
	seed   uint64
	forced int // members, whatever the seed would draw; 0: as it draws
	length time.Duration
	calm   time.Duration // nothing is disturbed from then on
	group  groupKind
	timing heartbeat.Config // the durations
	cast   []role
	faults []fault // in order of time
}

// groupKind is how the group divides its work.
type groupKind int

const (
	ofShards      groupKind = iota // a protocol of the application's own
	ofRange                        // topics, eagerly
	ofCooperative                  // topics, cooperatively (KIP-429)
	groupKinds
)

// String is the kind's name.
func (k groupKind) String() string { return [...]string{"shards", "range", "cooperative"}[k] }

// role is a place in the group; several processes take it, one after the other.
type role struct {
	instance string // group.instance.id; "" for a dynamic member
	kind     appKind
	starts   time.Duration
	leased   bool // Config.Lease
}

// appKind is how an application works.
type appKind int

const (
	polls      appKind = iota // as soon as the member wants it
	pollsLate                 // now and then
	runs                      // by Run
	runsSlowly                // by Run, and takes its time to let go
	progresses                // by Run, with RequireProgress
	appKinds
)

// String is the kind's name.
func (k appKind) String() string {
	return [...]string{"polls", "polls late", "runs", "runs slowly", "progresses"}[k]
}

// String is one line for each who is in the group.
func (p plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s, session %s, interval %s, poll %s, request %s, calm after %s of %s\n", p.seed, p.group,
		p.timing.SessionTimeout, p.timing.HeartbeatInterval, p.timing.MaxPollInterval, p.timing.RequestTimeout, p.calm, p.length)
	for i, r := range p.cast {
		fmt.Fprintf(&b, "  m%d %s from %s", i+1, r.kind, r.starts)
		if r.instance != "" {
			fmt.Fprintf(&b, ", instance %s", r.instance)
		}
		if r.leased {
			b.WriteString(", with a lease")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// partitions is how many shares there are: enough for all, and a few.
func (p plan) partitions() int32 { return int32(len(p.cast) + 4) }

// fewest and most are how many members a group has. What a run costs grows with their number, so that few are large.
const fewest, large, most = 3, 11, 30

// drawSize is how many members a group has. One of sixteen is large.
func drawSize(d dice) int {
	few, many := fewest+d.IntN(large-fewest), large+d.IntN(most-large+1)
	if d.IntN(16) == 0 {
		return many
	}
	return few
}

// drawPlan is the plan of a seed, with so many members; 0 is as many as it draws.
func drawPlan(seed uint64, length time.Duration, members int) plan {
	d := newDice(seed, 1)
	p := plan{seed: seed, forced: members, length: length, group: groupKind(d.IntN(int(groupKinds)))}
	size := drawSize(d)
	if members > 0 {
		size = members
	}
	p.timing = heartbeat.Config{
		SessionTimeout:  one[time.Duration](d, 10, 15, 30) * time.Second,
		MaxPollInterval: one[time.Duration](d, 15, 20, 30) * time.Second,
		RequestTimeout:  one[time.Duration](d, 10, 15, 30) * time.Second,
		RetryBackoff:    100 * time.Millisecond,
		RetryBackoffMax: time.Second,
	}
	p.timing.HeartbeatInterval = one[time.Duration](d, 1, 2, 3) * time.Second
	for i := range size {
		r := role{kind: appKind(d.IntN(int(appKinds)))}
		if p.group == ofCooperative {
			r.kind = one(d, polls, pollsLate)
		}
		if d.IntN(3) == 0 {
			r.instance = fmt.Sprintf("i%d", i+1)
		}
		if d.IntN(4) > 0 {
			r.starts = d.between(0, 5*time.Second)
		} else {
			r.starts = d.between(0, length/3)
		}
		p.cast = append(p.cast, r)
	}
	p.calm = max(length/4, length-judge.Settle(&p.timing)-10*time.Second)
	p.drawFaults(newDice(seed, 2))
	leases := newDice(seed, 3)
	for i := range p.cast {
		p.cast[i].leased = leases.IntN(3) == 0
	}
	return p
}

// drawFaults fills the time until it is calm.
func (p *plan) drawFaults(d dice) {
	pause := one[time.Duration](d, 4, 8, 16, 32) * time.Second // on average
	for at := d.between(0, 2*pause); at < p.calm; at += d.between(0, 2*pause) {
		f := drawFault(d, len(p.cast))
		f.at = at
		f.lasts = min(f.lasts, p.calm-at)
		p.faults = append(p.faults, f)
	}
	slices.SortStableFunc(p.faults, func(a, b fault) int { return cmp.Compare(a.at, b.at) })
}
