package franz

import (
	"encoding/binary"
	"net"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// brokers is a cluster of stubs on ports 9001 and on, with the nodes 1 and on. Each can be stopped.
type brokers struct {
	network *network
	stubs   []*stub

	mu          sync.Mutex
	coordinator int32
	code        classic.Code // of FindCoordinator
	stops       []*stopped
	asked       []time.Time // when a FindCoordinator came
}

func newBrokers(n *network, number int) *brokers {
	c := &brokers{network: n, coordinator: 1}
	for i := range number {
		c.stops = append(c.stops, &stopped{on: true})
		s := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			return c.stops[i].hold(conn, c.answer(conn, key, version, correlation))
		}}
		c.stubs = append(c.stubs, s)
		n.serve(9001+i, s)
	}
	return c
}

func (c *brokers) answer(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	header := append(binary.BigEndian.AppendUint32(nil, uint32(correlation)), 0)
	switch key {
	case kmsg.Metadata:
		r := kmsg.NewPtrMetadataResponse()
		r.Version = version
		for i := range c.stubs {
			b := kmsg.NewMetadataResponseBroker()
			b.NodeID, b.Host, b.Port = int32(i+1), "localhost", int32(9001+i)
			r.Brokers = append(r.Brokers, b)
		}
		return r.AppendTo(header)
	case kmsg.FindCoordinator:
		c.asked = append(c.asked, time.Now())
		answer := kmsg.NewFindCoordinatorResponseCoordinator()
		answer.Key, answer.NodeID, answer.Host, answer.Port = "g", c.coordinator, "localhost", 9000+c.coordinator
		answer.ErrorCode = int16(c.code)
		r := &kmsg.FindCoordinatorResponse{Version: version, Coordinators: []kmsg.FindCoordinatorResponseCoordinator{answer}}
		return r.AppendTo(header)
	}
	return alive(conn, key, version, correlation)
}

func (c *brokers) answers(coordinator int32, code classic.Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.coordinator, c.code = coordinator, code
}

// stop is a SIGSTOP of a node.
func (c *brokers) stop(node int32) {
	s := c.stops[node-1]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = false
}

func (c *brokers) goOn(node int32) { c.stops[node-1].goOn() }

// count is how many requests have come to all nodes.
func (c *brokers) count(key kmsg.Key) (n int) {
	for _, s := range c.stubs {
		n += s.count(key)
	}
	return n
}

// lookups is how many FindCoordinators have come to a node; of all nodes for 0.
func (c *brokers) lookups(node int32) (n int) {
	for i, s := range c.stubs {
		if node == 0 || int(node) == i+1 {
			n += s.count(kmsg.FindCoordinator)
		}
	}
	return n
}

// transport is one that knows all nodes, by its first lookup a while ago.
func (c *brokers) transport(opts ...kgo.Opt) *Transport {
	t := New(c.network.client(opts...), WithSeed(1))
	r := t.Send(c.network.t.Context(), lookUp)
	require.Equal(c.network.t, classic.CodeNone, r.Code, "%v", r.Err)
	time.Sleep(time.Minute)
	c.mu.Lock()
	c.asked = nil
	c.mu.Unlock()
	return t
}
