package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Commit stores offsets as the group's, under the generation that the member has when they are sent. It tries again, after
// a pause as Config says, whatever another try may mend, until ctx ends.
//
// An *Error named REBALANCE_IN_PROGRESS says that a rejoin is under way: poll, and commit what is owned then. One named
// COMMIT_FAILED says that the partitions are the member's no more. As Kafka's Consumer.commitSync.
func (m *Member) Commit(ctx context.Context, offsets []Offset) error {
	if len(offsets) == 0 {
		return nil
	}
	if err := m.ensure(); err != nil {
		return err
	}
	pauses := jitter(m.config.Seed ^ m.commits.Add(1))
	for attempt := 0; ; attempt++ {
		err := m.commitOnce(ctx, offsets)
		var e *Error
		if !errors.As(err, &e) || !e.Retriable() {
			return err
		}
		pause := time.NewTimer(backoff(m.config.RetryBackoff, m.config.RetryBackoffMax, attempt, classic.TimerJoinRetry.Spec().Jitter, &pauses))
		select {
		case <-pause.C:
		case <-m.done:
			pause.Stop()
			return ErrClosed
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("%w; the last try: %w", context.Cause(ctx), err)
		}
	}
}

// commitOnce sends offsets once.
func (m *Member) commitOnce(ctx context.Context, offsets []Offset) error {
	done := make(chan CommitEnded, 1)
	m.post(CommitAsked{ID: m.commits.Add(1), Offsets: offsets}, &caller{commit: done})
	select {
	case end := <-done:
		return end.Err
	case <-m.done:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
