package world

import (
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// route is one of the connections that a process has. What goes over one arrives in order; what goes over two need not.
type route uint8

const (
	asking     route = iota // FindCoordinator
	prompt                  // Heartbeat, LeaveGroup
	replicated              // OffsetCommit
	held                    // JoinGroup, SyncGroup: a connection for each
	routes
)

func routeOf(api classic.Input) route {
	switch api {
	case classic.InputFindCoordinator:
		return asking
	case classic.InputOffsetCommit:
		return replicated
	case classic.InputJoinGroup, classic.InputSyncGroup:
		return held
	}
	return prompt
}

// line is when the last thing on a connection arrives, in each direction.
type line struct{ out, back time.Duration }

// flight is a request under way.
type flight struct {
	process *process
	request heartbeat.Request
	route   route
	limit   time.Duration // when it ends at the latest
	over    bool
	said    bool // it was answered, if the answer arrives
	muted   bool // its connection, which is its own, carries nothing
	second  bool // it was sent again on a second connection
}

// send lets a request leave.
func (x *process) send(r heartbeat.Request) {
	w, faults := x.world, &x.person.faults
	w.requests++
	f := &flight{process: x, request: r, route: routeOf(r.API), limit: w.now + r.Timeout}
	x.flights = append(x.flights, f)
	switch {
	case faults.cut > w.now:
		w.after(x.draw.between(0, 30*time.Millisecond), func() { f.end(classic.CodeDisconnect) })
	case faults.refused > w.now:
		w.at(min(w.now+x.delay(), f.limit), func() { f.end(refusal(faults.versions)) })
	case faults.throttled > w.now:
		w.at(f.limit, func() { f.end(classic.CodeSendTimeout) })
	case faults.deaf > w.now:
		w.at(f.limit, f.expire)
	default:
		w.at(f.limit, f.expire)
		at := w.now + x.delay()
		if f.route != held {
			at = max(at, x.routes[f.route].out)
			x.routes[f.route].out = at
		}
		if x.mute(f) {
			break
		}
		w.at(at, func() { w.brokers.arrive(f) })
	}
	if f.again() {
		x.after(r.Again, f.sendAgain)
	}
}

// again reports whether the request may be sent once more.
func (f *flight) again() bool { return f.request.Again > 0 }

// sendAgain sends a request that was not answered on a second connection, which takes the place of the first one when it is
// answered. Either answer counts.
func (f *flight) sendAgain() {
	x := f.process
	w, faults := x.world, &x.person.faults
	if f.over || faults.cut > w.now || faults.refused > w.now || faults.throttled > w.now || faults.deaf > w.now {
		return
	}
	w.after(x.delay()+x.delay(), func() {
		if f.over {
			return
		}
		f.second = true
		w.brokers.arrive(f)
	})
}

// mute reports whether the connection that a request goes over carries nothing.
func (x *process) mute(f *flight) bool {
	switch {
	case f.second, f.request.Node == heartbeat.AnyBroker:
		return false
	case f.route == held:
		return f.muted
	}
	return x.muted[f.route]
}

// refusal is how a request ends that a broker does not want.
func refusal(versions bool) classic.Code {
	if versions {
		return classic.CodeVersionMismatch
	}
	return classic.CodeAuthenticationException
}

// delay is how long something is on its way.
func (x *process) delay() time.Duration {
	d := x.draw.between(0, x.world.plan.Latency) + 500*time.Microsecond
	if x.person.faults.slow > x.world.now {
		d += x.draw.between(0, x.person.faults.delay)
	}
	return d
}

// answer sends an answer back.
func (f *flight) answer(r heartbeat.Response) {
	x := f.process
	w := x.world
	if f.over || f.said || x.dead {
		return
	}
	if x.person.faults.silent > w.now || x.mute(f) {
		return
	}
	at := w.now + x.delay()
	if n := f.request.Node; n != heartbeat.AnyBroker && w.brokers.outages[n].kind == BrokerCut {
		at += w.brokers.outages[n].until - w.now
	}
	f.said = !f.again()
	if f.route != held && !f.second {
		at = max(at, x.routes[f.route].back)
		x.routes[f.route].back = at
	}
	w.at(at, func() { f.deliver(r) })
}

// deliver gives the process an answer.
func (f *flight) deliver(r heartbeat.Response) {
	if f.over {
		return
	}
	x := f.process
	f.over = true
	if f.second {
		x.muted[f.route] = false
	}
	x.flights = slices.DeleteFunc(x.flights, func(o *flight) bool { return o == f })
	r.ID = f.request.ID
	x.do(func() {
		x.world.saw(judge.Event{
			Member: x.name, Kind: judge.Answered, API: f.request.API, Request: r.ID, Code: r.Code,
			Node: r.Node, Who: judge.Identity{MemberID: r.Member, Generation: r.Generation},
		})
		x.step(r)
	})
}

// forget lets nobody wait for a request's answer any more. What the broker has received it carries out all the same; a held
// request closes its connection, so that what is still on its way is lost.
func (x *process) forget(id uint64) {
	x.flights = slices.DeleteFunc(x.flights, func(f *flight) bool {
		if f.request.ID != id {
			return false
		}
		f.over = true
		return true
	})
}

// end ends a request without an answer.
func (f *flight) end(c classic.Code) { f.deliver(heartbeat.Response{Code: c}) }

// expire ends a request whose time is over, and with its connection those that have gone the same way.
func (f *flight) expire() {
	if f.over {
		return
	}
	f.end(classic.CodeDisconnect)
	if f.route != held {
		f.process.breakRoute(f.route)
	}
}

// breakRoute ends all requests on a connection.
func (x *process) breakRoute(r route) {
	for _, o := range slices.Clone(x.flights) {
		if o.route == r {
			o.end(classic.CodeDisconnect)
		}
	}
	x.routes[r], x.muted[r] = line{}, false
}

// muteAll lets the connections that a process has carry nothing any more; those that it opens from now on do.
func (x *process) muteAll() {
	for r := range x.muted {
		x.muted[r] = true
	}
	for _, f := range x.flights {
		f.muted = true
	}
}

// breakAll ends all requests of a process, to one node or, where it is heartbeat.AnyBroker, to all.
func (x *process) breakAll(node int32) {
	for _, o := range slices.Clone(x.flights) {
		if node == heartbeat.AnyBroker || o.request.Node == node {
			o.end(classic.CodeDisconnect)
		}
	}
}
