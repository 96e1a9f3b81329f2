package franz

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// broker is the connections to one address.
type broker struct {
	addr     string
	settings settings

	mu     sync.Mutex
	closed bool
	shared *link              // carries what a broker answers at once; nil when there is none
	lanes  []*link            // each has carried a request that was held, and is free for another; the last used is last
	links  map[*link]struct{} // all that are open
}

// link is a franz-go client that knows a single broker. franz-go opens one connection for JoinGroup and SyncGroup, and
// one for the rest; a link is used for one of the two.
type link struct {
	cl     *kgo.Client
	broker *kgo.Broker

	// Of the mutex of the broker.
	users int
	spent bool        // closes when its last user has gone
	rest  *time.Timer // closes it when it has had no user for a while
}

func newBroker(addr string, s settings) *broker {
	return &broker{addr: addr, settings: s, links: map[*link]struct{}{}}
}

// take is a link for one request. A held one has its link for itself.
func (b *broker) take(held bool) (*link, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, kgo.ErrClientClosed
	}
	l := b.shared
	if held {
		l = nil
		if n := len(b.lanes); n > 0 {
			l, b.lanes = b.lanes[n-1], b.lanes[:n-1]
		}
	}
	if l == nil {
		cl, err := b.settings.client(b.addr)
		if err != nil {
			return nil, err
		}
		l = &link{cl: cl, broker: cl.SeedBrokers()[0]}
		b.links[l] = struct{}{}
		if !held {
			b.shared = l
		}
	}
	if l.rest != nil {
		l.rest.Stop() // if it has just run out, rested sees that the link is in use
	}
	l.users++
	return l, nil
}

// give ends the use of a link. A spent one is not taken again: others that use it may end, then it is closed.
func (b *broker) give(l *link, held, spent bool) {
	b.mu.Lock()
	l.users--
	l.spent = l.spent || spent
	if l.spent && b.shared == l {
		b.shared = nil
	}
	unused := l.spent && l.users == 0
	if !l.spent && l.users == 0 && !b.closed {
		if held {
			b.lanes = append(b.lanes, l)
		}
		l.rest = time.AfterFunc(b.settings.rest, func() { b.rested(l) })
	}
	b.mu.Unlock()
	if unused {
		b.shut(l)
	}
}

// rested closes a link that nobody has used for long enough.
func (b *broker) rested(l *link) {
	b.mu.Lock()
	unused := l.users == 0 && !l.spent
	if unused {
		l.spent = true
		if b.shared == l {
			b.shared = nil
		}
		b.lanes = slices.DeleteFunc(b.lanes, func(o *link) bool { return o == l })
	}
	b.mu.Unlock()
	if unused {
		b.shut(l)
	}
}

func (b *broker) shut(l *link) {
	b.mu.Lock()
	_, open := b.links[l]
	delete(b.links, l)
	b.mu.Unlock()
	if open {
		l.cl.Close()
	}
}

// close closes all links, whoever uses them.
func (b *broker) close() {
	b.mu.Lock()
	b.closed = true
	links := slices.Collect(maps.Keys(b.links))
	for _, l := range links {
		if l.rest != nil {
			l.rest.Stop()
		}
	}
	b.mu.Unlock()
	for _, l := range links {
		b.shut(l)
	}
}
