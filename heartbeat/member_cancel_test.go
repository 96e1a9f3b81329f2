package heartbeat

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// waiting is a Transport whose requests end with their context.
type waiting struct{ ended chan uint64 }

func (w waiting) Send(ctx context.Context, r Request) Response {
	<-ctx.Done()
	w.ended <- r.ID
	return Response{Code: classic.CodeDisconnect, Err: context.Cause(ctx)}
}

// Abandoned ends the context of the request that it is about, and of no other.
func TestAbandonedEndsItsRequest(t *testing.T) {
	w := waiting{make(chan uint64, 2)}
	m, err := NewMember(Config{Group: "g", ProtocolType: "x", Protocols: []Protocol{{Name: "p"}}}, w,
		func(context.Context, AssignmentInput) ([]Assignment, error) { return nil, nil })
	require.NoError(t, err)
	for id := range uint64(2) {
		m.perform(Request{ID: id + 1, API: classic.InputOffsetCommit, Timeout: m.config.RequestTimeout})
	}
	m.perform(Abandoned{ID: 1})
	m.perform(Abandoned{ID: 1})
	m.perform(Abandoned{ID: 77})
	require.Equal(t, uint64(1), <-w.ended)
	require.Empty(t, w.ended)
	m.perform(Abandoned{ID: 2})
	require.Equal(t, uint64(2), <-w.ended)
	m.work.Wait()
	require.NoError(t, m.Close(t.Context()))
}
