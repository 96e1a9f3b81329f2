package heartbeat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
)

// deaf is a Transport whose requests end when it is released, whatever becomes of their context.
type deaf chan struct{}

func (s deaf) Send(context.Context, Request) Response {
	<-s
	return Response{Code: classic.CodeDisconnect}
}

// No call says that it waited for a request that was abandoned; only the end of the member waits for it.
func TestCallsDoNotWaitForWhatWasAbandoned(t *testing.T) {
	for _, c := range []struct {
		api    classic.Input
		listen bool
		waits  map[string]func(*task) bool
	}{
		{classic.InputFindCoordinator, false, map[string]func(*task) bool{"poll": forPoll, "commit": forCommit}},
		{classic.InputJoinGroup, false, map[string]func(*task) bool{"poll": forPoll, "leave": forLeave, "last leave": forLastLeave}},
		{classic.InputJoinGroup, true, map[string]func(*task) bool{"poll": forPoll, "leave": forLeave}},
		{classic.InputSyncGroup, false, map[string]func(*task) bool{"poll": forPoll}},
		{classic.InputOffsetCommit, false, map[string]func(*task) bool{"commit": forCommit}},
		{classic.InputLeaveGroup, false, map[string]func(*task) bool{"leave": forLeave, "last leave": forLastLeave}},
	} {
		synctest.Test(t, func(t *testing.T) {
			released := make(deaf)
			m, err := NewMember(Config{Group: "g", ProtocolType: "x", Protocols: []Protocol{{Name: "p"}}}, released,
				func(context.Context, AssignmentInput) ([]Assignment, error) { return nil, nil })
			require.NoError(t, err)
			m.perform(Request{ID: 1, API: c.api, Node: 3, Timeout: time.Minute})
			time.Sleep(time.Second)
			sent := c.api.String() + ", sent 1s ago to broker 3 and "
			for call, may := range c.waits {
				require.Contains(t, m.underway.list(may), sent+"not answered", call)
			}
			m.perform(Abandoned{ID: 1, Listen: c.listen})
			for call, may := range c.waits {
				require.Empty(t, m.underway.list(may), "%s of %s", call, c.api)
			}
			if c.listen { // the member that is closed gives the id back first
				require.Equal(t, sent+"not answered, as its answer may bring a member id", m.underway.list(forLastLeave))
			} else {
				require.Equal(t, sent+"abandoned, which has not returned", m.underway.list(forEnd))
			}
			close(released)
			m.work.Wait()
			require.Empty(t, m.underway.list(forEnd))
			require.NoError(t, m.Close(t.Context()))
		})
	}
}

// A request that is listened for is not cancelled; it may be abandoned later all the same.
func TestAbandonedListensForALateAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := waiting{make(chan uint64, 1)}
		m, err := NewMember(Config{Group: "g", ProtocolType: "x", Protocols: []Protocol{{Name: "p"}}}, w,
			func(context.Context, AssignmentInput) ([]Assignment, error) { return nil, nil })
		require.NoError(t, err)
		m.perform(Request{ID: 1, API: classic.InputJoinGroup, Timeout: m.config.RequestTimeout})
		m.perform(Abandoned{ID: 1, Listen: true})
		synctest.Wait()
		require.Empty(t, w.ended)
		m.perform(Abandoned{ID: 1})
		require.Equal(t, uint64(1), <-w.ended)
		m.work.Wait()
		require.NoError(t, m.Close(t.Context()))
	})
}

// What a transport has not ended in its time is over for the member.
func TestCallsDoNotWaitForWhatDoesNotReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := make(deaf)
		m, err := NewMember(Config{Group: "g", ProtocolType: "x", Protocols: []Protocol{{Name: "p"}}}, released,
			func(context.Context, AssignmentInput) ([]Assignment, error) { return nil, nil })
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 31100*time.Millisecond)
		defer cancel()
		err = m.Poll(ctx) // its lookup is lost after 31 s, and the next one has not begun
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotContains(t, err.Error(), "sent 31")
		close(released)
		require.NoError(t, m.Close(t.Context()))
	})
}
