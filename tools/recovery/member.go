package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	// pollFor is how long a member waits for records before it looks whether it is time to commit.
	pollFor = 50 * time.Millisecond
	// commitTimeout is Apache Kafka's default for default.api.timeout.ms.
	commitTimeout = time.Minute
	// maxPollInterval is Apache Kafka's default for max.poll.interval.ms, which is the rebalance timeout as well.
	maxPollInterval = 5 * time.Minute
	// leaveTimeout bounds the end of a member whose cluster may be in no state to answer.
	leaveTimeout = 5 * time.Second
)

// consumer is what a loop needs of a member in Go.
type consumer struct {
	positions *positions
	poll      func(context.Context) error // does what is to be done for the membership
	fetch     func(context.Context) kgo.Fetches
	commit    func(context.Context, map[int32]int64) error
}

// consume polls, reads, and commits every commitEvery until ctx ends. A failure is an event; the member goes on, as the members
// in Java do.
func consume(ctx context.Context, c consumer) {
	var last time.Time
	for ctx.Err() == nil {
		if err := c.poll(ctx); err != nil && ctx.Err() == nil {
			c.positions.journal.failed("poll", err)
		}
		wait, cancel := context.WithTimeout(ctx, pollFor)
		c.positions.read(c.fetch(wait))
		<-wait.Done() // a poll without a partition may return at once
		cancel()
		offsets := c.positions.toCommit()
		if time.Since(last) < commitEvery || len(offsets) == 0 {
			continue
		}
		last = time.Now()
		timed, cancel := context.WithTimeout(ctx, commitTimeout)
		err := c.commit(timed, offsets)
		cancel()
		switch {
		case err == nil:
			c.positions.journal.add(committed, event{Partitions: len(offsets)})
		case ctx.Err() == nil:
			c.positions.journal.failed("commit", err)
		}
	}
}
