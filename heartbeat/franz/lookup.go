package franz

import (
	"context"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// lookups asks any broker for coordinators, by a franz-go client that knows the whole cluster and, as franz-go clients
// do, refreshes what it knows.
type lookups struct {
	settings settings

	mu      sync.Mutex
	cl      *kgo.Client // nil before the first lookup
	closed  bool
	learned bool // the client has been told to discover the brokers behind its seeds
	turn    int
	failed  map[kgo.Broker]struct{} // since when all had failed
}

func (l *lookups) ask(ctx context.Context, out *outgoing) (kmsg.Response, ending) {
	b, err := l.next()
	if err != nil {
		return nil, ending{code: classic.CodeDisconnect, err: err}
	}
	answer, end := exchange(ctx, b, l.settings, out, unknown)
	if end.err == nil || ctx.Err() != context.Canceled { // that the caller has given up says nothing of the broker
		l.note(b, end.err == nil)
	}
	return answer, end
}

// unknown is what is known of the connections for lookups: nothing is decided by it.
func unknown() bool { return false }

// next is the next broker in turn, without those that have failed while there are others.
func (l *lookups) next() (*kgo.Broker, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, kgo.ErrClientClosed
	}
	if l.cl == nil {
		cl, err := l.settings.finder()
		if err != nil {
			return nil, err
		}
		l.cl, l.failed = cl, map[kgo.Broker]struct{}{}
	}
	brokers := append(l.cl.DiscoveredBrokers(), l.cl.SeedBrokers()...)
	for range brokers {
		b := brokers[l.turn%len(brokers)]
		l.turn++
		if _, failed := l.failed[*b]; !failed {
			return b, nil
		}
	}
	clear(l.failed)
	b := brokers[l.turn%len(brokers)]
	l.turn++
	return b, nil
}

func (l *lookups) note(b *kgo.Broker, answered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !answered {
		l.failed[*b] = struct{}{}
		return
	}
	if !l.learned && !l.closed {
		l.learned = true
		l.cl.ForceMetadataRefresh() // in franz-go's own goroutine; from then on it refreshes by itself
	}
}

func (l *lookups) close() {
	l.mu.Lock()
	l.closed = true
	cl := l.cl
	l.mu.Unlock()
	if cl != nil {
		cl.Close()
	}
}
