package main

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// startFranzGo starts a member of franz-go's own group consumer, and returns what ends it.
func startFranzGo(g group, name, client string, brokers []string, j journal) (stop func(), err error) {
	p := newPositions(j)
	cl, err := kgo.NewClient(
		kgo.SeedBrokers(brokers...), kgo.ClientID(client), kgo.ConsumerGroup(name), kgo.ConsumeTopics(topic),
		kgo.SessionTimeout(g.session), kgo.HeartbeatInterval(g.heartbeat()), kgo.RebalanceTimeout(maxPollInterval),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), // cooperative-sticky is its default
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, added map[string][]int32) { p.add(added[topic]) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, removed map[string][]int32) { p.remove(revoked, removed[topic]) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, removed map[string][]int32) { p.remove(lost, removed[topic]) }),
	)
	if err != nil {
		return nil, err
	}
	stopLoop := loop(consumer{
		positions: p,
		poll:      func(context.Context) error { return nil },
		fetch:     cl.PollFetches,
		commit: func(ctx context.Context, offsets map[int32]int64) error {
			list := map[int32]kgo.EpochOffset{}
			for partition, offset := range offsets {
				list[partition] = kgo.EpochOffset{Epoch: -1, Offset: offset}
			}
			var failed error
			cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{topic: list},
				func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, r *kmsg.OffsetCommitResponse, err error) {
					failed = commitError(r, err)
				})
			return failed
		},
	})
	return func() {
		stopLoop()
		ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
		defer cancel()
		_ = cl.LeaveGroupContext(ctx) // the cluster ends next
		cl.Close()
	}, nil
}

func commitError(r *kmsg.OffsetCommitResponse, err error) error {
	if err != nil {
		return err
	}
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			err = errors.Join(err, kerr.ErrorForCode(p.ErrorCode))
		}
	}
	return err
}
