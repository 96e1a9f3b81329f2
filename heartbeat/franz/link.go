package franz

import (
	"net"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// route says which connection to a broker a request takes. A broker answers the requests of one connection one after the
// other, so what it may answer late must not stand before what it answers at once.
type route uint8

const (
	prompt     route = iota // Heartbeat, answered at once: all share one connection, and a second one when that is silent
	leaving                 // LeaveGroup, answered at once, also when a heartbeat hangs: all share one connection
	replicated              // OffsetCommit, answered when the replicas have it: all share one connection
	held                    // JoinGroup and SyncGroup, answered when other members have sent theirs: each has one
)

// link is a franz-go client that knows a single broker. franz-go opens one connection for JoinGroup and SyncGroup, and
// one for the rest; the requests of a route take one of the two.
type link struct {
	cl     *kgo.Client
	broker *kgo.Broker
	home   *broker
	route  route
	spread float64 // in [0, 1): the part of the longest delay by which this link opens a second one later
	conn   connection

	// Of the mutex of home.
	users    int
	patience time.Duration // nine tenths of the longest time limit of a request that took the link
	spent    bool          // closes when its last user has gone
	rest     *time.Timer   // closes it when it has had no user for a while
}

func newLink(b *broker, r route) (*link, error) {
	l := &link{home: b, route: r, spread: b.settings.random.float64()}
	cl, err := b.settings.client(b.addr, &l.conn)
	if err != nil {
		return nil, err
	}
	l.cl, l.broker = cl, cl.SeedBrokers()[0]
	return l, nil
}

// use counts one more user of the link, which has limit for its answer. A request is written a little later than its time
// begins, so a part of the limit is left out of the patience.
func (l *link) use(limit time.Duration) *link {
	if l.rest != nil {
		l.rest.Stop() // if it has just run out, rested sees that the link is in use
	}
	l.users++
	l.patience = max(l.patience, limit-limit/10)
	return l
}

// give ends the use of the link by one request.
func (l *link) give(use use) { l.home.give(l, use) }

// use is how a link served one request.
type use struct {
	failed      bool          // the connection did
	unconnected time.Duration // how long the request waited for a connection in vain
	second      bool          // the link was the second one of the request
}

// dead reports whether the connection has answered nothing, or has not come about, for so long that new requests need another
// one. One request's time limit does not decide that, because members with longer limits share the link: the oldest
// unanswered request must have waited for the longest limit of all. For commits that is not enough. On a new connection a commit could overtake
// the one that is unanswered, and be overwritten by it; and where the broker answers nobody, a new connection is no better.
// So theirs is dead only if the broker has answered on other connections late in that time.
//
// It is called with the mutex of home held.
func (l *link) dead(u use) bool {
	if l.route == held || u.second { // of two connections the older one is given up
		return false
	}
	if u.unconnected > 0 && u.unconnected >= l.patience {
		return true
	}
	if silence := l.conn.silence(); silence == 0 || silence < l.patience {
		return false
	}
	return l.route != replicated || l.home.heardWithin(l.patience/2)
}

// connection is a hook that knows whether a link has a connection that can carry requests, and which of the requests that
// it carried are not answered yet. They are those that franz-go has written, whether or not a caller still waits.
type connection struct {
	mu         sync.Mutex
	open       int
	unanswered []time.Time // when each unanswered request was written, oldest first: a broker answers in order
	heard      time.Time   // when the last answer came
}

var _ interface {
	kgo.HookBrokerConnect
	kgo.HookBrokerDisconnect
	kgo.HookBrokerWrite
	kgo.HookBrokerRead
} = (*connection)(nil)

// OnBrokerConnect is called when versions and credentials have been exchanged, or when that has failed: then
// OnBrokerDisconnect has been called before. What was written before the connection was begun went over its predecessor.
func (c *connection) OnBrokerConnect(_ kgo.BrokerMetadata, took time.Duration, conn net.Conn, _ error) {
	if conn == nil {
		return
	}
	began := time.Now().Add(-took)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open++
	c.unanswered = slices.DeleteFunc(c.unanswered, func(written time.Time) bool { return written.Before(began) })
}

// OnBrokerDisconnect may be called when the connection's successor is open already.
func (c *connection) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open--; c.open <= 0 {
		c.unanswered = nil
	}
}

// OnBrokerWrite is called before the answer can be read.
func (c *connection) OnBrokerWrite(_ kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unanswered = append(c.unanswered, time.Now())
}

// OnBrokerRead is called when an answer is there, or when none will come.
func (c *connection) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, _ int, _, _ time.Duration, err error) {
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard = time.Now()
	if len(c.unanswered) > 0 {
		c.unanswered = c.unanswered[1:]
	}
}

func (c *connection) up() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open > 0
}

// silence is how long the oldest unanswered request has waited; 0 if there is none.
func (c *connection) silence() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.unanswered) == 0 {
		return 0
	}
	return time.Since(c.unanswered[0])
}

// heardWithin reports whether an answer has come in the last d.
func (c *connection) heardWithin(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.heard.IsZero() && time.Since(c.heard) <= d
}
