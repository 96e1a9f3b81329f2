package franz

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// standing is what lookups have learned of a broker.
type standing struct {
	answered time.Time            // last
	failed   time.Time            // last; zero if it has answered since
	owes     map[string]time.Time // by group: since when it has not answered
}

// owing reports whether an answer of the broker is overdue.
func (s *standing) owing() bool {
	for _, since := range s.owes {
		if time.Since(since) >= overdue {
			return true
		}
	}
	return false
}

// choose is the broker that a lookup asks next; nil when all have been asked. First come those that have answered a lookup,
// the latest first, then those that are not known, then those that do not answer the heartbeats or other lookups, hold a
// JoinGroup or SyncGroup of the group, or have failed, the earliest failure first. A broker that owes an earlier lookup an answer about the same group is not asked again:
// that answer counts for the lookup under way. The client's seeds are asked where the brokers behind them are not known, or
// have all failed: they are the same brokers under other names.
func (l *lookups) choose(q *lookup) (*kgo.Broker, error) {
	if l.closed {
		return nil, kgo.ErrClientClosed
	}
	if l.cl == nil {
		cl, err := l.settings.finder(&l.addresses)
		if err != nil {
			return nil, err
		}
		l.cl = cl
	}
	brokers := l.cl.DiscoveredBrokers()
	if n := uint64(len(brokers)); n > 0 {
		at := l.first % n
		brokers = slices.Concat(brokers[at:], brokers[:at])
	}
	if !slices.ContainsFunc(brokers, func(b *kgo.Broker) bool { return l.standing(*b).failed.IsZero() }) {
		brokers = append(brokers, l.cl.SeedBrokers()...)
	}
	brokers = slices.DeleteFunc(brokers, func(b *kgo.Broker) bool {
		_, asked := q.asked[*b]
		_, owes := l.standing(*b).owes[q.request.Group]
		return asked || owes
	})
	if len(brokers) == 0 {
		return nil, nil
	}
	unsure := map[kgo.Broker]bool{}
	for _, node := range l.unsure(q.request.Group, overdue) {
		unsure[*l.cl.Broker(int(node))] = true
	}
	rank := func(b *kgo.Broker) int {
		switch s := l.standing(*b); {
		case unsure[*b], s.owing(), !s.failed.IsZero():
			return 2
		case s.answered.IsZero():
			return 1
		}
		return 0
	}
	return slices.MinFunc(brokers, func(a, b *kgo.Broker) int {
		x, y := l.standing(*a), l.standing(*b)
		return cmp.Or(cmp.Compare(rank(a), rank(b)), x.failed.Compare(y.failed), y.answered.Compare(x.answered))
	}), nil
}

func (l *lookups) standing(b kgo.Broker) *standing {
	s := l.known[b]
	if s == nil {
		s = &standing{owes: map[string]time.Time{}}
		l.known[b] = s
	}
	return s
}

// asks notes that the broker was asked about a group. What it returns is called when it has answered, or failed.
func (l *lookups) asks(b kgo.Broker, group string) (settle func(answered bool)) {
	s, since := l.standing(b), time.Now()
	s.owes[group] = since
	return func(answered bool) {
		if s.owes[group] == since { // else it was asked again
			delete(s.owes, group)
		}
		if !answered {
			s.failed = time.Now()
			return
		}
		s.answered, s.failed = time.Now(), time.Time{}
		if !l.learned && !l.closed {
			l.learned = true
			l.cl.ForceMetadataRefresh() // in franz-go's own goroutine; from then on it refreshes by itself
		}
	}
}

// addresses is a hook that knows where the brokers are that the client has connected to.
type addresses struct {
	mu   sync.Mutex
	list map[int32]string
}

var _ interface {
	kgo.HookBrokerConnect
	kgo.HookBrokerWrite
} = (*addresses)(nil)

// OnBrokerConnect is called also where the connection did not come about.
func (a *addresses) OnBrokerConnect(meta kgo.BrokerMetadata, _ time.Duration, _ net.Conn, _ error) {
	a.add(meta)
}

// OnBrokerWrite is called before OnBrokerConnect for the first request of a connection.
func (a *addresses) OnBrokerWrite(meta kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, _ error) {
	a.add(meta)
}

func (a *addresses) add(meta kgo.BrokerMetadata) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.list == nil {
		a.list = map[int32]string{}
	}
	a.list[meta.NodeID] = net.JoinHostPort(meta.Host, strconv.Itoa(int(meta.Port)))
}

// of is where a broker of cl is. Before anything was tried there it is not known.
func (a *addresses) of(cl *kgo.Client, b kgo.Broker) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	for node, addr := range a.list {
		if *cl.Broker(int(node)) == b {
			return addr
		}
	}
	return "a broker that is not connected"
}
