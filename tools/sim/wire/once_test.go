package wire

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// A request leaves once, between its time and its end; which of two that look alike it was, nobody can see.
func TestARequestLeavesOnceAndInTime(t *testing.T) {
	beat := sent{classic.InputHeartbeat, "m", 8}
	var w wanted
	require.False(t, w.take(beat, 1), "nobody wanted one")
	w.want(1, beat, 1, 1)
	require.False(t, w.take(sent{classic.InputHeartbeat, "m", 7}, 1), "not in that generation")
	w.want(2, beat, 1, 4)
	w.want(3, beat, 1, 7)
	require.True(t, w.take(beat, 7), "the third, or one before it")
	w.end(3, 8)
	require.True(t, w.take(beat, 9), "the first or the second")
	w.end(1, 10)
	require.True(t, w.take(beat, 11), "the second; the first has left at 9")
	require.False(t, w.take(beat, 12), "all have left")
	w.end(2, 13)
	w.want(4, beat, 1, 14)
	w.end(4, 15)
	require.False(t, w.take(beat, 16), "its time is over")
	w.want(5, beat, 1, 17)
	w.end(5, 18)
	require.True(t, w.take(beat, 18), "in the instant of its end it may still be seen")
	require.False(t, w.take(beat, 18), "twice")
	w.want(6, beat, 2, 19)
	require.True(t, w.take(beat, 20))
	require.True(t, w.take(beat, 21), "it may leave twice")
	require.False(t, w.take(beat, 22), "three times")
	w.want(7, beat, 2, 23)
	w.end(7, 24)
	require.False(t, w.take(beat, 25), "its time is over")
}
