package heartbeat_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/heartbeat"
)

// A deadline need not be whole microseconds. The Core is told the time that the deadline is held against: rounded down, it
// would lie before the deadline when that has come, and in virtual time the member would ask again for ever.
func TestDeadlinesOfAnyLength(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", func(c *heartbeat.Config) { c.SessionTimeout, c.HeartbeatInterval = 10*time.Second, 10*time.Second/3 })
		a.join()
		w.diary.take()
		w.pass(time.Minute)
		require.Len(t, w.diary.texts(sent), 18, "a heartbeat each 3.333333333 s")
		require.NoError(t, a.Close(context.Background()))
	})
}
