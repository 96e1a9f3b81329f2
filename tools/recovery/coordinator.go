package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// offsetsPartitions is fewer than Apache Kafka's default, so that a small machine has them soon.
const offsetsPartitions = 12

// readyTimeout bounds each wait for the cluster or the groups before a fault. A loaded machine takes long.
const readyTimeout = 3 * time.Minute

// coordinators is the broker that leads each partition of the offsets topic, which the first lookup creates.
func (e *environment) coordinators() ([]int32, error) {
	ctx, cancel := context.WithTimeout(e.ctx, readyTimeout)
	defer cancel()
	adm := kadm.NewClient(e.client)
	for {
		err := adm.FindGroupCoordinators(ctx, "first").Error()
		var leaders []int32
		if err == nil {
			leaders, err = offsetsLeaders(ctx, adm)
		}
		if err == nil {
			return leaders, nil
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("the cluster has no coordinators: %w", err)
		}
		if err := e.wait(200 * time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func offsetsLeaders(ctx context.Context, adm *kadm.Client) ([]int32, error) {
	const name = "__consumer_offsets"
	meta, err := adm.Metadata(ctx, name)
	if err != nil {
		return nil, err
	}
	t := meta.Topics[name]
	if t.Err != nil {
		return nil, t.Err
	}
	leaders := make([]int32, offsetsPartitions)
	for _, p := range t.Partitions {
		if p.Err != nil || p.Leader < 1 || int(p.Partition) >= offsetsPartitions || len(p.ISR) < 3 {
			return nil, fmt.Errorf("partition %d: leader %d, in sync %v, %w", p.Partition, p.Leader, p.ISR, errors.Join(p.Err))
		}
		leaders[p.Partition] = p.Leader
	}
	if len(t.Partitions) != offsetsPartitions {
		return nil, fmt.Errorf("%d partitions, not %d", len(t.Partitions), offsetsPartitions)
	}
	return leaders, nil
}

// most is the broker that leads most partitions, the first one of several.
func most(leaders []int32) (broker int32) {
	led := map[int32]int{}
	for _, l := range leaders {
		led[l]++
	}
	for l, n := range led {
		if n > led[broker] || n == led[broker] && l < broker {
			broker = l
		}
	}
	return broker
}

// nameFor is a group's name that begins with a prefix and whose coordinator is a broker.
func nameFor(prefix string, leaders []int32, broker int32) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", prefix, i)
		if leaders[partitionOf(name, len(leaders))] == broker {
			return name
		}
	}
}

// partitionOf is the partition of the offsets topic that holds a group (GroupCoordinatorService.partitionFor): Java's
// String.hashCode as Kafka's Utils.abs has it. Names are ASCII here.
func partitionOf(group string, partitions int) int {
	var hash int32
	for _, c := range group {
		hash = 31*hash + c
	}
	if hash == math.MinInt32 {
		return 0
	}
	return int(max(hash, -hash)) % partitions
}

// errMoved is that a group's coordinator is not the one that the fault is for: a busy machine can lose a broker for a while.
var errMoved = errors.New("coordinators have moved before the fault")

// inPlace checks that all groups have the coordinator that the fault is for.
func (e *environment) inPlace() error {
	ctx, cancel := context.WithTimeout(e.ctx, time.Minute)
	defer cancel()
	found := kadm.NewClient(e.client).FindGroupCoordinators(ctx, slices.Collect(maps.Values(e.names))...)
	if err := found.Error(); err != nil {
		return fmt.Errorf("find the coordinators of the groups: %w", err)
	}
	for name, c := range found {
		if c.NodeID != e.victim {
			return fmt.Errorf("%w: that of group %s is broker %d, not %d", errMoved, name, c.NodeID, e.victim)
		}
	}
	return nil
}
