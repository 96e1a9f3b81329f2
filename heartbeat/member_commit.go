package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Commit stores offsets as the group's, if the application has received no other Session since it has read them: they
// count for the generation of the last one. What another try may mend is tried again, after a pause as Config says, until
// ctx ends, or Config.CommitTimeout is over. Each partition has an outcome of its own: what is stored is done, what can
// never succeed is sent once, and only the rest is sent again. As Kafka's Consumer.commitSync. The context of a session, and
// of Run's work, ends with the generation: where offsets are committed after that, ctx must outlive it.
//
// Commits do not wait for each other. A later one of the same partition, in the same generation, replaces an earlier one
// that would be tried again; the earlier one returns ErrReplaced for it. An earlier one that was sent and never answered
// can still overtake a later one where the two go by different connections, which a Transport avoids while it can; never
// across generations.
//
// An *Error named REBALANCE_IN_PROGRESS says that a rejoin is under way: poll, and commit what is owned then. One named
// COMMIT_FAILED says that the generation in which the offsets were read has ended, and that the partitions may be somebody
// else's. One named COMMIT_UNKNOWN says that the generation ended before the answer: the offsets may have been stored, and
// are not sent again. An *Error's Partitions are those that were refused; all others are stored, unless the error is
// ErrReplaced, ErrOutcomeUnknown or the end of the time too. Where the coordinator cannot be found, for a reason that no
// repetition mends, the lookup's failure is returned, also where a poll has returned it during the commit; the next poll does
// not return it again. ErrOutcomeUnknown says that the offsets may have been stored. An invalid offset (negative, without a
// topic) is refused before anything is sent.
func (m *Member) Commit(ctx context.Context, offsets []Offset) error {
	return m.commit(ctx, m.live.Load(), offsets)
}

// commit stores offsets that were read in s; nil where there was no session yet.
func (m *Member) commit(ctx context.Context, s *Session, offsets []Offset) error {
	if err := needContext(ctx, "commit"); err != nil {
		return err
	}
	if len(offsets) == 0 {
		return nil
	}
	for _, o := range offsets {
		if why := invalid(o); why != "" {
			return fmt.Errorf("commit: invalid offset %d for %s-%d (%s): nothing was committed", o.Offset, o.Topic, o.Partition, why)
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w; group %q: the commit was not sent", context.Cause(ctx), m.config.Group)
	}
	who := nobody
	if s != nil {
		who = s.id
	}
	ctx, stop := m.limitCommit(ctx, s)
	defer stop()
	c := newCommitCall(who, offsets)
	defer m.commits.end(c)
	return m.tryCommit(ctx, c)
}

// invalid is why an offset cannot be committed; "" where it can.
func invalid(o Offset) string {
	switch {
	case o.Topic == "":
		return "no topic"
	case o.Partition < 0:
		return "negative partition"
	case o.Offset < 0:
		return "negative"
	}
	return ""
}

// limitCommit ends a commit in time: after CommitTimeout; and when half of the time is over that the group, or the member's
// poll deadline, leaves to a callback, or to who releases what it owns after the end of its session. The other half is for
// the join.
func (m *Member) limitCommit(ctx context.Context, s *Session) (limited context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	total := time.AfterFunc(m.config.CommitTimeout, func() {
		cancel(fmt.Errorf("commit: %w: Config.CommitTimeout (%s) is over", context.DeadlineExceeded, m.config.CommitTimeout))
	})
	half := func(since time.Time, what string) *time.Timer {
		return time.AfterFunc(time.Until(since.Add(m.config.MaxPollInterval/2)), func() {
			cancel(fmt.Errorf("commit: %w: half of Config.MaxPollInterval (%s) is over since %s", context.DeadlineExceeded, m.config.MaxPollInterval, what))
		})
	}
	unlink := func() bool { return true }
	call, inside := ctx.Value(callKey{m}).(*task)
	switch {
	case s == nil:
	case inside && s.ctx.Err() == nil && m.underway.goesOn(call):
		unlink = half(call.since, call.what+" began, and the member has to poll").Stop
	default:
		unlink = context.AfterFunc(s.ctx, func() {
			defer half(s.endedAt(), "the session has ended, and the group waits").Stop()
			<-ctx.Done()
		})
	}
	return ctx, func() {
		total.Stop()
		unlink()
		cancel(nil)
	}
}

// tryCommit sends what is pending of a commit until nothing is, or its time is over.
func (m *Member) tryCommit(ctx context.Context, c *commitCall) error {
	pauses := jitter(m.config.Seed ^ m.commitID.Add(1))
	for attempt := 0; ; attempt++ {
		switch err := m.commitOnce(ctx, c).(type) {
		case nil:
			c.pending = nil
		case *Error:
			c.answered(err)
		default: // the call is over
			return err
		}
		if m.commits.drop(c); len(c.pending) == 0 {
			return c.outcome()
		}
		pause := backoff(m.config.RetryBackoff, m.config.RetryBackoffMax, attempt, classic.TimerJoinRetry.Spec().Jitter, &pauses)
		if over, err := m.pauseCommit(ctx, c, pause); over {
			return err
		}
	}
}

// pauseCommit waits until a commit may be tried again, or reports that it is over. A commit of a generation that has ended
// is tried at once: the rules decide what becomes of it. When a coordinator is found the pause ends after RetryBackoff at
// most: it does not wait for longer, but there always is a pause.
func (m *Member) pauseCommit(ctx context.Context, c *commitCall, pause time.Duration) (over bool, err error) {
	before, end := m.Status().Coordinator, time.Now().Add(pause)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			return false, nil
		case <-c.news:
			if m.commits.drop(c); len(c.pending) == 0 {
				return true, c.outcome()
			}
			now := m.Status()
			if now.Member != c.who.member || now.Generation != c.who.generation {
				return false, nil
			}
			if soon := time.Now().Add(m.config.RetryBackoff); now.Coordinator != before && now.Coordinator != AnyBroker && soon.Before(end) {
				end = soon
				timer.Reset(time.Until(end))
			}
			before = now.Coordinator
		case <-m.over:
			return true, c.cut(ErrClosed)
		case <-ctx.Done():
			return true, c.cut(m.timeIsUp(context.Cause(ctx), c.lastFailure(), ""))
		}
	}
}

// commitOnce sends once what is pending and was not replaced. The error is an *Error of the rules, or the end of the call.
func (m *Member) commitOnce(ctx context.Context, c *commitCall) error {
	done := make(chan CommitEnded, 1)
	if err := m.commits.post(c, func(pending []Offset) error {
		asked := CommitAsked{ID: m.commitID.Add(1), Member: c.who.member, Generation: c.who.generation, Offsets: pending}
		return m.admit(asked, &caller{commit: done})
	}); err != nil {
		return c.cut(err)
	}
	if len(c.pending) == 0 {
		return nil
	}
	end := func(end CommitEnded) error {
		if errors.Is(end.Err, ErrClosed) {
			return c.cut(end.Err)
		}
		return end.Err
	}
	select {
	case e := <-done:
		return end(e)
	case <-m.over:
		select {
		case e := <-done: // it came first
			return end(e)
		default:
			return c.cut(ErrClosed)
		}
	case <-ctx.Done():
		c.unknown = true
		return c.cut(m.timeIsUp(context.Cause(ctx), c.lastFailure(), m.underway.list(forCommit)))
	}
}
