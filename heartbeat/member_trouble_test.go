package heartbeat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// broken is a transport that is at fault itself.
type broken struct{}

func (broken) Send(context.Context, heartbeat.Request) heartbeat.Response { panic("out of order") }

// Who gives up a wait is told what had failed last, not only that time was over.
func TestAPollThatIsGivenUpSaysWhatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := heartbeat.NewMember(heartbeat.Config{
			Group: "g", ProtocolType: "echo", Protocols: []heartbeat.Protocol{{Name: "echo"}},
		}, broken{}, func(context.Context, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) { return nil, nil })
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		err = m.Poll(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, classic.CodeDisconnect)
		require.ErrorContains(t, err, "; the last try: group \"g\": FindCoordinator in UNJOINED: DISCONNECT")
		require.ErrorContains(t, err, "transport: panic: out of order")
		require.NoError(t, m.Close(t.Context()))
	})
}
