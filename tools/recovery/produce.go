package main

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// produceEvery is the pause between two records of a partition: each has something new to commit.
const produceEvery = 200 * time.Millisecond

// produce writes to all partitions until stop is called. Records that a fault holds up are written later; which were written is
// seen from what the groups have committed.
func (e *environment) produce() (stop func()) {
	ctx, cancel := context.WithCancel(e.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		again := time.NewTicker(produceEvery)
		defer again.Stop()
		for {
			for n := range int32(partitions) {
				// TryProduce drops what would wait for a broker that is away.
				e.client.TryProduce(ctx, &kgo.Record{Topic: topic, Partition: n, Value: []byte("record")}, nil)
			}
			select {
			case <-again.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
