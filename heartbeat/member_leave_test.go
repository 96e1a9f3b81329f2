package heartbeat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func TestLeaveAndPollAgain(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		first := a.join()
		w.diary.take()
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveIfDynamic, "enough"))
		require.Equal(t, classic.Unjoined, a.State())
		require.ErrorIs(t, context.Cause(first.Context()), heartbeat.ErrLeft)
		entries := w.diary.take()
		require.Equal(t, "revoked member=m1 generation=1", only(entries, told)[0])
		require.Equal(t, `LeaveGroup member=m1 reason="enough"`, only(entries, sent)[0])
		w.pass(time.Hour)
		require.Empty(t, w.diary.texts(sent))
		second := a.join()
		require.NotEqual(t, first.MemberID(), second.MemberID())
	})
}

func TestWhetherTheCoordinatorIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		instance string
		mode     heartbeat.LeaveMode
		told     bool
	}{
		"dynamic":         {"", heartbeat.LeaveIfDynamic, true},
		"static":          {"i", heartbeat.LeaveIfDynamic, false},
		"static, always":  {"i", heartbeat.LeaveAlways, true},
		"dynamic, never":  {"", heartbeat.LeaveNever, false},
		"dynamic, always": {"", heartbeat.LeaveAlways, true},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", func(c *heartbeat.Config) { c.InstanceID = test.instance })
				a.join()
				w.diary.take()
				require.NoError(t, a.Leave(t.Context(), test.mode, "enough"))
				require.Equal(t, test.told, len(w.diary.texts(sent)) == 1)
			})
		})
	}
}

func TestLeaveEndsAPollThatWaits(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		w.hold(kmsg.FindCoordinator)
		polled := make(chan error, 1)
		go func() { polled <- a.Poll(t.Context()) }()
		synctest.Wait()
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveIfDynamic, "enough"))
		require.ErrorIs(t, <-polled, heartbeat.ErrLeft)
		require.NoError(t, w.release(kmsg.FindCoordinator, answer{}))
		a.join()
	})
}

// A poll's callback goes on until it returns; only then the application is told of the leave.
func TestLeaveDuringACallback(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.on(heartbeat.CallbackAssigned, func(context.Context) error {
			w.pass(10 * time.Second)
			a.note(told, "has its partitions")
			return nil
		})
		polled := make(chan error, 1)
		go func() { polled <- a.Poll(t.Context()) }()
		w.pass(time.Second)
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveIfDynamic, "enough"))
		require.ErrorIs(t, <-polled, heartbeat.ErrLeft)
		require.Equal(t, []string{
			"assigns generation=1 members=1", "assigned member=m1 generation=1", "has its partitions", "revoked member=m1 generation=1",
		}, w.diary.texts(told))
	})
}

func TestLeaveEndsRunAfterItsWork(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := a.running()
		work := r.next()
		w.diary.take()
		left := make(chan error, 1)
		go func() { left <- a.Leave(t.Context(), heartbeat.LeaveIfDynamic, "enough") }()
		<-work.ctx.Done()
		require.ErrorIs(t, context.Cause(work.ctx), heartbeat.ErrLeft)
		w.pass(2 * time.Second)
		require.Empty(t, w.diary.texts(sent), "the member has left before its work has returned")
		require.NoError(t, work.session.Commit(t.Context(), someOffsets))
		work.result <- nil
		require.NoError(t, <-left)
		require.ErrorIs(t, <-r.ended, heartbeat.ErrLeft)
		require.Contains(t, w.diary.texts(sent), `LeaveGroup member=m1 reason="enough"`)
		again := a.running()
		again.stop(again.next())
	})
}

// Who leaves does not wait longer than its context says, also for work that does not return; the member leaves.
func TestLeaveWhoseContextEnds(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := a.running()
		work := r.next()
		require.ErrorIs(t, a.Leave(within(t, time.Second), heartbeat.LeaveIfDynamic, "enough"), errExpired)
		w.pass(time.Second)
		require.Contains(t, w.diary.texts(sent), `LeaveGroup member=m1 reason="enough"`)
		require.Empty(t, r.ended, "work has not returned")
		work.result <- nil
		require.ErrorIs(t, <-r.ended, heartbeat.ErrLeft)
	})
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.LeaveGroup)
		require.ErrorIs(t, a.Leave(within(t, time.Second), heartbeat.LeaveIfDynamic, "enough"), errExpired)
		require.Equal(t, classic.Unjoined, a.State())
		require.ErrorIs(t, a.Poll(within(t, time.Second)), errExpired, "it still leaves")
		require.Len(t, w.diary.texts(sent), 5, "and joins when it has left")
		require.NoError(t, w.release(kmsg.LeaveGroup, answer{}))
		w.pass(time.Second)
		a.join()
	})
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.hold(kmsg.LeaveGroup)
		require.ErrorIs(t, a.Leave(within(t, time.Second), heartbeat.LeaveIfDynamic, "enough"), errExpired)
		err := a.Poll(within(t, 5*time.Second))
		require.ErrorIs(t, err, errExpired)
		require.ErrorContains(t, err, "waiting for JoinGroup, sent ", "it joins without the answer; the group still has the member that leaves")
		require.NotContains(t, err.Error(), "LeaveGroup")
		require.NoError(t, w.release(kmsg.LeaveGroup, answer{}))
		began := time.Now()
		a.join()
		require.Less(t, time.Since(began), time.Second)
	})
}

func TestLeaveReturnsWhatTheCallbackHasReturned(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		a.on(heartbeat.CallbackRevoked, func(context.Context) error { return errApp })
		require.ErrorIs(t, a.Leave(t.Context(), heartbeat.LeaveIfDynamic, "enough"), errApp)
		require.Contains(t, w.diary.texts(sent), `LeaveGroup member=m1 reason="enough"`, "the member leaves all the same")
		require.NoError(t, a.Poll(t.Context()), "it was told already")
	})
}

func TestLeavesAtOnceAllEnd(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		a.join()
		w.diary.take()
		const leaves = 5
		left := make(chan error, leaves)
		for range leaves {
			go func() { left <- a.Leave(within(t, time.Minute), heartbeat.LeaveIfDynamic, "enough") }()
		}
		for range leaves {
			require.NoError(t, <-left)
		}
		entries := w.diary.take()
		require.Len(t, only(entries, told), 1, "the application is told once")
		require.Len(t, only(entries, sent), 1)
	})
}

func TestLeaveOfWhoIsInNoGroup(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "enough"))
		a.join()
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "enough"))
		w.diary.take()
		require.NoError(t, a.Leave(t.Context(), heartbeat.LeaveAlways, "enough"))
		require.Empty(t, append(w.diary.texts(sent), w.diary.texts(told)...))
	})
}
