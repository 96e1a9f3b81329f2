package judge

import (
	"slices"
	"time"

	"github.com/kbeat/kbeat/heartbeat"
)

// WindowKind is why two members may work on one partition at once for a while.
type WindowKind string

// The windows that the protocol itself has: a member learns of the next generation later than the others.
const (
	WindowUnaware  WindowKind = "unaware"  // the coordinator has given it up, and it has not heard of that yet
	WindowUnpolled WindowKind = "unpolled" // it knows, or its loop has failed; its application has not polled yet, or is slow to let go
	WindowJoining  WindowKind = "joining"  // it waits for the answer to its JoinGroup, which may be lost, and keeps what it claims
	WindowPaused   WindowKind = "paused"   // it has gone on after a pause less than a session ago
	WindowReplaced WindowKind = "replaced" // another process with its instance id has taken its place
)

// Window says how often members worked on one partition at once, and for how long.
type Window struct {
	Kind    WindowKind
	Count   int
	Longest time.Duration
	Total   time.Duration
}

// Windows are those that were seen, by kind.
func (j *Judge) Windows() []Window { return slices.Clone(j.owners.windows) }

// owners is who works on what.
type owners struct {
	of      map[Partition][]*life // who holds it, also while paused
	shared  []*overlap            // those that go on
	windows []Window
}

// overlap is two members at work on one partition. The elder is the one that is to let go.
type overlap struct {
	partition      Partition
	elder, younger *life
	kind           WindowKind
	bounded        bool // the elder believes to be in its generation, and sends heartbeats
	since          time.Duration
}

func newOwners() owners {
	o := owners{of: map[Partition][]*life{}}
	for _, k := range []WindowKind{WindowUnaware, WindowUnpolled, WindowPaused, WindowJoining, WindowReplaced} {
		o.windows = append(o.windows, Window{Kind: k})
	}
	return o
}

// holds notes what an application works on.
func (j *Judge) holds(l *life, e Event) {
	for _, p := range l.holds {
		if !slices.Contains(e.Partitions, p) {
			j.owners.of[p] = slices.DeleteFunc(j.owners.of[p], func(o *life) bool { return o == l })
		}
	}
	for _, p := range e.Partitions {
		if !slices.Contains(j.owners.of[p], l) {
			j.owners.of[p] = append(j.owners.of[p], l)
		}
	}
	if l.told != Nobody() && l.works != l.told {
		l.works, l.began = l.told, j.now
	}
	before := l.holds
	l.holds = slices.Clone(e.Partitions)
	j.owners.settle(j, l, before)
	j.owners.settle(j, l, l.holds)
}

// worksAs notes in which generation an application works. Until its callback has returned it may be that of the one before.
func (j *Judge) worksAs(l *life, who Identity) {
	if l.works != who {
		l.works, l.began = who, j.now
		j.owners.change(j, l)
	}
}

// change is called when a member begins or ceases to act, or its identity changes.
func (o *owners) change(j *Judge, l *life) { o.settle(j, l, l.holds) }

// settle ends and begins the overlaps of a member in some partitions.
func (o *owners) settle(j *Judge, l *life, partitions []Partition) {
	o.shared = slices.DeleteFunc(o.shared, func(v *overlap) bool {
		if v.elder != l && v.younger != l || !slices.Contains(partitions, v.partition) {
			return false
		}
		o.close(j, v)
		return true
	})
	if !l.acts() {
		return
	}
	for _, p := range partitions {
		if !slices.Contains(l.holds, p) {
			continue
		}
		for _, other := range o.of[p] {
			if other != l && other.acts() {
				o.open(j, p, l, other)
			}
		}
	}
}

// open judges that two members work on one partition.
func (o *owners) open(j *Judge, p Partition, a, b *life) {
	elder, younger := a, b
	if a.works.Generation > b.works.Generation || a.works.Generation == b.works.Generation && a.began >= b.began {
		elder, younger = b, a
	}
	same := elder.config.InstanceID != "" && elder.config.InstanceID == younger.config.InstanceID
	if elder.works.Generation == younger.works.Generation && !same {
		j.broken(OneOwner, elder.name, "works on %s in generation %d, and so does %s", p, elder.works.Generation, younger.name)
	}
	believes := elder.joined() && elder.who == elder.works && elder.loop != loopBroken
	v := &overlap{partition: p, elder: elder, younger: younger, since: j.now, bounded: believes}
	switch {
	case elder.resumed != never && j.now-elder.resumed <= elder.config.SessionTimeout:
		v.kind = WindowPaused
	case elder.who.Generation == heartbeat.NoGeneration, elder.loop == loopBroken:
		v.kind = WindowUnpolled
	case !believes:
		v.kind = WindowJoining
	case same:
		v.kind = WindowReplaced
	default:
		v.kind = WindowUnaware
	}
	o.shared = append(o.shared, v)
	j.checkShared(v)
}

// close measures an overlap that has ended.
func (o *owners) close(j *Judge, v *overlap) {
	lasted := j.now - v.since
	for i := range o.windows {
		if w := &o.windows[i]; w.Kind == v.kind && lasted > 0 {
			w.Count++
			w.Longest = max(w.Longest, lasted)
			w.Total += lasted
		}
	}
}

// confirmed judges that the coordinator has answered a heartbeat well that a member sent at a time: it has not given away
// before what the member works on. A member whose heartbeats are not answered does not learn that it has; how long it works
// on then is how long its coordinator cannot be reached.
func (o *owners) confirmed(j *Judge, l *life, sent time.Duration) {
	for _, v := range o.shared {
		if v.elder == l && v.bounded && l.who == l.works && v.since+j.settings.Slack < sent {
			j.broken(OneOwner, l.name, "works on %s beside %s since %s, and a heartbeat of %s was answered well in which it was generation %d's",
				v.partition, v.younger.name, v.since, sent, l.works.Generation)
		}
	}
}

// end measures what goes on at the end of the run.
func (o *owners) end(j *Judge) {
	for _, v := range o.shared {
		o.close(j, v)
	}
	o.shared = nil
}
