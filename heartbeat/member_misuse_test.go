package heartbeat_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Whoever forgets an argument is told which, before anything has begun; the member goes on as if nothing had been asked.
func TestAMissingArgument(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.diary.take()
		var none context.Context
		work := func(context.Context, *heartbeat.Session) error { return nil }
		for problem, err := range map[string]error{
			"poll: the context is nil: give context.Background(), or one that ends":         a.Poll(none),
			"run: the context is nil: give context.Background(), or one that ends":          a.Run(none, work),
			"run: work is nil: give the function that does the member's part":               a.Run(t.Context(), nil),
			"run: an option is nil: leave it out":                                           a.Run(t.Context(), work, nil),
			"leave: the context is nil: give context.Background(), or one that ends":        a.Leave(none, heartbeat.LeaveAlways, "enough"),
			"close: the context is nil: give context.Background(), or one that ends":        a.Close(none),
			"commit: the context is nil: give context.Background(), or one that ends":       a.Commit(none, someOffsets),
			"commit: invalid offset -3 for t-0 (negative): nothing was committed":           a.Commit(t.Context(), []heartbeat.Offset{{Topic: "t", Offset: -3}}),
			"commit: invalid offset 1 for -0 (no topic): nothing was committed":             a.Commit(t.Context(), []heartbeat.Offset{{Offset: 1}}),
			"commit: invalid offset 1 for t--1 (negative partition): nothing was committed": a.Commit(t.Context(), []heartbeat.Offset{{Topic: "t", Partition: -1, Offset: 1}}),
		} {
			require.EqualError(t, err, problem)
		}
		require.Empty(t, w.diary.take())
		a.join()
		require.Equal(t, classic.Stable, a.State())
		require.NoError(t, a.Close(t.Context()))
	})
}

func TestAMissingPartOfAMember(t *testing.T) {
	config := heartbeat.Config{Group: "g", ProtocolType: "p", Protocols: []heartbeat.Protocol{{Name: "range"}}}
	assign := func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, nil }
	_, err := heartbeat.NewMember(config, (*through)(nil), assign)
	require.EqualError(t, err, "config: Transport is missing: heartbeat/franz has one")
	_, err = heartbeat.NewMember(config, through{}, assign, nil)
	require.EqualError(t, err, "config: Option is nil: leave it out")
	_, err = heartbeat.Replay(nil)
	require.EqualError(t, err, "replay: the trace is nil: give what reads it")
}
