package franz

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
)

func TestAClosedTransportOrClient(t *testing.T) {
	for name, close := range map[string]func(*Transport, func()){
		"transport": func(t *Transport, _ func()) { t.Close() },
		"client":    func(_ *Transport, client func()) { client() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				cl := n.client()
				transport := New(cl)
				transport.learn(1, n.serve(9099, &stub{answer: silent}))
				time.AfterFunc(time.Second, func() { close(transport, cl.Close) })
				began := time.Now()
				r := transport.Send(t.Context(), beat(time.Hour))
				require.Equal(t, classic.CodeTransportClosed, r.Code, "in flight: %v", r.Err)
				require.Equal(t, time.Second, time.Since(began))
				r = transport.Send(t.Context(), beat(time.Hour))
				require.Equal(t, classic.CodeTransportClosed, r.Code, "sent when closed: %v", r.Err)
				require.Equal(t, time.Second, time.Since(began))
			})
		})
	}
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1)
		cl := n.client()
		used, unused := New(cl), New(cl)
		require.Equal(t, classic.CodeNone, find(t, used).Code)
		for _, transport := range []*Transport{used, unused} {
			transport.Close()
			transport.Close()
			r := find(t, transport)
			require.Equal(t, classic.CodeTransportClosed, r.Code)
			require.ErrorIs(t, r.Err, kgo.ErrClientClosed)
			require.False(t, transport.ends(), "the client still holds on to the transport")
		}
		require.Error(t, used.lookups.cl.Context().Err())
		require.Nil(t, unused.lookups.cl, "a closed transport has connected")
		require.NoError(t, cl.Ping(t.Context()), "the client is the user's")
	})
}

func TestATransportOfAClosedClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cl := n.client()
		cl.Close()
		transport := New(cl)
		synctest.Wait()
		r := find(t, transport)
		require.Equal(t, classic.CodeTransportClosed, r.Code)
		require.ErrorIs(t, r.Err, kgo.ErrClientClosed)
	})
}
