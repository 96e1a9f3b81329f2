package franz

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/kbeat/kbeat/heartbeat"
)

// ledger is who works on which partition, as the members' callbacks say.
type ledger struct {
	t     *testing.T
	mu    sync.Mutex
	owner map[string]string
	taken map[string]int // how often each member was given a partition

	uncommitted []error // of commits before a partition was let go of
}

func newLedger(t *testing.T) *ledger {
	return &ledger{t: t, owner: map[string]string{}, taken: map[string]int{}}
}

func (l *ledger) add(name string, p Partitions) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for topic, partitions := range p {
		for _, n := range partitions {
			key := fmt.Sprint(topic, n)
			if before := l.owner[key]; before != "" {
				l.t.Errorf("%s is given to %s while %s works on it", key, name, before)
			}
			l.owner[key] = name
			l.taken[name]++
		}
	}
}

func (l *ledger) remove(name string, p Partitions) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for topic, partitions := range p {
		for _, n := range partitions {
			key := fmt.Sprint(topic, n)
			if l.owner[key] != name {
				l.t.Errorf("%s is taken from %s, but is %q's", key, name, l.owner[key])
			}
			delete(l.owner, key)
		}
	}
}

// commit commits an offset of each partition, which must still be the member's.
func (l *ledger) commit(ctx context.Context, s *heartbeat.Session, p Partitions) {
	var offsets []heartbeat.Offset
	for topic, partitions := range p {
		for _, n := range partitions {
			offsets = append(offsets, heartbeat.Offset{Topic: topic, Partition: n, Offset: 1, LeaderEpoch: -1})
		}
	}
	if err := s.Commit(ctx, offsets); err != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.uncommitted = append(l.uncommitted, err)
	}
}

// shares is how many partitions each has.
func (l *ledger) shares() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	shares := map[string]int{}
	for _, name := range l.owner {
		shares[name]++
	}
	return shares
}
