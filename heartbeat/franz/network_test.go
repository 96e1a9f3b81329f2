package franz

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// network is what a test in virtual time connects over.
type network struct {
	kfake.VirtualNetwork
	t *testing.T
}

func newNetwork(t *testing.T) *network { return &network{t: t} }

// cluster runs kfake on ports 9001 and on.
func (n *network) cluster(brokers int, opts ...kfake.Opt) *kfake.Cluster {
	ports := make([]int, brokers)
	for i := range ports {
		ports[i] = 9001 + i
	}
	c, err := kfake.NewCluster(append([]kfake.Opt{kfake.ListenFn(n.Listen), kfake.Ports(ports...)}, opts...)...)
	require.NoError(n.t, err)
	n.t.Cleanup(c.Close)
	return c
}

// client is a client as a user configures it.
func (n *network) client(opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.Dialer(n.DialContext), kgo.SeedBrokers("localhost:9001"), kgo.DisableClientMetrics(),
	}, opts...)...)
	require.NoError(n.t, err)
	n.t.Cleanup(cl.Close)
	return cl
}

// stub is a broker that a test writes itself. It answers ApiVersions by versions, and the rest by answer.
type stub struct {
	versions []kmsg.ApiVersionsResponseApiKey // nil: of all that kmsg has
	// answer is called for each request but ApiVersions, with what is to be answered as a frame without its length. It
	// may write to conn instead, and returns nil then.
	answer func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte

	mu   sync.Mutex
	seen map[kmsg.Key]int // requests
	cxns int
}

// serve runs the stub on a port until the test ends.
func (n *network) serve(port int, s *stub) (addr string) {
	s.seen = map[kmsg.Key]int{}
	return n.accept(port, func(conn net.Conn) {
		s.mu.Lock()
		s.cxns++
		s.mu.Unlock()
		s.talk(conn)
	})
}

// accept hands each connection to a port to handle, and closes it when the test ends.
func (n *network) accept(port int, handle func(net.Conn)) (addr string) {
	l, err := n.Listen("tcp", fmt.Sprintf("localhost:%d", port))
	require.NoError(n.t, err)
	var conns sync.WaitGroup
	done := make(chan struct{})
	conns.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { handle(conn) })
			conns.Go(func() {
				<-done
				conn.Close()
			})
		}
	})
	n.t.Cleanup(func() {
		l.Close()
		close(done)
		conns.Wait()
	})
	return fmt.Sprintf("localhost:%d", port)
}

func (s *stub) talk(conn net.Conn) {
	defer conn.Close()
	for {
		body := readFrame(conn)
		if body == nil {
			return
		}
		key := kmsg.Key(binary.BigEndian.Uint16(body))
		version := int16(binary.BigEndian.Uint16(body[2:]))
		correlation := int32(binary.BigEndian.Uint32(body[4:]))
		s.mu.Lock()
		s.seen[key]++
		s.mu.Unlock()
		var answer []byte
		if key == kmsg.ApiVersions {
			answer = s.apiVersions(version, correlation)
		} else {
			answer = s.answer(conn, key, version, correlation)
		}
		if answer != nil {
			_, _ = conn.Write(frame(answer))
		}
	}
}

// readFrame is nil when the connection has ended.
func readFrame(conn net.Conn) []byte {
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(conn, body); err != nil {
		return nil
	}
	return body
}

func (s *stub) apiVersions(version int16, correlation int32) []byte {
	r := kmsg.NewApiVersionsResponse()
	r.Version = version
	r.ApiKeys = s.versions
	if r.ApiKeys == nil {
		for key := range int16(kmsg.MaxKey + 1) {
			if req := kmsg.RequestForKey(key); req != nil {
				r.ApiKeys = append(r.ApiKeys, speaks(kmsg.Key(key), 0, req.MaxVersion()))
			}
		}
	}
	return r.AppendTo(binary.BigEndian.AppendUint32(nil, uint32(correlation)))
}

func (s *stub) count(key kmsg.Key) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[key]
}

func (s *stub) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cxns
}

func speaks(key kmsg.Key, least, most int16) kmsg.ApiVersionsResponseApiKey {
	k := kmsg.NewApiVersionsResponseApiKey()
	k.ApiKey, k.MinVersion, k.MaxVersion = key.Int16(), least, most
	return k
}

func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// alive answers a request without an error, and with nothing in the answer.
func alive(_ net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
	r := key.Response()
	r.SetVersion(version)
	header := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if r.IsFlexible() {
		header = append(header, 0)
	}
	return r.AppendTo(header)
}

// beat is a Heartbeat to node 1.
func beat(timeout time.Duration) heartbeat.Request {
	return heartbeat.Request{ID: 1, API: classic.InputHeartbeat, Node: 1, Timeout: timeout, Group: "g", Member: "m", Generation: 1}
}

// stopped is a broker under SIGSTOP: its kernel takes connections and requests, and it answers them when it goes on.
type stopped struct {
	mu      sync.Mutex
	on      bool
	pending map[net.Conn][][]byte
}

func (s *stopped) answer(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
	return s.hold(conn, alive(conn, key, version, correlation))
}

// hold is an answer if the broker goes on; else it is kept.
func (s *stopped) hold(conn net.Conn, answer []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.on {
		return answer
	}
	if s.pending == nil {
		s.pending = map[net.Conn][][]byte{}
	}
	s.pending[conn] = append(s.pending[conn], answer)
	return nil
}

// goOn answers what has come, each connection in order.
func (s *stopped) goOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.on = true
	for conn, answers := range s.pending {
		for _, answer := range answers {
			_, _ = conn.Write(frame(answer))
		}
	}
	s.pending = nil
}
