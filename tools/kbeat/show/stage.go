package show

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/tools/kbeat/event"
	"github.com/kbeat/kbeat/tools/kbeat/verdict"
)

const (
	// patience is how long an act may take beyond the times that the members are configured with. Usually it takes less
	// than a second; a machine that has much else to do may need the rest.
	patience = 20 * time.Second

	// look is how often a condition is looked at.
	look = 20 * time.Millisecond

	// proof is how many heartbeats of each member must be answered after everything has come to rest.
	proof = 2
)

// unsettledError is that the group does not become what it should be.
type unsettledError struct{ problems []string }

func (e *unsettledError) Error() string { return strings.Join(e.problems, "; ") }

// until waits for a condition.
func (s *Show) until(ctx context.Context, what string, holds func() bool) error {
	limit := patience + s.config.Member.SessionTimeout + s.config.Member.MaxPollInterval
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline.C:
			return &unsettledError{[]string{fmt.Sprintf("%s: not so after %s: %s", s.act, limit, what)}}
		case <-ticker.C:
		}
	}
	return nil
}

// settle waits until nothing is wrong any more and the heartbeats of everybody have been answered since, and tells who
// owns what.
func (s *Show) settle(ctx context.Context) error {
	var problems []string
	var since map[*player]int // answered heartbeats, when all had become well
	err := s.until(ctx, "the group comes to rest", func() bool {
		if problems = s.problems(ctx); len(problems) > 0 {
			since = nil
			return false
		}
		if since == nil {
			since = s.answered()
		}
		for p, answered := range s.answered() {
			if answered < since[p]+proof {
				return false
			}
		}
		return true
	})
	if unsettled, ok := err.(*unsettledError); ok {
		unsettled.problems = append(unsettled.problems, problems...)
	}
	if err == nil {
		s.settled()
	}
	return err
}

// answered counts the heartbeats of those who are well.
func (s *Show) answered() map[*player]int {
	count := map[*player]int{}
	for _, p := range s.cast {
		if !p.busy {
			count[p] = p.Tally().Answered
		}
	}
	return count
}

// problems is what is not as it should be now. A player whose application is stuck does not count: it is out.
func (s *Show) problems(ctx context.Context) []string {
	var members []verdict.Member
	for _, p := range s.cast {
		if p.busy {
			continue
		}
		if isClosed(p.over) {
			return []string{fmt.Sprintf("%s has ended: %v", p.Name(), p.err)}
		}
		members = append(members, verdict.Member{Name: p.Name(), Status: p.Status(), Owned: p.Owned()})
	}
	group, err := s.cluster.describe(ctx, s.config.Group)
	if err != nil {
		return []string{err.Error()}
	}
	return verdict.Problems(members, group, map[string]int32{s.config.Topic: s.config.Partitions}, verdict.Alone)
}

// settled tells who owns what.
func (s *Show) settled() {
	e := event.Event{
		Kind: event.Settled, Group: s.config.Group, Took: time.Since(s.began).Seconds(), Owners: map[string]event.Partitions{},
	}
	for _, p := range s.cast {
		if !p.busy {
			e.Owners[p.Name()] = event.Partitions(p.Owned())
			e.Generation = p.Status().Generation
		}
	}
	s.emit(e)
}

// pick is one of those who are fit for a part: by chance, of those to whom the least has happened. It is nil if nobody is
// fit.
func (s *Show) pick(fit func(*player) bool) *player {
	var found []*player
	for _, p := range s.cast {
		switch {
		case !fit(p) || len(found) > 0 && p.parts > found[0].parts:
		case len(found) > 0 && p.parts == found[0].parts:
			found = append(found, p)
		default:
			found = []*player{p}
		}
	}
	if len(found) == 0 {
		return nil
	}
	p := found[s.chance.IntN(len(found))]
	p.parts++
	return p
}

func anybody(*player) bool   { return true }
func static(p *player) bool  { return p.Instance() != "" }
func dynamic(p *player) bool { return p.Instance() == "" }

// leaves takes a player out of the cast.
func (s *Show) leaves(p *player) {
	s.cast = slices.DeleteFunc(s.cast, func(o *player) bool { return o == p })
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
