package franz

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
)

// tcpOptions are what keepAlive decides by.
type tcpOptions struct{ on, idle, interval, count, unacknowledged int }

// shortened is how long a connection lives that nobody answers.
var shortened = tcpOptions{on: 1, idle: 10, interval: 5, count: 3, unacknowledged: 25_000}

func tcpOptionsOf(t *testing.T, conn net.Conn) (o tcpOptions) {
	if above, ok := conn.(*tls.Conn); ok {
		conn = above.NetConn()
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		for _, x := range []struct {
			to            *int
			level, option int
		}{
			{&o.on, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}, {&o.idle, syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE},
			{&o.interval, syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL}, {&o.count, syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT},
			{&o.unacknowledged, syscall.IPPROTO_TCP, tcpUserTimeout},
		} {
			var err error
			*x.to, err = syscall.GetsockoptInt(int(fd), x.level, x.option)
			require.NoError(t, err)
		}
	}))
	return o
}

// dialed is a hook that keeps the connections.
type dialed struct {
	mu    sync.Mutex
	conns []net.Conn
}

func (d *dialed) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, conn net.Conn, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conns = append(d.conns, conn)
}

// A connection whose other side is gone ends soon, that of a JoinGroup too. What a user's dialer has said about it counts.
func TestConnectionsAreKeptAlive(t *testing.T) {
	authority, certificate := certificates(t)
	none := func(d *net.Dialer) { d.KeepAlive = -1 }
	own := func(d *net.Dialer) { d.KeepAliveConfig = net.KeepAliveConfig{Enable: true, Idle: time.Minute} }
	ownLimit := func(d *net.Dialer) {
		d.Control = func(_, _ string, raw syscall.RawConn) error {
			return raw.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, 7000) })
		}
	}
	for name, test := range map[string]struct {
		tls    bool
		dialer func(*net.Dialer) // nil: franz-go's own
		want   tcpOptions
	}{
		"franz-go's dialer":                {want: shortened},
		"franz-go's dialer, with TLS":      {tls: true, want: shortened},
		"a user's that says nothing":       {dialer: func(*net.Dialer) {}, want: shortened},
		"a user's without keepalive":       {dialer: none, want: tcpOptions{0, 7200, 75, 9, 0}},
		"a user's with another keepalive":  {dialer: own, want: tcpOptions{1, 60, 15, 9, 0}},
		"a user's with another time limit": {dialer: ownLimit, want: tcpOptions{1, 15, 15, 9, 7000}},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &dialed{}
			opts := []kgo.Opt{kgo.WithHooks(seen), kgo.DisableClientMetrics()}
			var brokerOpts []kfake.Opt
			if test.tls {
				brokerOpts = append(brokerOpts, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{certificate}}))
				opts = append(opts, kgo.DialTLSConfig(&tls.Config{RootCAs: authority}))
			}
			if test.dialer != nil {
				d := &net.Dialer{}
				test.dialer(d)
				opts = append(opts, kgo.Dialer(d.DialContext))
			}
			cluster, err := kfake.NewCluster(append(brokerOpts, kfake.NumBrokers(1))...)
			require.NoError(t, err)
			defer cluster.Close()
			client, err := kgo.NewClient(append(opts, kgo.SeedBrokers(cluster.ListenAddrs()...))...)
			require.NoError(t, err)
			defer client.Close()
			transport := New(client)
			defer transport.Close()
			transport.learn(1, cluster.ListenAddrs()[0])
			transport.Send(t.Context(), beat(10*time.Second))
			transport.Send(t.Context(), request(classic.InputJoinGroup, 10*time.Second))
			seen.mu.Lock()
			defer seen.mu.Unlock()
			require.Len(t, seen.conns, 2)
			for _, conn := range seen.conns {
				got := tcpOptionsOf(t, conn)
				if test.want.on == 0 {
					got.idle, got.interval, got.count = test.want.idle, test.want.interval, test.want.count // the machine's
				}
				require.Equal(t, test.want, got)
			}
		})
	}
}

// What is no TCP connection is let be.
func TestKeepAliveOfAnotherConnection(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	conn, err := taggingDialer(func(context.Context, string, string) (net.Conn, error) { return ours, nil })(t.Context(), "tcp", "")
	require.NoError(t, err)
	require.Equal(t, ours, conn)
	require.NoError(t, conn.Close())
}
