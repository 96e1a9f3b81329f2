package heartbeat_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// stress is an application that calls anything at any time from many goroutines, on a broker that answers anything, or
// nothing. A seed says what.
type stress struct {
	w *world
	a *app
}

// dice is what one goroutine decides by.
type dice struct{ *rand.Rand }

func newDice(seed, who uint64) dice { return dice{rand.New(rand.NewPCG(seed, who))} }

// aWhile is short as often as long.
func (d dice) aWhile() time.Duration {
	return time.Duration(d.IntN(1<<d.IntN(14))) * time.Millisecond
}

// Whatever happens in whatever order: each call ends when its context has; a callback follows the one before it; and as
// soon as the broker is well again, a poll joins and heartbeats come. Then Close leaves nothing behind.
func TestAnythingAtAnyTime(t *testing.T) {
	forSeeds(t, func(t *testing.T, s *stress, seed uint64) {
		s.run(t, seed)
		s.heal(t)
	})
}

// The same, and somewhere in it Close: it ends in time, and so does all else.
func TestCloseAtAnyTime(t *testing.T) {
	forSeeds(t, func(t *testing.T, s *stress, seed uint64) {
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			defer func() { _ = recover() }() // the application's panic
			time.Sleep(newDice(seed, 0).aWhile())
			began := time.Now()
			_ = s.a.Close(within(t, 5*time.Second))
			if took := time.Since(began); took > 6*time.Second {
				t.Errorf("Close has taken %s, and had 5 s", took)
			}
		}()
		s.run(t, seed)
		<-closed
		<-s.a.Done()
		s.w.diary.take()
		require.ErrorIs(t, s.a.Poll(t.Context()), heartbeat.ErrClosed)
		s.w.pass(time.Hour)
		require.Empty(t, only(s.w.diary.take(), sent))
	})
}

func forSeeds(t *testing.T, test func(*testing.T, *stress, uint64)) {
	for seed := range uint64(25) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				defer func() {
					if t.Failed() {
						t.Log(w.diary.last(100))
					}
				}()
				s := &stress{w: w}
				s.a = w.app("a", func(c *heartbeat.Config) {
					c.MaxPollInterval, c.Seed = time.Minute, seed+1
					if seed%3 == 0 {
						c.InstanceID = "i"
					}
				}, heartbeat.WithCallbacks(s.callbacks(t, newDice(seed, 1))))
				test(t, s, seed)
			})
		})
	}
}

// run lets many goroutines call, in trouble.
func (s *stress) run(t *testing.T, seed uint64) {
	over := make(chan struct{})
	var troubles, callers sync.WaitGroup
	troubles.Go(func() { s.trouble(newDice(seed, 2), over) })
	for i := range uint64(8) {
		callers.Go(func() { s.calls(t, newDice(seed, 3+i)) })
	}
	callers.Wait()
	close(over)
	troubles.Wait()
}

// callbacks take a while, and may fail or panic. That one begins before another has ended is what the test would see.
func (s *stress) callbacks(t *testing.T, d dice) heartbeat.Callbacks {
	running := make(chan struct{}, 1)
	callback := func(ctx context.Context, session *heartbeat.Session) error {
		select {
		case running <- struct{}{}:
			defer func() { <-running }()
		default:
			t.Error("a callback has begun while another one was running")
		}
		if d.IntN(3) == 0 {
			_ = session.Commit(ctx, someOffsets)
		}
		select {
		case <-time.After(d.aWhile()):
		case <-ctx.Done():
		}
		switch d.IntN(20) {
		case 0:
			panic(errApp)
		case 1, 2, 3:
			return errApp
		}
		return nil
	}
	return heartbeat.Callbacks{Assigned: callback, Revoked: callback, Lost: callback}
}

// calls calls the member's methods; what they return does not matter, only that they do.
func (s *stress) calls(t *testing.T, d dice) {
	const most = 10 * time.Second // for a call; and as much for a callback, or for work, that it has to wait for
	for range 40 {
		time.Sleep(d.aWhile())
		limit := min(d.aWhile(), most)
		began := time.Now()
		what := s.call(d, limit)
		_, _, _ = s.a.Status(), s.a.State(), s.a.Generation()
		if took := time.Since(began); took > limit+2*most {
			t.Errorf("%s has taken %s, and had %s", what, took, limit)
		}
	}
}

func (s *stress) call(d dice, limit time.Duration) string {
	defer func() { _ = recover() }() // of a callback
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	switch d.IntN(11) {
	case 0, 1, 2, 3:
		_ = s.a.Poll(ctx)
		return "Poll"
	case 4, 5:
		_ = s.a.Run(ctx, d.work(d.IntN(4), d.aWhile()))
		return "Run"
	case 6, 7:
		_ = s.a.commitUntil(ctx)
		return "Commit"
	case 8:
		s.a.Rejoin("because")
		return "Rejoin"
	case 9:
		_ = s.a.SetProtocols([]heartbeat.Protocol{{Name: "echo", Metadata: []byte{byte(d.IntN(9))}}})
		return "SetProtocols"
	}
	_ = s.a.Leave(ctx, heartbeat.LeaveMode(d.IntN(3)), "enough")
	return "Leave"
}

// work is one of four kinds of work.
func (d dice) work(kind int, takes time.Duration) func(context.Context, *heartbeat.Session) error {
	return func(ctx context.Context, session *heartbeat.Session) error {
		switch kind {
		case 0:
			return errors.Join(errApp, session.Commit(ctx, someOffsets))
		case 1:
			return nil
		case 2:
			time.Sleep(takes)
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

// trouble lets the broker do what brokers do.
func (s *stress) trouble(d dice, over <-chan struct{}) {
	keys := []kmsg.Key{kmsg.FindCoordinator, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.OffsetCommit}
	codes := []classic.Code{
		classic.CodeCoordinatorLoadInProgress, classic.CodeCoordinatorNotAvailable, classic.CodeNotCoordinator,
		classic.CodeIllegalGeneration, classic.CodeUnknownMemberID, classic.CodeRebalanceInProgress,
		classic.CodeGroupAuthorizationFailed, classic.CodeFencedInstanceID, classic.CodeMemberIDRequired,
		classic.CodeUnknownServerError, classic.CodeNone,
	}
	for {
		select {
		case <-over:
			return
		case <-time.After(d.aWhile()):
		}
		key := keys[d.IntN(len(keys))]
		switch d.IntN(8) {
		case 0:
			s.w.answer(key, answer{way: byCut})
		case 1:
			s.w.answer(key, answer{way: byGarbage})
		case 2:
			s.w.answer(key, answer{way: byNothing})
		case 3:
			s.w.hold(key)
		case 4:
			_ = s.w.release(key, answer{})
		case 5:
			_ = s.w.release(key, answer{way: byCode, code: codes[d.IntN(len(codes))]})
		default:
			s.w.answer(key, slices.Repeat([]answer{{way: byCode, code: codes[d.IntN(len(codes))]}}, 1+d.IntN(3))...)
		}
	}
}

// heal makes the broker well, and sees that the member is.
func (s *stress) heal(t *testing.T) {
	for key := range ways {
		s.w.relent(key)
		for s.w.release(key, answer{}) == nil {
		}
	}
	s.w.pass(70 * time.Second) // until what was never answered has met its limit
	var err error
	for range 600 {
		if err = s.poll(t); err == nil && s.a.State() == classic.Stable {
			break
		}
		time.Sleep(time.Second)
	}
	require.NoError(t, err, "no poll joins")
	before := s.w.diary.count("Heartbeat/NONE")
	s.w.pass(30 * time.Second)
	require.Equal(t, classic.Stable, s.a.State())
	require.GreaterOrEqual(t, s.w.diary.count("Heartbeat/NONE")-before, 9, "no heartbeats come")
	require.NoError(t, s.a.commit())
	s.w.pass(time.Second)
	defer func() { _ = recover() }() // of the callback
	if err := s.a.Close(within(t, time.Minute)); err != nil {
		require.ErrorIs(t, err, errApp)
	}
}

func (s *stress) poll(t *testing.T) (err error) {
	err = errApp
	defer func() { _ = recover() }() // of a callback
	return s.a.Poll(within(t, time.Minute))
}
