package franz

import (
	"context"
	"encoding/binary"
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

// A dial can hang for longer than a request may take, at an address that nobody has any more. The coordinator is as lost
// as one that refuses the connection, for those as well that have waited behind the one that dialled.
func TestAConnectionThatIsNeverEstablished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		hanging := func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		transport := New(n.client(kgo.Dialer(hanging)))
		transport.learn(1, "localhost:9099")
		began := time.Now()
		ends := make(chan heartbeat.Response)
		for range 2 {
			go func() { ends <- transport.Send(t.Context(), beat(3*time.Second)) }()
		}
		for range 2 {
			r := <-ends
			require.Equal(t, classic.CodeDisconnect, r.Code, "%v", r.Err)
			require.Equal(t, 3*time.Second, time.Since(began))
		}
	})
}

// A connection that was there once is none: franz-go dials again, and that can hang too.
func TestAConnectionThatIsNotEstablishedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		var hangs atomic.Bool
		dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
			if hangs.Load() {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return n.DialContext(ctx, network, addr)
		}
		transport := New(n.client(kgo.Dialer(dial)))
		transport.learn(1, n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if hangs.Swap(true) {
				conn.Close()
				return nil
			}
			return alive(conn, key, version, correlation)
		}}))
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(3*time.Second)).Code)
		for range 2 { // the first is cut off, and may be on its way; the second is not sent
			r := transport.Send(t.Context(), beat(3*time.Second))
			require.Equal(t, classic.CodeDisconnect, r.Code, "%v", r.Err)
		}
	})
}

// A broker that throttles a client tells it to wait before it sends again (KIP-219). It is well: who could not send in
// time has not lost it, nor has who has waited behind that one.
func TestARequestThatHasToWaitForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		throttling := &stub{answer: func(_ net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			r := &kmsg.HeartbeatResponse{Version: version, ThrottleMillis: 60_000}
			return r.AppendTo(append(binary.BigEndian.AppendUint32(nil, uint32(correlation)), 0))
		}}
		transport := New(n.client())
		transport.learn(1, n.serve(9099, throttling))
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		ends := make(chan heartbeat.Response)
		for range 2 {
			go func() { ends <- transport.Send(t.Context(), beat(3*time.Second)) }()
		}
		for range 2 {
			r := <-ends
			require.Equal(t, classic.CodeSendTimeout, r.Code, "%v", r.Err)
		}
		require.Equal(t, 1, throttling.count(kmsg.Heartbeat))
	})
}

// What cannot be reached is named, with the cause.
func TestABrokerThatCannotBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		dial := func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "broker-1.example", IsNotFound: true}}
		}
		transport := New(n.client(kgo.Dialer(dial)))
		transport.learn(1, "broker-1.example:9092")
		for _, api := range []classic.Input{classic.InputHeartbeat, classic.InputJoinGroup, classic.InputOffsetCommit, classic.InputLeaveGroup} {
			r := beatAgain()
			r.API = api
			end := transport.Send(t.Context(), r)
			require.Equal(t, classic.CodeDisconnect, end.Code)
			require.ErrorContains(t, end.Err, api.String()+" to broker-1.example:9092 was not sent: ")
			require.ErrorContains(t, end.Err, "lookup broker-1.example: no such host")
			requireNoCode(t, end.Err.Error())
		}
		end := find(t, transport)
		require.Equal(t, classic.CodeDisconnect, end.Code)
		require.ErrorContains(t, end.Err, "FindCoordinator to localhost:9001 was not sent: ")
		require.ErrorContains(t, end.Err, "no such host")
	})
}

// A dial that hangs says where to, and for how long.
func TestABrokerThatIsNotConnectedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		hanging := func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		transport := New(n.client(kgo.Dialer(hanging)))
		transport.learn(1, "localhost:9099")
		end := transport.Send(t.Context(), beat(3*time.Second))
		require.ErrorContains(t, end.Err, "Heartbeat to localhost:9099 was not sent: there was no connection for 3s: ")
		end = transport.Send(t.Context(), lookUp)
		require.ErrorContains(t, end.Err, "FindCoordinator to any broker was not sent: no answer from ")
	})
}
