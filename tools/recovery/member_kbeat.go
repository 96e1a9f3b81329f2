package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// offsetsTimeout bounds one try to fetch committed offsets.
const offsetsTimeout = 5 * time.Second

// startKbeat starts a member with a transport and a fetch client of its own, as a process that has one member would, and returns
// what ends it.
func startKbeat(g group, name, client string, brokers []string, j journal, logger *slog.Logger) (stop func(), err error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ClientID(client))
	if err != nil {
		return nil, err
	}
	c, err := franz.NewConsumer(cl, []string{topic}) // cooperative-sticky
	if err != nil {
		cl.Close()
		return nil, err
	}
	p := newPositions(j)
	var unread []int32 // assigned partitions that are not fetched yet; only the loop's goroutine has it, in callbacks too
	callbacks := franz.ConsumerCallbacks{
		Assigned: func(_ context.Context, _ *heartbeat.Session, added franz.Partitions) error {
			p.add(added[topic])
			unread = append(unread, added[topic]...)
			return nil
		},
		Revoked: func(_ context.Context, _ *heartbeat.Session, removed franz.Partitions) error {
			p.remove(revoked, removed[topic])
			unread = slices.DeleteFunc(unread, func(n int32) bool { return slices.Contains(removed[topic], n) })
			cl.RemoveConsumePartitions(removed)
			return nil
		},
		Lost: func(_ context.Context, _ *heartbeat.Session, removed franz.Partitions) error {
			p.remove(lost, removed[topic])
			unread = slices.DeleteFunc(unread, func(n int32) bool { return slices.Contains(removed[topic], n) })
			cl.RemoveConsumePartitions(removed)
			return nil
		},
	}
	m, err := c.NewMember(heartbeat.Config{
		Group: name, SessionTimeout: g.session, HeartbeatInterval: g.heartbeat(), MaxPollInterval: maxPollInterval,
	}, franz.New(cl), callbacks, heartbeat.WithLogger(logger.With("member", client)))
	if err != nil {
		cl.Close()
		return nil, err
	}
	stopLoop := loop(consumer{
		positions: p,
		poll: func(ctx context.Context) error {
			timed, cancel := context.WithTimeout(ctx, pollFor)
			defer cancel()
			if err := m.Poll(timed); err != nil && timed.Err() == nil {
				return err
			}
			if len(unread) == 0 {
				return nil
			}
			timed, cancel = context.WithTimeout(ctx, offsetsTimeout)
			defer cancel()
			from, err := committedOffsets(timed, cl.Opts(), name, unread)
			if err != nil {
				return err // the next poll tries again
			}
			cl.AddConsumePartitions(from)
			unread = nil
			return nil
		},
		fetch: cl.PollFetches,
		commit: func(ctx context.Context, offsets map[int32]int64) error {
			var list []heartbeat.Offset
			for partition, offset := range offsets {
				list = append(list, heartbeat.Offset{Topic: topic, Partition: partition, Offset: offset, LeaderEpoch: -1})
			}
			return m.Commit(ctx, list)
		},
	})
	return func() {
		stopLoop()
		ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
		defer cancel()
		_ = m.Close(ctx) // the cluster ends next
		cl.Close()
	}, nil
}

// committedOffsets is where to go on reading. A client that has lived through the loss of a coordinator asks the lost one until
// its own time limit, and would be measured in place of the member; so each try has a client of its own.
func committedOffsets(ctx context.Context, opts []kgo.Opt, group string, list []int32) (map[string]map[int32]kgo.Offset, error) {
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	offsets, err := kadm.NewClient(cl).FetchOffsets(ctx, group)
	if err = errors.Join(err, offsets.Error()); err != nil {
		return nil, fmt.Errorf("offsets of group %s: %w", group, err)
	}
	from := map[int32]kgo.Offset{}
	for _, partition := range list {
		from[partition] = kgo.NewOffset().AtStart()
		if o, ok := offsets.Lookup(topic, partition); ok && o.At >= 0 {
			from[partition] = kgo.NewOffset().At(o.At)
		}
	}
	return map[string]map[int32]kgo.Offset{topic: from}, nil
}

// loop consumes until stop is called, which returns when the loop has ended.
func loop(c consumer) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		consume(ctx, c)
	}()
	return func() {
		cancel()
		select {
		case <-done:
		case <-time.After(leaveTimeout): // a call that does not end with its context; the process ends soon
		}
	}
}
