package heartbeat

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// A loop that breaks is told of once, with its first cause, and the poll after that joins with a new one, even where a join
// was under way.
func TestLoopBroke(t *testing.T) {
	cause := errors.New("a bug")
	d := drive(t).join()
	d.step(LoopBroke{cause})
	d.step(LoopBroke{errors.New("its consequence")})
	require.Empty(t, d.after(10*time.Second), "no heartbeats any more")
	require.Equal(t, "poll ends: LOOP", d.step(Poll{}))
	require.ErrorIs(t, d.out[len(d.out)-1].(PollEnded).Err, cause)
	require.Equal(t, "revoked 5", d.step(Poll{}))
	require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
	require.Equal(t, "the heartbeat loop has failed", d.sent(classic.InputJoinGroup).Reason)

	require.Equal(t, "poll ends: LOOP", d.step(LoopBroke{cause}))
	d.answer(classic.InputJoinGroup, classic.CodeNone)
	d.answer(classic.InputSyncGroup, classic.CodeNone)
	require.Equal(t, "assigned 6", d.step(Poll{}))
	require.Equal(t, "revoked 6", d.step(CallbackEnded{}), "this join has not answered the rejoin")
	require.Empty(t, d.step(CallbackEnded{}), "the second rejoin in a row has a pause")
	require.Equal(t, "JoinGroup m-1/6", d.after(300*time.Millisecond))
	d.rejoin()
	d.end(d.beat(), classic.CodeNone)
}

// What breaks before the first join has made a loop, or when a poll has dropped the last one, is raised too.
func TestLoopBrokeWithoutALoop(t *testing.T) {
	cause := errors.New("a bug")
	raises := func(d *driven, in Input) {
		t.Helper()
		require.Equal(t, "poll ends: LOOP", d.step(in))
		require.ErrorIs(t, d.out[len(d.out)-1].(PollEnded).Err, cause)
	}
	joins := func(d *driven) {
		t.Helper()
		d.after(time.Second)
		d.rejoin()
		d.end(d.beat(), classic.CodeNone)
	}
	t.Run("before the first poll", func(t *testing.T) {
		d := drive(t)
		d.step(LoopBroke{cause})
		raises(d, Poll{})
		require.Equal(t, "FindCoordinator", d.step(Poll{}))
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		joins(d)
	})
	t.Run("while the first poll looks up the coordinator", func(t *testing.T) {
		d := drive(t)
		require.Equal(t, "FindCoordinator", d.step(Poll{}))
		raises(d, LoopBroke{cause})
		d.answer(classic.InputFindCoordinator, classic.CodeNone)
		require.Equal(t, "JoinGroup /-1", d.step(Poll{}))
		joins(d)
	})
	t.Run("when the last one is dropped", func(t *testing.T) {
		d := drive(t).join()
		d.step(LoopBroke{errors.New("an earlier bug")})
		require.Equal(t, "poll ends: LOOP", d.step(Poll{}))
		d.step(LoopBroke{cause})
		raises(d, Poll{})
		require.Equal(t, "revoked 5", d.step(Poll{}))
		require.Equal(t, "JoinGroup m-1/5", d.step(CallbackEnded{}))
		joins(d)
	})
}
