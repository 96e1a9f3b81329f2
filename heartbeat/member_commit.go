package heartbeat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kbeat/kbeat/fsm/classic"
)

// Commit stores offsets as the group's, if the application was told of no other Session since it has read them: they
// count for the generation of the last one. It tries again, after a pause as Config says, whatever another try may mend,
// until ctx ends. Commits wait for each other, so that an earlier one, tried again, does not undo a later one.
//
// An *Error named REBALANCE_IN_PROGRESS says that a rejoin is under way: poll, and commit what is owned then. One named
// COMMIT_FAILED says that the generation in which the offsets were read has ended, and that the partitions may be somebody
// else's. Where the coordinator cannot be found, for a reason that no repetition mends, the lookup's failure is returned,
// and the next poll is not told of it again. An offset that cannot be is refused before anything is sent. As Kafka's
// Consumer.commitSync.
func (m *Member) Commit(ctx context.Context, offsets []Offset) error {
	who := nobody
	if s := m.live.Load(); s != nil {
		who = s.id
	}
	return m.commit(ctx, who, offsets)
}

// commit stores offsets that were read by the member as who.
func (m *Member) commit(ctx context.Context, who identity, offsets []Offset) error {
	if err := needContext(ctx, "commit"); err != nil {
		return err
	}
	if len(offsets) == 0 {
		return nil
	}
	if i := slices.IndexFunc(offsets, func(o Offset) bool { return o.Topic == "" || o.Partition < 0 || o.Offset < 0 }); i >= 0 {
		o := offsets[i]
		return fmt.Errorf("commit: offset %d of partition %d of topic %q is none: nothing is committed", o.Offset, o.Partition, o.Topic)
	}
	select {
	case m.storing <- struct{}{}:
		defer func() { <-m.storing }()
	case <-m.done:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	pauses := jitter(m.config.Seed ^ m.commits.Add(1))
	for attempt := 0; ; attempt++ {
		err := m.commitOnce(ctx, who, offsets)
		var e *Error
		if !errors.As(err, &e) || !e.Retriable {
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
func (m *Member) commitOnce(ctx context.Context, who identity, offsets []Offset) error {
	done := make(chan CommitEnded, 1)
	asked := CommitAsked{ID: m.commits.Add(1), Member: who.member, Generation: who.generation, Offsets: offsets}
	if err := m.admit(asked, &caller{commit: done}); err != nil {
		return err
	}
	select {
	case end := <-done:
		return end.Err
	case <-m.done:
		select {
		case end := <-done: // it came first
			return end.Err
		default:
			return ErrClosed
		}
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
