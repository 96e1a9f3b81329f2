package franz

import (
	"context"
	"io"
	"net"
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

var lookUp = heartbeat.Request{API: classic.InputFindCoordinator, Node: heartbeat.AnyBroker, Timeout: time.Minute, Group: "g"}

func find(t *testing.T, transport *Transport) heartbeat.Response {
	return transport.Send(t.Context(), lookUp)
}

// names answers FindCoordinator by node and addr.
func names(node int32, port int32) func(net.Conn, kmsg.Key, int16, int32) []byte {
	return func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
		if key != kmsg.FindCoordinator {
			return alive(conn, key, version, correlation)
		}
		r := &kmsg.FindCoordinatorResponse{Version: version, Coordinators: []kmsg.FindCoordinatorResponseCoordinator{
			{Key: "g", NodeID: node, Host: "localhost", Port: port},
		}}
		return r.AppendTo([]byte{byte(correlation >> 24), byte(correlation >> 16), byte(correlation >> 8), byte(correlation), 0})
	}
}

// A bootstrap broker that is dead or hung costs no lookup: the next one is asked, and the other is not asked again.
func TestALookupPrefersBrokersThatHaveNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1)
		hung := &stub{answer: silent}
		n.serve(9080, hung)
		transport := New(n.client(
			kgo.SeedBrokers("localhost:9070", "localhost:9080", "localhost:9001"), // dead, hung, well
			kgo.RequestTimeoutOverhead(5*time.Second),
		))
		began := time.Now()
		for range 20 {
			r := find(t, transport)
			require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
			if time.Since(began) < time.Second {
				require.Equal(t, overdue, time.Since(began), "how long the hung broker has before the next one is asked")
			}
			time.Sleep(time.Minute)
		}
		require.Equal(t, 1, hung.count(kmsg.FindCoordinator))
	})
}

// A lookup that its caller gives up says nothing of the broker, which would be passed over from then on.
func TestALookupThatIsGivenUpIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		slow := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			time.Sleep(2 * time.Second)
			return names(1, 9001)(conn, key, version, correlation)
		}}
		n.serve(9001, slow)
		transport := New(n.client(kgo.SeedBrokers("localhost:9001", "localhost:9002")))
		for range 2 { // one of them goes to 9001
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			transport.Send(ctx, lookUp)
		}
		require.Equal(t, 1, slow.count(kmsg.FindCoordinator))
		for range 3 {
			r, _ := findSoon(t, transport) // an answer that takes 2 s counts for the next lookup
			require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		}
	})
}

// When all have failed, all are tried again: a cluster that was away is found when it is back.
func TestALookupGoesOnAfterAllBrokersHaveFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		transport := New(n.client(kgo.SeedBrokers("localhost:9001", "localhost:9002")))
		for range 5 {
			require.Equal(t, classic.CodeDisconnect, find(t, transport).Code)
		}
		n.cluster(2)
		require.Equal(t, classic.CodeNone, find(t, transport).Code)
	})
}

// The brokers behind the seeds are known after the first lookup, so the seeds may go.
func TestALookupOutlivesTheBootstrapBrokers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(3)
		var gone atomic.Bool
		n.accept(9080, func(conn net.Conn) {
			defer conn.Close()
			if gone.Load() {
				return
			}
			broker, err := n.DialContext(t.Context(), "tcp", "localhost:9001")
			if err != nil {
				return
			}
			go func() {
				defer broker.Close()
				_, _ = io.Copy(broker, conn)
			}()
			_, _ = io.Copy(conn, broker)
		})
		transport := New(n.client(kgo.SeedBrokers("localhost:9080"), kgo.ConnIdleTimeout(10*time.Second)))
		require.Equal(t, classic.CodeNone, find(t, transport).Code)
		time.Sleep(time.Minute) // the connection to the seed is closed for lack of use
		gone.Store(true)
		var failed int
		for range 10 {
			if r := find(t, transport); r.Code != classic.CodeNone {
				failed++
			}
		}
		require.LessOrEqual(t, failed, 1, "failed lookups: the brokers that the seed has told of must be asked")
	})
}

// A coordinator is where the last FindCoordinator says, whatever franz-go's metadata hold.
func TestACoordinatorThatHasMoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var port atomic.Int32
		port.Store(9091)
		finder := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			return names(1, port.Load())(conn, key, version, correlation)
		}}
		before, after := &stub{answer: alive}, &stub{answer: alive}
		n.serve(9001, finder)
		n.serve(9091, before)
		n.serve(9092, after)
		transport := New(n.client())
		require.Equal(t, classic.CodeNone, find(t, transport).Code)
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		port.Store(9092)
		require.Equal(t, classic.CodeNone, find(t, transport).Code)
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		require.Equal(t, []int{1, 1}, []int{before.count(kmsg.Heartbeat), after.count(kmsg.Heartbeat)})
	})
}

// A broker that was restarted where it was has closed all connections; franz-go notices when it next uses one.
func TestACoordinatorThatWasRestarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var generation atomic.Int32
		n.accept(9099, func(conn net.Conn) {
			mine := generation.Load()
			(&stub{seen: map[kmsg.Key]int{}, answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
				if mine != generation.Load() {
					conn.Close()
					return nil
				}
				return alive(conn, key, version, correlation)
			}}).talk(conn)
		})
		transport := New(n.client())
		transport.learn(1, "localhost:9099")
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		generation.Add(1)
		require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), beat(time.Second)).Code)
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
	})
}
