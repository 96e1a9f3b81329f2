package heartbeat_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// O1: each poll first makes sure that the loop exists, then joins if a join is needed. It is bounded by its context.
func TestO1EachPollMakesTheLoopAndJoins(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil)
		w.hold(kmsg.FindCoordinator)
		began := time.Now()
		require.ErrorIs(t, a.Poll(within(t, time.Second)), errExpired)
		require.Equal(t, time.Second, time.Since(began))
		require.NoError(t, w.release(kmsg.FindCoordinator, answer{}))
		a.join()
		rules := decided(w, classic.InputJoinTurn)
		made := slices.Index(rules, ruleNamed(t, "join/not loop_exists", "").Name)
		joined := slices.Index(rules, ruleNamed(t, "join/else", "").Name)
		require.True(t, 0 <= made && made < joined, "the loop is made before the join: %v", rules)
		require.NoError(t, a.Poll(t.Context()))
		require.Empty(t, decided(w, classic.InputJoinTurn), "there is a loop, and no join is needed")
	})
}

// O2: the loop is made at most once, however many callers race; one that has failed or ended is replaced by the next poll.
func TestO2TheLoopIsMadeOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var made, inside atomic.Int32
		var breaks atomic.Bool
		start := ruleNamed(t, "join/not loop_exists", "")
		a := w.app("a", nil, heartbeat.WithObserver(func(f heartbeat.Fired) {
			if inside.Add(1) > 1 {
				t.Error("two goroutines drive one member")
			}
			defer inside.Add(-1)
			if f.Rule == start {
				made.Add(1)
			}
			if f.Rule.Input == classic.InputHeartbeat && breaks.CompareAndSwap(true, false) {
				panic("the loop ends")
			}
		}))
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() { _ = a.Poll(t.Context()) })
			callers.Go(func() { _ = a.commit() })
			callers.Go(func() { a.Rejoin("because") })
		}
		callers.Wait()
		a.join()
		require.Equal(t, int32(1), made.Load())

		w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
		w.pass(4 * time.Second)
		require.ErrorIs(t, a.Poll(t.Context()), classic.CodeFencedInstanceID, "it has failed")
		a.join()
		require.Equal(t, int32(2), made.Load())

		breaks.Store(true)
		w.pass(4 * time.Second)
		require.ErrorIs(t, a.Poll(t.Context()), classic.ErrorLoop, "it has ended")
		a.join()
		require.Equal(t, int32(3), made.Load())
	})
}

// O3: a loop has three flags, enabled, closed and failed, all of which start unset; reading them never races.
func TestO3TheFlagsOfTheLoop(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		flags := func(a *app) classic.Flags {
			return a.Status().Flags & (classic.LoopEnabled | classic.LoopClosed | classic.LoopFailed)
		}
		a := w.app("a", nil)
		require.Zero(t, flags(a))
		reads, stop := make(chan int), make(chan struct{})
		go func() { // the race detector sees what this test does not
			n := 0
			for {
				select {
				case <-stop:
					reads <- n
					return
				case <-time.After(time.Millisecond):
					_ = flags(a)
					n++
				}
			}
		}()
		a.join()
		require.Equal(t, classic.LoopEnabled, flags(a))
		w.answer(kmsg.Heartbeat, code(classic.CodeFencedInstanceID))
		w.pass(4 * time.Second)
		require.Equal(t, classic.LoopFailed, flags(a))
		require.NoError(t, a.Close(t.Context()))
		require.True(t, flags(a).Has(classic.LoopClosed))
		close(stop)
		require.Greater(t, <-reads, 3000)
	})
}
