package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// What all groups have in common.
const (
	topic       = "work"
	partitions  = 12
	commitEvery = 200 * time.Millisecond
)

// clients are those that are compared; the first is held against the second.
var clients = []string{kbeat, java, franzGo}

const (
	kbeat   = "kbeat"
	java    = "Java"
	franzGo = "franz-go"
)

// fault is what happens to the coordinator.
type fault struct {
	id    string
	name  string
	ends  time.Duration // after its begin: the broker is started again, resumed, or connected again
	watch time.Duration // after its begin: how long members are observed
	begin func(*environment) error
	end   func(*environment) error
}

var (
	killed   = fault{"sigkill", "killed by SIGKILL, started again after 20 s", 20 * time.Second, 45 * time.Second, (*environment).kill, (*environment).restart}
	stopped  = fault{"stop10", "stopped for 10 s", 10 * time.Second, 40 * time.Second, (*environment).suspend, (*environment).resume}
	longStop = fault{"stop60", "stopped for 60 s", 60 * time.Second, 85 * time.Second, (*environment).suspend, (*environment).resume}
	cut      = fault{"cut60", "cut off for 60 s, no connection closed or reset", 60 * time.Second, 90 * time.Second, (*environment).cut, (*environment).heal}
)

var allFaults = []fault{killed, stopped, longStop, cut}

func faultIDs(faults []fault) (ids []string) {
	for _, f := range faults {
		ids = append(ids, f.id)
	}
	return ids
}

// chosen are the faults that are asked for; all of them where none is.
func (o options) chosen(all []fault) (faults []fault, err error) {
	if o.faults == "" {
		return all, nil
	}
	for _, id := range strings.Split(o.faults, ",") {
		i := slices.IndexFunc(allFaults, func(f fault) bool { return f.id == id })
		if i < 0 {
			return nil, fmt.Errorf("-faults: no fault %q; there are %s", id, strings.Join(faultIDs(allFaults), ", "))
		}
		faults = append(faults, allFaults[i])
	}
	return faults, nil
}

// group is one consumer group: members of one client with one setting.
type group struct {
	client  string
	session time.Duration
	members int
}

// heartbeat is a tenth of the session, and not more than 3 s, the default of all three clients.
func (g group) heartbeat() time.Duration { return min(g.session/10, 3*time.Second) }

// member is the client id of a member, by which requests are told apart at the proxy.
func (g group) member(i int) string { return fmt.Sprintf("%s/%d", g.id(), i) }

func (g group) id() string {
	return fmt.Sprintf("%s-s%d-n%d", strings.ToLower(g.client), int(g.session.Seconds()), g.members)
}

// plan is what a run measures.
type plan struct {
	faults      []fault
	sessions    []time.Duration
	members     int
	large       int // members of further groups in the long stop; 0: none
	repetitions int
	silence     time.Duration // after which a broker is replaced as coordinator
}

// newPlan is what options ask for that are checked.
func newPlan(o options) plan {
	if o.quick {
		faults, _ := o.chosen([]fault{killed, longStop})
		return plan{faults: faults, sessions: []time.Duration{20 * time.Second}, members: o.members, repetitions: 1, silence: o.silence}
	}
	faults, _ := o.chosen(allFaults)
	return plan{
		faults:   faults,
		sessions: []time.Duration{10 * time.Second, 20 * time.Second, 45 * time.Second},
		members:  o.members, large: 10, repetitions: o.repetitions, silence: o.silence,
	}
}

// groups is all that a repetition of a fault observes at once.
func (p plan) groups(f fault) (all []group) {
	add := func(session time.Duration, members int) {
		for _, c := range clients {
			all = append(all, group{c, session, members})
		}
	}
	for _, s := range p.sessions {
		add(s, p.members)
	}
	if f.id == longStop.id && p.large > 0 && p.large != p.members {
		add(20*time.Second, p.large)
	}
	return all
}

// setUp is about what a cluster and its groups take to be ready, and to end.
const setUp = 30 * time.Second

func (p plan) expected() (d time.Duration) {
	for _, f := range p.faults {
		d += f.watch + setUp
	}
	return d * time.Duration(p.repetitions)
}

func (p plan) String() string {
	return fmt.Sprintf("%d faults, %d repetitions each: about %.0f minutes", len(p.faults), p.repetitions, p.expected().Minutes())
}
