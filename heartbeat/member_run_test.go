package heartbeat_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// running is a Run in a goroutine of its own.
type running struct {
	*app
	works  chan *work
	ended  chan error
	cancel context.CancelCauseFunc
}

// work is a call of Run's function, which goes on until it is told what to return.
type work struct {
	ctx     context.Context
	session *heartbeat.Session
	result  chan error
}

// errStop is why a test ends its Run.
var errStop = errors.New("the test ends")

func (a *app) running(opts ...heartbeat.RunOption) *running {
	ctx, cancel := context.WithCancelCause(a.w.t.Context())
	r := &running{app: a, works: make(chan *work, 10), ended: make(chan error, 1), cancel: cancel}
	go func() {
		r.ended <- a.Run(ctx, func(ctx context.Context, s *heartbeat.Session) error {
			w := &work{ctx, s, make(chan error, 1)}
			r.works <- w
			select {
			case err := <-w.result:
				return err
			case <-a.w.closed: // the test has failed
				return nil
			}
		}, opts...)
	}()
	return r
}

// next is the next call of work, once its generation has come.
func (r *running) next() *work {
	r.w.t.Helper()
	select {
	case w := <-r.works:
		return w
	case <-time.After(time.Minute):
		require.FailNow(r.w.t, "work was not called")
		return nil
	}
}

// idle says that work was not called again.
func (r *running) idle() {
	r.w.t.Helper()
	require.Empty(r.w.t, r.works, "work was called again")
}

// stop ends the Run; the work under way returns.
func (r *running) stop(w *work) {
	r.w.t.Helper()
	r.cancel(errStop)
	<-w.ctx.Done()
	w.result <- nil
	require.ErrorIs(r.w.t, <-r.ended, errStop)
}

func TestRunCallsWorkOnceForEachGeneration(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", nil).running()
		var generations []int32
		for range 3 {
			work := r.next()
			generations = append(generations, work.session.Generation())
			require.Equal(t, r.Status().Member, string(work.session.Assignment()))
			require.Equal(t, work.session.MemberID(), string(work.session.Assignment()))
			require.Equal(t, "echo", work.session.Protocol())
			w.pass(10 * time.Minute)
			require.NoError(t, work.ctx.Err(), "ten minutes without a rebalance have ended the generation")
			r.idle()

			r.Rejoin("because")
			<-work.ctx.Done()
			var cause *heartbeat.Error
			require.ErrorAs(t, context.Cause(work.ctx), &cause)
			require.Equal(t, "rejoin_asked", cause.Rule.Name)
			require.Equal(t, work.session.Generation(), cause.Generation)
			require.Equal(t, context.Cause(work.session.Context()), context.Cause(work.ctx))
			work.result <- work.ctx.Err() // that the generation has ended is no failure
		}
		require.Equal(t, []int32{1, 2, 3}, generations)
		r.stop(r.next())
	})
}

func TestARejoinWaitsForWorkAndHeartbeatsGoOn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", nil).running()
		work := r.next()
		w.pass(time.Second)
		w.diary.take()
		r.Rejoin("because")
		<-work.ctx.Done()
		w.pass(2 * time.Minute) // more than two sessions
		for _, request := range w.diary.texts(sent) {
			require.Equal(t, "Heartbeat member=m1 generation=1", request, "sent while work has not returned")
		}
		require.NoError(t, work.session.Commit(t.Context(), someOffsets), "until work has returned the partitions are the member's")
		require.Equal(t, classic.Stable, r.State())
		work.result <- nil
		next := r.next()
		require.Equal(t, int32(2), next.session.Generation())
		r.stop(next)
	})
}

func TestAnErrorOfWorkEndsRunAndRunAgainGoesOn(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", nil).running()
		broken := errors.New("the application is broken")
		first := r.next()
		first.result <- broken
		require.ErrorIs(t, <-r.ended, broken)
		require.NoError(t, first.session.Context().Err(), "the member is in the group all the same")

		r = r.app.running()
		again := r.next()
		require.Same(t, first.session, again.session)
		w.pass(10 * time.Minute)
		require.NoError(t, again.ctx.Err())
		r.stop(again)
	})
}

// Which error work returns is Run's to say even when its generation ends at the same time.
func TestAnErrorOfWorkCountsAlsoWhenItsGenerationEnds(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", nil).running()
		broken := errors.New("the application is broken")
		work := r.next()
		r.Rejoin("because")
		<-work.ctx.Done()
		work.result <- broken
		require.ErrorIs(t, <-r.ended, broken)
	})
}

// Who has nothing to do any more ends its Run. The member is in the group until it is closed, or falls out of it.
func TestWorkThatReturnsEarlyEndsRun(t *testing.T) {
	for name, opts := range map[string][]heartbeat.RunOption{"plain": nil, "with progress": {heartbeat.RequireProgress()}} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil)
				r := a.running(opts...)
				first := r.next()
				w.pass(time.Second)
				first.result <- nil
				require.NoError(t, <-r.ended)
				require.NoError(t, first.session.Context().Err())
				require.Equal(t, classic.Stable, a.State())
				r = a.running()
				again := r.next()
				require.Same(t, first.session, again.session)
				r.stop(again)
			})
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		r := a.running()
		work := r.next()
		r.cancel(errStop)
		<-work.ctx.Done()
		require.ErrorIs(t, context.Cause(work.ctx), errStop)
		w.pass(time.Minute)
		require.Empty(t, r.ended, "work has not returned")
		work.result <- work.ctx.Err()
		require.ErrorIs(t, <-r.ended, errStop)
		require.Equal(t, classic.Stable, a.State(), "the member is still in the group")

		over, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, a.Run(over, func(context.Context, *heartbeat.Session) error {
			return errors.New("work was called, when there was nothing to do any more")
		}), context.Canceled)
	})
}

func TestRunEndsWithItsContextWhileItJoins(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		w.hold(kmsg.JoinGroup)
		r := w.app("a", nil).running()
		w.pass(time.Second)
		require.Equal(t, classic.PreparingRebalance, r.State())
		r.cancel(errStop)
		require.ErrorIs(t, <-r.ended, errStop)
		r.idle()
	})
}

func TestRequireProgress(t *testing.T) {
	interval := func(c *heartbeat.Config) { c.MaxPollInterval = time.Minute }
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", interval).running(heartbeat.RequireProgress())
		work := r.next()
		for range 10 {
			w.pass(50 * time.Second)
			work.session.Progress()
		}
		for range 10 {
			w.pass(50 * time.Second)
			require.NoError(t, work.session.Commit(t.Context(), someOffsets))
		}
		require.NoError(t, work.ctx.Err(), "an application that makes progress was taken for stuck")

		w.diary.take()
		<-work.ctx.Done()
		w.pass(time.Second)
		var cause *heartbeat.Error
		require.ErrorAs(t, context.Cause(work.ctx), &cause)
		require.Equal(t, "POLL_EXPIRED", cause.Name)
		requests := w.diary.texts(sent)
		require.Contains(t, requests[len(requests)-1], "LeaveGroup member=m1 reason=\"the application did not poll within max.poll.interval.ms")

		work.result <- nil
		again := r.next() // it was asked to stay in the group, and the next poll joins
		require.NotEqual(t, work.session.MemberID(), again.session.MemberID())
		r.stop(again)
	})
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", interval).running()
		work := r.next()
		w.pass(10 * time.Minute)
		require.NoError(t, work.ctx.Err(), "nobody has asked for progress")
		r.stop(work)
	})
}

func TestRunReturnsWhatTheRulesRaise(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		r := w.app("a", nil).running()
		work := r.next()
		w.answer(kmsg.Heartbeat, answer{way: byCode, code: classic.CodeFencedInstanceID})
		<-work.ctx.Done()
		require.Equal(t, "FENCED_INSTANCE_ID", causeOf(work.ctx).Name)
		work.result <- nil
		var fenced *heartbeat.Error
		require.ErrorAs(t, <-r.ended, &fenced)
		require.Equal(t, "FENCED_INSTANCE_ID", fenced.Name)
		require.Equal(t, classic.InputHeartbeat, fenced.Input)
	})
}

// Run says what cannot be run; and that a work has ended which has not returned.
func TestRunWithoutWork(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		require.ErrorContains(t, a.Run(t.Context(), nil), "work is nil")
		err := a.Run(t.Context(), func(context.Context, *heartbeat.Session) error {
			runtime.Goexit()
			return nil
		})
		require.ErrorContains(t, err, "without returning")
		require.ErrorContains(t, a.Leave(t.Context(), heartbeat.LeaveMode(77), "bye"), "LeaveIfDynamic, LeaveAlways or LeaveNever")
	})
}
