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
		w.after(x.delay(), func() { f.end(refusal(faults.versions)) })
	case faults.throttled > w.now:
		w.at(f.limit, func() { f.end(classic.CodeSendTimeout) })
	case faults.deaf > w.now:
		w.at(f.limit, f.expire)
	default:
		at := w.now + x.delay()
		if f.route != held {
			at = max(at, x.routes[f.route].out)
			x.routes[f.route].out = at
		} else {
			w.at(f.limit, f.expire)
		}
		w.at(at, func() { w.brokers.arrive(f) })
	}
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
	if f.over || x.dead {
		return
	}
	if x.person.faults.silent > w.now {
		f.lose()
		return
	}
	at := w.now + x.delay()
	if f.route != held {
		at = max(at, x.routes[f.route].back)
		x.routes[f.route].back = at
	}
	if at >= f.limit {
		f.lose()
		return
	}
	w.at(at, func() { f.deliver(r) })
}

// lose lets the request wait for an answer that does not come.
func (f *flight) lose() {
	if f.route != held { // those expire in any case
		f.process.world.at(f.limit, f.expire)
	}
}

// deliver gives the process an answer.
func (f *flight) deliver(r heartbeat.Response) {
	if f.over {
		return
	}
	x := f.process
	f.over = true
	x.flights = slices.DeleteFunc(x.flights, func(o *flight) bool { return o == f })
	r.ID = f.request.ID
	x.do(func() {
		x.world.saw(judge.Event{
			Member: x.name, Kind: judge.Answered, API: f.request.API, Request: r.ID, Code: r.Code,
			Who: judge.Identity{MemberID: r.Member, Generation: r.Generation},
		})
		x.step(r)
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
	x.routes[r] = line{}
}

// breakAll ends all requests of a process, to one node or, where it is heartbeat.AnyBroker, to all.
func (x *process) breakAll(node int32) {
	for _, o := range slices.Clone(x.flights) {
		if node == heartbeat.AnyBroker || o.request.Node == node {
			o.end(classic.CodeDisconnect)
		}
	}
}
