package franz

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// connections numbers the connections that a stub sees requests on, from 1, and knows which of them are open.
type connections struct {
	network *network

	mu     sync.Mutex
	number map[net.Conn]int
	beats  map[int]int // Heartbeats by connection
	dialed []time.Time
	open   atomic.Int32
}

func newConnections(n *network) *connections {
	return &connections{network: n, number: map[net.Conn]int{}, beats: map[int]int{}}
}

func (c *connections) of(conn net.Conn, key kmsg.Key) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.number[conn] == 0 {
		c.number[conn] = len(c.number) + 1
	}
	if key == kmsg.Heartbeat {
		c.beats[c.number[conn]]++
	}
	return c.number[conn]
}

func (c *connections) heartbeats(number int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.beats[number]
}

// dial is a client's dialer.
func (c *connections) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := c.network.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dialed = append(c.dialed, time.Now())
	c.open.Add(1)
	return &counted{Conn: conn, open: &c.open}, nil
}

// beatAgain is a Heartbeat that is sent again after 10 s, and ends after 20 s.
func beatAgain() heartbeat.Request {
	r := beat(20 * time.Second)
	r.Again = 10 * time.Second
	return r
}

// A Heartbeat on a connection that has died without a word is answered on a second one, and the next ones go there at once.
func TestAHeartbeatIsSentAgainOnASecondConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newConnections(n)
		var dead atomic.Bool
		broker := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if c.of(conn, key) == 1 && dead.Load() {
				return nil
			}
			return alive(conn, key, version, correlation)
		}}
		transport := New(n.client(kgo.Dialer(c.dial)))
		transport.learn(1, n.serve(9099, broker))
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beatAgain()).Code)
		dead.Store(true)

		began := time.Now()
		r := transport.Send(t.Context(), beatAgain())
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.GreaterOrEqual(t, time.Since(began), 10*time.Second)
		require.LessOrEqual(t, time.Since(began), 11*time.Second)
		synctest.Wait()
		require.Equal(t, int32(1), c.open.Load(), "the silent connection must be closed when nobody waits on it")

		began = time.Now()
		r = transport.Send(t.Context(), beatAgain())
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Zero(t, time.Since(began), "the second connection must have taken the first one's place")
		require.Equal(t, 2, broker.connections())
		require.Equal(t, []int{2, 2}, []int{c.heartbeats(1), c.heartbeats(2)})
	})
}

// A broker that was stopped answers what it had received. The first connection is open for that answer, and stays in use.
func TestTheFirstConnectionMayStillAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newConnections(n)
		broker := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if c.of(conn, key) != 1 {
				return nil
			}
			if c.heartbeats(1) == 1 {
				time.Sleep(15 * time.Second)
			}
			return alive(conn, key, version, correlation)
		}}
		transport := New(n.client(kgo.Dialer(c.dial)))
		transport.learn(1, n.serve(9099, broker))
		began := time.Now()
		r := transport.Send(t.Context(), beatAgain())
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Equal(t, 15*time.Second, time.Since(began))
		synctest.Wait()
		require.Equal(t, 2, broker.connections())
		require.Equal(t, int32(1), c.open.Load(), "the second connection is of no use any more")
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beatAgain()).Code)
		require.Equal(t, []int{2, 1}, []int{c.heartbeats(1), c.heartbeats(2)})
	})
}

// All members share the second connection as they share the first, and it is opened at another moment in each process: the
// accept queue of a stopped broker is short.
func TestMembersShareTheSecondConnection(t *testing.T) {
	openedAfter := func(seed uint64) (opened time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			c := newConnections(n)
			transport := New(n.client(kgo.Dialer(c.dial)), WithSeed(seed))
			transport.learn(1, n.serve(9099, &stub{answer: silent}))
			began := time.Now()
			const members = 20
			var all sync.WaitGroup
			for range members {
				all.Go(func() {
					r := transport.Send(t.Context(), beatAgain())
					require.Equal(t, classic.CodeDisconnect, r.Code, "%v", r.Err)
				})
			}
			all.Wait()
			require.Equal(t, 20*time.Second, time.Since(began))
			require.Len(t, c.dialed, 2, "connections of %d members", members)
			opened = c.dialed[1].Sub(began)
		})
		return opened
	}
	seen := map[time.Duration]bool{}
	for seed := range uint64(10) {
		opened := openedAfter(seed)
		require.GreaterOrEqual(t, opened, 10*time.Second)
		require.LessOrEqual(t, opened, 11*time.Second)
		require.Equal(t, opened, openedAfter(seed), "the same seed")
		seen[opened] = true
	}
	require.Len(t, seen, 10, "moments at which ten processes open a second connection")
}

// Two members beat while the broker is stopped for a minute: few connections are made, each Heartbeat ends in its time, and
// all are answered at once when the broker goes on.
func TestAStoppedBrokerCostsFewConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newConnections(n)
		broker := &stopped{}
		transport := New(n.client(kgo.Dialer(c.dial)))
		transport.learn(1, n.serve(9099, &stub{answer: broker.answer}))
		time.AfterFunc(time.Minute, broker.goOn)
		began := time.Now()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				for time.Since(began) < time.Minute {
					r := transport.Send(t.Context(), beatAgain())
					if time.Since(began) < time.Minute {
						require.Equal(t, classic.CodeDisconnect, r.Code, "%v", r.Err)
						require.ErrorContains(t, r.Err, "Heartbeat to localhost:9099 was not answered: there was no answer for 20s")
						require.ErrorContains(t, r.Err, "on a second connection")
					}
				}
				require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beatAgain()).Code)
			})
		}
		all.Wait()
		require.Less(t, time.Since(began), 61*time.Second)
		require.LessOrEqual(t, len(c.dialed), 5, "one at the beginning, one more for each 20 s, and one for a link that is dead when it is taken")
		synctest.Wait()
		require.LessOrEqual(t, c.open.Load(), int32(2))
	})
}

// On a connection that is known to be silent a request does not wait again for what others have waited for.
func TestARequestOnASilentConnectionIsSentAgainAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newConnections(n)
		broker := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if c.of(conn, key) == 1 {
				return nil
			}
			return alive(conn, key, version, correlation)
		}}
		transport := New(n.client(kgo.Dialer(c.dial)))
		transport.learn(1, n.serve(9099, broker))
		patient := make(chan heartbeat.Response, 1)
		go func() { patient <- transport.Send(t.Context(), beat(time.Minute)) }()
		time.Sleep(12 * time.Second)
		began := time.Now()
		r := transport.Send(t.Context(), beatAgain())
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.LessOrEqual(t, time.Since(began), time.Second, "the connection had been silent for 12 s already")
		select {
		case <-patient:
			require.Fail(t, "the other member's request was cut off")
		default:
		}
		require.Equal(t, int32(2), c.open.Load(), "the first connection stays open for whoever waits on it")
		transport.Close()
		<-patient
	})
}

// The failure of the second connection ends nothing: the first may still answer.
func TestASecondConnectionThatCannotBeMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var opened atomic.Bool
		dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
			if opened.Swap(true) {
				return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "broker"}}
			}
			return n.DialContext(ctx, network, addr)
		}
		var well atomic.Bool
		transport := New(n.client(kgo.Dialer(dial)))
		transport.learn(1, n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if !well.Load() {
				return nil
			}
			time.Sleep(15 * time.Second)
			return alive(conn, key, version, correlation)
		}}))
		well.Store(true)
		began := time.Now()
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beatAgain()).Code)
		require.Equal(t, 15*time.Second, time.Since(began))
		well.Store(false)
		r := transport.Send(t.Context(), beatAgain())
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorContains(t, r.Err, "no such host")
	})
}

// A Heartbeat without a time for it is sent once.
func TestARequestThatIsNotToBeSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		broker := &stub{answer: silent}
		transport := New(n.client())
		transport.learn(1, n.serve(9099, broker))
		require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), beat(time.Minute)).Code)
		require.Equal(t, 1, broker.connections())
		require.Equal(t, 1, broker.count(kmsg.Heartbeat))
	})
}
