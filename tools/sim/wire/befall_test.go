package wire

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// acts are what a fault does, and when. What takes its time goes on beside the rest.
func (w *world) acts(f fault) []act {
	ends := f.at + f.lasts
	var s *slot
	if f.slot != everybody {
		s = w.slots[f.slot]
	}
	switch f.kind {
	case killed, powerless:
		return []act{{f.at, func() { w.endLife(s, func(p *process) { p.kill(f.kind == powerless) }) }}, {ends, func() { w.revive(s) }}}
	case closed:
		return []act{{f.at, func() { w.endLife(s, func(p *process) { _ = p.close(10 * time.Second) }) }}, {ends, func() { w.revive(s) }}}
	case suspended:
		return w.suspend(f, s)
	case starved, stuck:
		free := make(chan struct{})
		held := gate{closed: free, app: f.kind == stuck, member: f.kind == starved}
		return []act{{f.at, func() { s.on(func(p *process) { p.hold(held) }) }}, {ends, func() { close(free) }}}
	case clientClosed:
		return []act{{f.at, func() { s.on(func(p *process) { w.work.Go(p.client.Close) }) }}}
	case rejoins:
		return []act{{f.at, func() { s.on(func(p *process) { p.member.Rejoin("because") }) }}}
	case leaves:
		return []act{{f.at, func() { s.on(w.leave) }}}
	case kicked:
		if s.role.leased { // its lease does not last beyond that, and cannot
			return nil
		}
		return []act{{f.at, func() { s.on(w.kick) }}}
	case twin:
		return w.twin(f, s)
	case moved:
		return []act{{f.at, w.moveCoordinator}}
	case down:
		away := f.brokerAway()
		return []act{{f.at, func() { w.takeDown(away) }}, {ends, func() { w.network.lift(away) }}}
	case failedOver:
		away := f.brokerAway()
		return []act{{f.at, func() {
			away.node = w.cluster.CoordinatorFor(group)
			w.takeDown(away)
			w.moveCoordinator()
		}}, {ends, func() { w.network.lift(away) }}}
	}
	return w.enchant(f, s)
}

// enchant lasts as long as the fault, and befalls who is in the place at its beginning.
func (w *world) enchant(f fault, s *slot) []act {
	var cast *spell
	return []act{{f.at, func() {
		if s == nil {
			cast = f.spell(nil)
		} else if p := s.present(); p != nil {
			cast = f.spell(p)
		}
		if cast != nil {
			w.network.cast(cast)
		}
	}}, {f.at + f.lasts, func() {
		if cast != nil {
			w.network.lift(cast)
		}
	}}}
}

// on does something to who is in the place, if somebody is.
func (s *slot) on(f func(*process)) {
	if p := s.present(); p != nil {
		f(p)
	}
}

// endLife ends the process in a place, and keeps the place empty.
func (w *world) endLife(s *slot, end func(*process)) {
	s.keep(1)
	if p := s.take(); p != nil {
		w.work.Go(func() { end(p) })
	}
}

// revive starts another one.
func (w *world) revive(s *slot) {
	s.keep(-1)
	w.start(s)
}

// suspend lets a process stand still, and all that is on its way to and from it.
func (w *world) suspend(f fault, s *slot) []act {
	var p *process
	var still *spell
	return []act{{f.at, func() {
		if p = s.present(); p == nil {
			return
		}
		still = f.spell(p)
		p.hold(gate{closed: still.gate, app: true, member: true})
		w.network.cast(still)
	}}, {f.at + f.lasts, func() {
		if p != nil {
			w.network.lift(still)
		}
	}}}
}

// leave lets a process leave the group, and poll again.
func (w *world) leave(p *process) {
	const limit = 15 * time.Second
	w.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		_ = p.call(ctx, judge.CallLeave, limit, func(ctx context.Context) error {
			return p.member.Leave(ctx, heartbeat.LeaveIfDynamic, "for a while")
		})
	})
}

// kick lets an operator remove a member.
func (w *world) kick(p *process) {
	r := kmsg.NewPtrLeaveGroupRequest()
	r.Group = group
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID, m.Reason = p.member.Status().Member, kmsg.StringPtr("kicked out")
	if m.MemberID == "" {
		return
	}
	r.Members = append(r.Members, m)
	w.work.Go(func() {
		ctx, cancel := w.context()
		defer cancel()
		_, _ = w.admin.Request(ctx, r) // it may have gone already
	})
}

// twin lets another process come with the same instance id.
func (w *world) twin(f fault, s *slot) []act {
	if s.role.instance == "" {
		return nil
	}
	var p *process
	return []act{{f.at, func() {
		var err error
		if p, err = w.begin(s.twinName(), s.role, newDice(w.plan.seed, 11).fork(uint64(f.at))); err != nil {
			w.fail(err)
		}
	}}, {f.at + f.lasts, func() {
		if p != nil {
			w.work.Go(func() { _ = p.close(10 * time.Second) })
		}
	}}}
}

// moveCoordinator gives the group another coordinator.
func (w *world) moveCoordinator() {
	for from := w.cluster.CoordinatorFor(group); w.cluster.CoordinatorFor(group) == from; {
		w.cluster.RehashCoordinators() // by a hash, to any broker
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	w.loaded = w.now()
}

// brokerAway is a broker to which there is no connection.
func (f fault) brokerAway() *spell {
	return &spell{fate: fate{way: byCut}, node: f.node, api: anyAPI, share: always}
}

// takeDown ends the connections of a broker, and lets none come about.
func (w *world) takeDown(away *spell) {
	w.network.cast(away)
	w.network.each(nil, away.node, (*line).kill)
}
