package heartbeat_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// A commit that was not answered before its generation ended does not end Run, where work returns its error.
func TestRunGoesOnAfterACommitThatWasNotAnswered(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := a.running()
		first := r.next()
		w.hold(kmsg.OffsetCommit)
		w.kick(a)
		err := first.session.Commit(context.Background(), someOffsets)
		require.ErrorIs(t, err, classic.ErrorCommitUnknown)
		first.result <- fmt.Errorf("work: %w", err)
		second := r.next()
		require.NotEqual(t, first.session.MemberID(), second.session.MemberID())
		r.stop(second)
	})
}

// An *Error that the application has made, which no rule has decided, is an error like any other.
func TestWorkReturnsAnErrorOfItsOwnMaking(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", nil).running()
		own := &heartbeat.Error{Name: "OWN"}
		r.next().result <- own
		require.ErrorIs(t, <-r.ended, own)
	})
}
