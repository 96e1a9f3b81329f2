package franz

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// route says which connection to a broker a request takes. A broker answers the requests of one connection one after the
// other, so what it may answer late must not stand before what it answers at once.
type route uint8

const (
	prompt     route = iota // answered at once: all share one connection
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
	conn   connection

	// Of the mutex of home.
	users int
	spent bool        // closes when its last user has gone
	rest  *time.Timer // closes it when it has had no user for a while
}

func newLink(b *broker, r route) (*link, error) {
	l := &link{home: b, route: r}
	cl, err := b.settings.client(b.addr, &l.conn)
	if err != nil {
		return nil, err
	}
	l.cl, l.broker = cl, cl.SeedBrokers()[0]
	return l, nil
}

// give ends the use of the link by one request.
func (l *link) give(spent bool) { l.home.give(l, spent) }

// connection is a hook that knows whether a link has a connection that can carry requests.
type connection struct{ open atomic.Int32 }

var _ interface {
	kgo.HookBrokerConnect
	kgo.HookBrokerDisconnect
} = (*connection)(nil)

// OnBrokerConnect is called when versions and credentials have been exchanged, or when that has failed: then
// OnBrokerDisconnect has been called before.
func (c *connection) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, conn net.Conn, _ error) {
	if conn != nil {
		c.open.Add(1)
	}
}

// OnBrokerDisconnect may be called when the connection's successor is open already.
func (c *connection) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) { c.open.Add(-1) }

func (c *connection) up() bool { return c.open.Load() > 0 }
