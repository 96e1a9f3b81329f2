package franz

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// How large an answer may be is the client's to say: room is made for it before it has come.
func TestAnAnswerIsNoLargerThanTheClientAllows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		size := 0
		addr := n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			return append(alive(conn, key, version, correlation), make([]byte, size)...) // what follows an answer is nobody's
		}})
		transport := New(n.client(kgo.BrokerMaxReadBytes(64<<10), kgo.FetchMaxBytes(64<<10)))
		transport.learn(1, addr)
		size = 32 << 10
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Second)).Code)
		size = 128 << 10
		r := transport.Send(t.Context(), beat(time.Second))
		require.Equal(t, classic.CodeMalformed, r.Code, "%v", r.Err)
		require.ErrorContains(t, r.Err, "65536")
	})
}
