package main

import (
	"maps"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// positions is what a member in Go owns and how far it has read. It is safe for concurrent use.
type positions struct {
	journal journal

	mu   sync.Mutex
	next map[int32]int64 // -1: nothing was read yet
}

func newPositions(j journal) *positions { return &positions{journal: j, next: map[int32]int64{}} }

func (p *positions) add(list []int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range list {
		p.next[n] = -1
	}
	p.journal.add(assigned, event{Partitions: len(list)})
}

func (p *positions) remove(k kind, list []int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range list {
		delete(p.next, n)
	}
	p.journal.add(k, event{Partitions: len(list)})
}

// read takes what was fetched; of partitions that are not the member's any more nothing counts.
func (p *positions) read(fetches kgo.Fetches) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fetches.EachPartition(func(f kgo.FetchTopicPartition) {
		if _, owned := p.next[f.Partition]; !owned || len(f.Records) == 0 {
			return
		}
		from, to := f.Records[0].Offset, f.Records[len(f.Records)-1].Offset+1
		p.next[f.Partition] = to
		p.journal.add(records, event{Partition: f.Partition, From: from, To: to})
	})
}

// toCommit is the positions of the partitions of which something was read.
func (p *positions) toCommit() map[int32]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Clone(p.next)
	maps.DeleteFunc(all, func(_ int32, next int64) bool { return next < 0 })
	return all
}
