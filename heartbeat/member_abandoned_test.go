package heartbeat_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// hungCoordinator is two coordinators: node 1 answers until it hangs; then lookups name node 2, which answers, and where it
// has forgotten the group knows no member of the first one.
type hungCoordinator struct{ hangs, forgot atomic.Bool }

func (h *hungCoordinator) Send(ctx context.Context, r heartbeat.Request) heartbeat.Response {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	time.Sleep(time.Millisecond)
	out := heartbeat.Response{Protocol: new("p")}
	switch {
	case r.API == classic.InputFindCoordinator:
		out.Node = 1
		if h.hangs.Load() {
			out.Node = 2
		}
	case r.Node == 1 && h.hangs.Load():
		<-ctx.Done()
		out.Code = classic.CodeDisconnect
	case r.API == classic.InputJoinGroup:
		out.Member, out.Leader, out.Generation = "m", "m", r.Node
		out.Members = []heartbeat.JoinMember{{ID: "m"}}
	case r.Generation < r.Node && h.forgot.Load():
		out.Code = classic.CodeUnknownMemberID
	}
	return out
}

// hung is a member of two coordinators of which the first hangs, with a commit under way there.
func hung(t *testing.T, forgot bool) (m *heartbeat.Member, commit <-chan error) {
	h := &hungCoordinator{}
	h.forgot.Store(forgot)
	m, err := heartbeat.NewMember(heartbeat.Config{
		Group: "g", ProtocolType: "x", Protocols: []heartbeat.Protocol{{Name: "p"}}, Seed: 1,
		SessionTimeout: 10 * time.Second, HeartbeatInterval: time.Second, RequestTimeout: 30 * time.Second,
	}, h, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
		return []heartbeat.Assignment{{Member: "m"}}, nil
	})
	require.NoError(t, err)
	require.NoError(t, m.Poll(t.Context()))
	h.hangs.Store(true)
	first := make(chan error, 1)
	go func() { first <- m.Commit(context.Background(), someOffsets) }()
	return m, first
}

// A commit that hangs at a coordinator that is lost goes on at the next one, in the same generation.
func TestACommitThatHangsGoesOnAtTheNextCoordinator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		m, first := hung(t, false)
		require.NoError(t, <-first)
		require.Less(t, time.Since(began), 5*time.Second)
		require.Equal(t, int32(1), m.Generation())
		require.NoError(t, m.Close(t.Context()))
	})
}

// A commit that hangs at a coordinator that is lost does not hold up the commits of the next generation.
func TestACommitThatHangsHoldsUpNoLaterGeneration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, first := hung(t, true)
		for m.Generation() != 2 {
			_ = m.Poll(within(t, 100*time.Millisecond))
			time.Sleep(100 * time.Millisecond)
		}
		began := time.Now()
		require.NoError(t, m.Commit(t.Context(), someOffsets))
		require.Equal(t, time.Millisecond, time.Since(began))
		require.ErrorIs(t, <-first, heartbeat.ErrOutcomeUnknown)
		require.NoError(t, m.Close(t.Context()))
	})
}

// A transport that does not end a request in its time does not stop the member, which takes the request for lost.
func TestATransportThatDoesNotReturn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		stuck := make(chan struct{})
		var lookups atomic.Int32
		w.between = func(ctx context.Context, r heartbeat.Request, inner heartbeat.Transport) heartbeat.Response {
			if r.API == classic.InputFindCoordinator && lookups.Add(1) == 1 {
				<-stuck
			}
			return inner.Send(ctx, r)
		}
		a, log := logged(w)
		began := time.Now()
		require.NoError(t, a.Poll(t.Context()))
		require.InDelta(t, 31, time.Since(began).Seconds(), 1)
		require.Contains(t, log.String(), "abandoned call did not return")
		close(stuck) // what it brings now changes nothing
		w.pass(10 * time.Second)
		require.Equal(t, classic.Stable, a.State())
	})
}
