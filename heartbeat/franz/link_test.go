package franz

import (
	"context"
	"maps"
	"net"
	"slices"
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

// A broker answers a commit when the replicas have it, and meanwhile nothing else on the same connection.
func TestACommitThatIsHeldBackDelaysNoHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		replicas := make(chan struct{})
		broker := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if key == kmsg.OffsetCommit {
				<-replicas
			}
			return alive(conn, key, version, correlation)
		}}
		transport := New(n.client())
		transport.learn(1, n.serve(9099, broker))
		commit := beat(time.Minute)
		commit.API = classic.InputOffsetCommit
		const commits = 3
		ends := make(chan heartbeat.Response)
		for range commits {
			go func() { ends <- transport.Send(t.Context(), commit) }()
		}
		synctest.Wait()
		began := time.Now()
		r := transport.Send(t.Context(), beat(time.Second))
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Zero(t, time.Since(began), "the heartbeat has waited for the commits")
		for range commits {
			replicas <- struct{}{}
			r := <-ends
			require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		}
		require.Equal(t, 2, broker.connections(), "one for all commits, and one for heartbeats")
	})
}

// remembered is the addresses of the brokers that a transport has links to.
func remembered(t *Transport) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Keys(t.brokers))
}

// Where brokers are pods, each restart brings an address that was never there before.
func TestAnAddressThatIsUsedNoMoreIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		transport := New(n.client(kgo.ConnIdleTimeout(10 * time.Second)))
		for pod := range 20 {
			addr := n.serve(9100+pod, &stub{answer: alive})
			transport.learn(1, addr)
			for range 3 {
				require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
				time.Sleep(4 * time.Second)
			}
			require.Contains(t, remembered(transport), addr)
			require.LessOrEqual(t, len(remembered(transport)), 2, "brokers that are remembered: this one, and one whose connection rests")
		}
		time.Sleep(11 * time.Second)
		require.Empty(t, remembered(transport))
		transport.learn(1, "localhost:9099") // nobody listens
		require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), beat(time.Second)).Code)
		time.Sleep(11 * time.Second)
		require.Empty(t, remembered(transport))
	})
}

// A broker that loses its last link while a request takes another one is not forgotten with that.
func TestABrokerIsNotForgottenWhileItIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := New(newNetwork(t).client())
		transport.learn(1, "localhost:9099")
		l, err := transport.take(1, prompt, time.Second)
		require.NoError(t, err)
		transport.forget(l.home) // the last link had been shut before this one was taken
		require.Contains(t, remembered(transport), "localhost:9099")
		transport.Close()
		require.Error(t, l.cl.Context().Err(), "a link has outlived its transport")
	})
}

func TestABrokerAtAnAddressThatCannotBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := New(newNetwork(t).client())
		transport.learn(1, "localhost:none")
		r := transport.Send(t.Context(), beat(time.Second))
		require.Equal(t, classic.CodeDisconnect, r.Code)
		require.ErrorContains(t, r.Err, "Heartbeat was not sent: broker 1 at localhost:none: ")
		require.Empty(t, remembered(transport))
	})
}

// Connections are reused while there is use for them, and closed when there has been none for kgo.ConnIdleTimeout.
func TestConnectionsAreKeptAsLongAsTheyAreUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		release := make(chan struct{})
		broker := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if key == kmsg.JoinGroup {
				<-release
			}
			return alive(conn, key, version, correlation)
		}}
		var open atomic.Int32
		dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := n.DialContext(ctx, network, addr)
			if err == nil {
				open.Add(1)
				conn = &counted{conn, &open}
			}
			return conn, err
		}
		transport := New(n.client(kgo.Dialer(dial), kgo.ConnIdleTimeout(10*time.Second)))
		transport.learn(1, n.serve(9099, broker))
		join := beat(time.Minute)
		join.API = classic.InputJoinGroup

		for round := range 3 {
			const members = 5
			ends := make(chan heartbeat.Response)
			for range members {
				go func() { ends <- transport.Send(t.Context(), join) }()
			}
			synctest.Wait()
			for range members {
				release <- struct{}{}
				require.Equal(t, classic.CodeNone, (<-ends).Code)
			}
			require.Equal(t, members, broker.connections(), "connections made by round %d: each held request needs one", round)
		}
		for range 10 {
			time.Sleep(9 * time.Second)
			require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		}
		require.Equal(t, 5+1, broker.connections(), "connections made by the heartbeats: they must share one")
		require.Equal(t, int32(1), open.Load(), "only the heartbeats' connection has been used")
		time.Sleep(21 * time.Second) // franz-go looks for idle connections at intervals of its own
		require.Zero(t, open.Load())
		require.Empty(t, remembered(transport), "clients outlive their connections")
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
	})
}

func TestHeartbeatsThatAreFarApartKeepTheirConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		broker := &stub{answer: alive}
		transport := New(n.client(kgo.ConnIdleTimeout(5 * time.Minute)))
		transport.learn(1, n.serve(9099, broker))
		for range 10 {
			require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
			time.Sleep(4 * time.Minute)
		}
		require.Equal(t, 1, broker.connections())
	})
}

func TestALinkInUseIsNotClosedForLackOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		transport := New(n.client())
		transport.learn(1, "localhost:9099")
		l, err := transport.take(1, prompt, time.Second)
		require.NoError(t, err)
		l.home.rested(l) // its timer had run out when it was taken
		require.NoError(t, l.cl.Context().Err(), "a link that is in use has been closed")
		l.give(use{})
		require.NoError(t, l.cl.Context().Err())
		transport.Close()
		require.Error(t, l.cl.Context().Err())
	})
}

// franz-go says that a request has failed before it has closed the connection, so the next would be sent into its end.
func TestALaneThatFailedIsNotUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		transport := New(n.client())
		transport.learn(1, n.accept(9099, func(conn net.Conn) { conn.Close() }))
		join := beat(time.Second)
		join.API = classic.InputJoinGroup
		require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), join).Code)
		require.Empty(t, remembered(transport), "something is left of the lane")
	})
}

type counted struct {
	net.Conn
	open *atomic.Int32
}

func (c *counted) Close() error {
	c.open.Add(-1)
	return c.Conn.Close()
}
