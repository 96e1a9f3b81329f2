package application

import (
	"context"
	"errors"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// pollsPerDeadline is how often the application polls within max.poll.interval.ms when nothing asks for it.
const pollsPerDeadline = 3

// Run polls until ctx ends, and returns nil then. Another error is what nothing repeats by itself: mostly a
// *heartbeat.Error; it has been told as an event. The member is still in the group: Close it.
func (a *Application) Run(ctx context.Context) error {
	begin := a.about(event.Member)
	begin.Group, begin.Topics = a.config.Member.Group, a.config.Topics
	a.tell(begin)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		err := a.poll(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			a.failed(err)
			return err
		}
		timer.Reset(a.interval())
		select {
		case <-ctx.Done():
			return nil
		case <-a.member.Wants():
		case <-timer.C:
		}
	}
}

// interval is how long the application waits before it polls although nothing asks for it.
func (a *Application) interval() time.Duration {
	d := a.config.Member.MaxPollInterval
	if d == 0 {
		d = classic.TimerMaxPoll.Spec().Default
	}
	return d / pollsPerDeadline
}

// poll is one poll, which must wait while the application is at work.
func (a *Application) poll(ctx context.Context) error {
	select {
	case a.working <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	defer func() { <-a.working }()
	return a.member.Poll(ctx)
}

// Work makes the application busy: it does not poll until done is called, once. Work waits for a poll that goes on.
func (a *Application) Work(ctx context.Context) (done func(), err error) {
	select {
	case a.working <- struct{}{}:
		return func() { <-a.working }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// observe tells of a decision: what it was made about, and what has become of the member. It runs on the member's
// goroutine.
func (a *Application) observe(f heartbeat.Fired) {
	a.tally.count(f)
	if f.Rule.Input == classic.InputPoll {
		return // that the application is at work says nothing of the member
	}
	is := a.about(event.State).Of(f)
	was := is
	was.Kind, was.MemberID, was.Generation = event.Rule, a.last.member, a.last.generation
	a.tell(was)
	if f.From != f.To {
		a.tell(is)
	}
	a.last = identity{is.MemberID, is.Generation}
}

// failed tells of an error of a poll.
func (a *Application) failed(err error) {
	e := a.about(event.Error)
	var decided *heartbeat.Error
	if errors.As(err, &decided) {
		e = e.Of(heartbeat.Fired{Rule: decided.Rule, Code: decided.Code, From: decided.State, To: a.Status().State, Err: decided.Err})
		e.Code, e.MemberID, e.Generation = decided.Code.String(), decided.Member, decided.Generation
		e.Fired = nil
	}
	e.Error = err.Error()
	a.tell(e)
}
