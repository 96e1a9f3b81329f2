package proxy

import (
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo answers with what it receives.
func echo(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	return l.Addr().String()
}

type caller struct {
	t *testing.T
	net.Conn
}

func dialed(t *testing.T, addr string) caller {
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return caller{t, c}
}

func (c caller) answered(client string) {
	c.t.Helper()
	b := framed(&client)
	_, err := c.Write(b)
	require.NoError(c.t, err)
	require.NoError(c.t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	got := make([]byte, len(b))
	_, err = io.ReadFull(c, got)
	require.NoError(c.t, err)
	require.Equal(c.t, b, got)
}

// unanswered writes, and finds the connection neither answered, nor closed, nor reset.
func (c caller) unanswered(client string) {
	c.t.Helper()
	_, err := c.Write(framed(&client))
	require.NoError(c.t, err)
	require.NoError(c.t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(c.t, err, os.ErrDeadlineExceeded)
}

func TestProxyCutsABrokerOff(t *testing.T) {
	p := New()
	t.Cleanup(p.Close)
	one, err := p.Front(1, echo(t))
	require.NoError(t, err)
	two, err := p.Front(2, echo(t))
	require.NoError(t, err)

	idle, used, peer, other := dialed(t, one), dialed(t, one), dialed(t, two), dialed(t, two)
	idle.answered("member")
	used.answered("member")
	peer.answered("raft-client-1")
	other.answered("member")

	p.Cut(1)
	used.unanswered("member")
	peer.unanswered("raft-client-1")
	during := dialed(t, one)
	during.unanswered("member")
	outward := dialed(t, two)
	outward.unanswered("broker-1-fetcher-0")
	other.answered("member")

	p.Heal()
	used.unanswered("member") // bytes of it are missing
	during.unanswered("member")
	idle.answered("member")
	dialed(t, one).answered("member")
	dialed(t, two).answered("1")

	require.Eventually(t, func() bool {
		seen := 0
		for _, r := range p.Requests() {
			if r.API == FindCoordinator && r.Client == "member" {
				seen++
			}
		}
		return seen == 10
	}, time.Minute, time.Millisecond, "requests that are swallowed were sent all the same")
}

func TestProxyCutsAClientOff(t *testing.T) {
	p := New()
	t.Cleanup(p.Close)
	addr, err := p.Front(1, echo(t))
	require.NoError(t, err)
	one, two := dialed(t, addr), dialed(t, addr)
	one.answered("one")
	two.answered("two")

	p.CutClient("one")
	one.unanswered("one")
	dialed(t, addr).unanswered("one")
	two.answered("two")
	dialed(t, addr).answered("two")

	p.Heal()
	one.unanswered("one") // bytes of it are missing
	dialed(t, addr).answered("one")
}

func TestProxyRefusesForABrokerThatIsGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gone := l.Addr().String()
	require.NoError(t, l.Close())
	p := New()
	t.Cleanup(p.Close)
	addr, err := p.Front(1, gone)
	require.NoError(t, err)
	c := dialed(t, addr)
	client := "member"
	_, err = c.Write(framed(&client))
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
	_, err = c.Read(make([]byte, 1))
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestBrokerOf(t *testing.T) {
	for client, broker := range map[string]int32{
		"1": 1, "raft-client-2": 2, "broker-3-fetcher-0": 3, "kbeat-s20-n3/0": 0, "recovery": 0, "": 0, "java-s10-n3/1": 0, "99999999999": 0,
	} {
		require.Equal(t, broker, brokerOf(client), client)
	}
}
