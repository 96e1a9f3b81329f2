package show

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// acts are what happens in production, in the order in which they are played. One that is played again where it makes no
// sense, for want of members, does nothing.
var acts = []func(*Show, context.Context) error{
	(*Show).newcomer,
	(*Show).coordinatorMoves,
	(*Show).oldGeneration,
	(*Show).removedByHand,
	(*Show).death,
	(*Show).slowApplication,
	(*Show).secondInstance,
	(*Show).goodbye,
}

// crowded reports whether another member would own nothing.
func (s *Show) crowded() bool { return len(s.cast) >= int(s.config.Partitions) }

// open starts the first members.
func (s *Show) open(ctx context.Context) error {
	times := s.config.Member
	s.announce("start", "%d processes start, and share the %d partitions of topic %q as group %q. Session timeout %s, a heartbeat each %s, poll deadline %s; %d brokers, in this process.",
		s.config.Members, s.config.Partitions, s.config.Topic, s.config.Group, times.SessionTimeout, times.HeartbeatInterval, times.MaxPollInterval, brokers)
	for range s.config.Members {
		if _, err := s.start(""); err != nil {
			return err
		}
	}
	return s.settle(ctx)
}

func (s *Show) newcomer(ctx context.Context) error {
	if s.crowded() {
		return nil
	}
	name, instance := fmt.Sprintf("m%d", s.started+1), ""
	if slices.ContainsFunc(s.cast, static) {
		s.announce("member_joins", "%s joins.", name)
	} else {
		instance = fmt.Sprintf("%s-%d", s.config.Group, s.started+1)
		s.announce("member_joins", "%s joins, as a static member: group.instance.id is %q.", name, instance)
	}
	if _, err := s.start(instance); err != nil {
		return err
	}
	return s.settle(ctx)
}

func (s *Show) coordinatorMoves(ctx context.Context) error {
	from, to := s.cluster.moveCoordinator(s.config.Group)
	s.announce("coordinator_moves", "The group's coordinator moves from broker %d to broker %d.", from, to)
	err := s.until(ctx, fmt.Sprintf("all members speak to broker %d", to), func() bool {
		for _, p := range s.cast {
			if p.Status().Coordinator != to {
				return false
			}
		}
		return true
	})
	if err != nil {
		return err
	}
	return s.settle(ctx)
}

func (s *Show) oldGeneration(ctx context.Context) error {
	p := s.pick(anybody)
	s.announce("old_generation", "A heartbeat of %s reaches the coordinator with the number of an earlier generation.", p.Name())
	aged := s.cluster.age(func() string { return p.Status().Member })
	before := p.Tally().Joined
	err := s.until(ctx, "a heartbeat of "+p.Name()+" passes", func() bool { return isClosed(aged) })
	if err != nil {
		return err
	}
	return s.rejoined(ctx, p, before)
}

func (s *Show) removedByHand(ctx context.Context) error {
	p := s.pick(dynamic)
	if p == nil {
		return nil
	}
	s.announce("removed", "An operator removes %s from the group by hand. Nobody tells %s.", p.Name(), p.Name())
	before := p.Tally().Joined
	if err := s.cluster.remove(ctx, s.config.Group, p.Status().Member); err != nil {
		return err
	}
	return s.rejoined(ctx, p, before)
}

func (s *Show) death(ctx context.Context) error {
	p := s.pick(dynamic)
	if p == nil || len(s.cast) <= LeastMembers {
		return nil
	}
	s.announce("death", "%s dies without a word: its power is cut. The coordinator waits for the session timeout, %s.",
		p.Name(), s.config.Member.SessionTimeout)
	s.leaves(p)
	p.die(ctx, "died")
	return s.settle(ctx)
}

func (s *Show) slowApplication(ctx context.Context) error {
	p := s.pick(dynamic)
	if p == nil || len(s.cast) < LeastMembers {
		return nil
	}
	done, err := p.Work(ctx)
	if err != nil {
		return err
	}
	s.announce("slow_application", "The application of %s is stuck on a record, and does not poll within %s. Heartbeats go on.",
		p.Name(), s.config.Member.MaxPollInterval)
	p.busy = true
	err = s.settle(ctx)
	if err == nil {
		s.announce("application_returns", "The application of %s polls again. What it worked on is somebody else's by now.", p.Name())
	}
	p.busy = false
	done()
	if err != nil {
		return err
	}
	return s.settle(ctx)
}

func (s *Show) secondInstance(ctx context.Context) error {
	p := s.pick(static)
	if p == nil {
		return nil
	}
	s.announce("second_instance", "A second process, m%d, is started with the instance id of %s: %q.", s.started+1, p.Name(), p.Instance())
	second, err := s.start(p.Instance())
	if err != nil {
		return err
	}
	// The second one wins, unless the process as a whole was stopped in between for so long that a session ended.
	err = s.until(ctx, "one of the two gives up", func() bool { return isClosed(p.over) || isClosed(second.over) })
	if err != nil {
		return err
	}
	if !isClosed(p.over) {
		p = second
	}
	s.leaves(p)
	s.close(ctx, p, "gave up")
	return s.settle(ctx)
}

func (s *Show) goodbye(ctx context.Context) error {
	p := s.pick(dynamic)
	if p == nil || len(s.cast) <= LeastMembers {
		return nil
	}
	s.announce("member_leaves", "%s is stopped: it says goodbye, so nobody waits for a timeout.", p.Name())
	s.leaves(p)
	s.close(ctx, p, "left")
	return s.settle(ctx)
}

// close ends a player that may take leave. Where nobody hears it, the group finds out by the session timeout.
func (s *Show) close(ctx context.Context, p *player, text string) {
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	_ = p.leave(ctx, text)
}

// rejoined waits for a player to have joined again since it had done so before times, and for the group to be well.
func (s *Show) rejoined(ctx context.Context, p *player, before int) error {
	if err := s.until(ctx, p.Name()+" joins again", func() bool { return p.Tally().Joined > before }); err != nil {
		return err
	}
	return s.settle(ctx)
}

// leaveTimeout bounds how long a player that leaves waits for the coordinator.
const leaveTimeout = 5 * time.Second
