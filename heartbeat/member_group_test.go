package heartbeat_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

func TestTwoMembersShare(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil).running()
		alone := a.next()
		b := w.app("b", nil).running()
		<-alone.ctx.Done()
		require.Equal(t, "REBALANCE_IN_PROGRESS", causeOf(alone.ctx).Name)
		alone.result <- nil
		ofA, ofB := a.next(), b.next()
		require.Equal(t, ofA.session.Generation(), ofB.session.Generation())
		require.NotEqual(t, ofA.session.MemberID(), ofB.session.MemberID())
		for _, work := range []*work{ofA, ofB} {
			require.Equal(t, work.session.MemberID(), string(work.session.Assignment()), "the leader has mixed the two up")
		}

		go func() { _ = a.Close(context.Background()) }()
		<-ofA.ctx.Done()
		ofA.result <- nil
		<-ofB.ctx.Done()
		ofB.result <- nil
		alone = b.next()
		require.Equal(t, ofB.session.MemberID(), alone.session.MemberID())
		b.stop(alone)
	})
}

// However often members of a group ask for rebalances, come and go: while one works in a generation, no other works in
// another.
func TestNoTwoGenerationsWorkAtOnce(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var (
			mu      sync.Mutex
			working = map[int32]int{} // members by generation
			seen    = map[int32]bool{}
		)
		count := func(s *heartbeat.Session, change int) {
			mu.Lock()
			defer mu.Unlock()
			if working[s.Generation()] += change; working[s.Generation()] == 0 {
				delete(working, s.Generation())
			}
			seen[s.Generation()] = true
			if len(working) > 1 {
				t.Errorf("several generations are at work: %v", working)
			}
		}
		var members sync.WaitGroup
		start := func(name string) *app {
			a := w.app(name, func(c *heartbeat.Config) { c.Seed = uint64(name[0]) })
			members.Go(func() {
				_ = a.Run(context.Background(), func(ctx context.Context, s *heartbeat.Session) error {
					count(s, 1)
					<-ctx.Done()
					time.Sleep(time.Duration(name[0]) * 10 * time.Millisecond)
					count(s, -1)
					return nil
				})
			})
			return a
		}
		random := rand.New(rand.NewPCG(1, 2))
		apps := []*app{start("a"), start("b"), start("c")}
		for range 100 {
			w.pass(time.Duration(random.IntN(10_000)) * time.Millisecond)
			i := random.IntN(len(apps))
			if random.IntN(4) == 0 {
				require.NoError(t, apps[i].Close(t.Context()))
				apps[i] = start(apps[i].name)
			} else {
				apps[i].Rejoin("because")
			}
		}
		w.pass(time.Minute)
		for _, a := range apps {
			require.Equal(t, classic.Stable, a.State())
			require.Equal(t, apps[0].Generation(), a.Generation())
		}
		require.Equal(t, map[int32]int{apps[0].Generation(): 3}, working)
		require.Greater(t, len(seen), 30, "generations")
		for _, a := range apps {
			require.NoError(t, a.Close(t.Context()))
		}
		members.Wait()
	})
}

// A static member that comes back within its session takes its place, and nobody else notices (KIP-345).
func TestAStaticMemberComesBack(t *testing.T) {
	static := func(c *heartbeat.Config) { c.InstanceID = "i" }
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil).running()
		alone := a.next()
		b := w.app("b", static).running()
		<-alone.ctx.Done()
		alone.result <- nil
		ofA, ofB := a.next(), b.next()

		closed := make(chan error)
		go func() { closed <- b.Close(t.Context()) }()
		<-ofB.ctx.Done()
		ofB.result <- nil
		require.NoError(t, <-closed)
		w.pass(30 * time.Second)
		again := w.app("b", static).running()
		back := again.next()
		require.Equal(t, ofB.session.Generation(), back.session.Generation())
		require.Equal(t, ofB.session.Assignment(), back.session.Assignment())
		require.NotEqual(t, ofB.session.MemberID(), back.session.MemberID())
		w.pass(10 * time.Minute)
		require.NoError(t, ofA.ctx.Err(), "the other member was rebalanced")

		// Another process with the same instance id fences it out.
		third := w.app("c", static).running()
		third.next()
		<-back.ctx.Done()
		back.result <- nil
		require.ErrorIs(t, <-again.ended, classic.CodeFencedInstanceID)
		w.pass(10 * time.Minute)
		require.NoError(t, ofA.ctx.Err(), "the other member was rebalanced")
		ofA.result <- nil
		require.NoError(t, <-a.ended)
	})
}

// A member that is cut off is given up after its session, and others go on in its place; with a lease its work has ended by
// then.
func TestAMemberThatDies(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil).running()
		alone := a.next()
		var cut atomic.Bool
		w.between = func(ctx context.Context, r heartbeat.Request, inner heartbeat.Transport) heartbeat.Response {
			if cut.Load() {
				<-ctx.Done()
				return heartbeat.Response{Code: classic.CodeDisconnect}
			}
			return inner.Send(ctx, r)
		}
		b := w.app("b", func(c *heartbeat.Config) { c.Lease = true }).running()
		<-alone.ctx.Done()
		alone.result <- nil
		ofA, ofB := a.next(), b.next()

		cut.Store(true)
		began := time.Now()
		<-ofB.ctx.Done() // it finds out by itself
		require.Less(t, time.Since(began), 45*time.Second)
		require.Equal(t, "LEASE_EXPIRED", causeOf(ofB.ctx).Name)
		require.NoError(t, ofA.ctx.Err(), "the partitions go to nobody before")
		<-ofA.ctx.Done()
		require.Less(t, time.Since(began), 50*time.Second)
		ofA.result <- nil
		alone = a.next()
		require.Greater(t, alone.session.Generation(), ofA.session.Generation())
		ofB.result <- nil
		a.stop(alone)
		require.ErrorIs(t, context.Cause(alone.ctx), errStop)
	})
}

// Nothing mends that the application has closed the client under a member: whoever waits is told, at the latest with the
// next heartbeat.
func TestAClosedClient(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", nil).running()
		work := a.next()
		a.client.Close()
		began := time.Now()
		<-work.ctx.Done()
		work.result <- nil
		require.ErrorIs(t, <-a.ended, classic.CodeTransportClosed)
		require.LessOrEqual(t, time.Since(began), 4*time.Second)

		fresh := w.app("b", nil)
		fresh.client.Close()
		require.ErrorIs(t, fresh.Poll(t.Context()), classic.CodeTransportClosed, "also of who is in no group")
	})
}

func TestAnOutage(t *testing.T) {
	for name, test := range map[string]struct {
		lasts    time.Duration
		survives bool
	}{
		"shorter than the session": {30 * time.Second, true},
		"longer than the session":  {2 * time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				a := w.app("a", nil).running()
				first := a.next()
				w.pass(time.Minute)
				for key := range ways {
					w.answer(key, answer{way: byCut, forever: true})
				}
				w.pass(test.lasts)
				for key := range ways {
					w.relent(key)
				}
				if test.survives {
					w.pass(10 * time.Minute)
					require.NoError(t, first.ctx.Err())
					require.Equal(t, first.session.Generation(), a.Generation())
					a.stop(first)
					return
				}
				require.NoError(t, first.ctx.Err(), "the coordinator decides")
				<-first.ctx.Done()
				require.Equal(t, "UNKNOWN_MEMBER_ID", causeOf(first.ctx).Name)
				first.result <- nil
				second := a.next()
				w.pass(10 * time.Minute)
				require.NoError(t, second.ctx.Err())
				a.stop(second)
			})
		})
	}
}

// The protocols that are offered last count from the next join on.
func TestSetProtocols(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		var seen []string
		w.assignor = func(ctx context.Context, a *app, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
			seen = append(seen, string(in.Members[0].Metadata))
			return a.assign(ctx, in)
		}
		a := w.app("a", nil)
		w.hold(kmsg.JoinGroup)
		go func() { _ = a.Poll(t.Context()) }()
		w.pass(time.Second)
		for _, metadata := range []string{"1", "2", "3"} {
			require.NoError(t, a.SetProtocols([]heartbeat.Protocol{{Name: "echo", Metadata: []byte(metadata)}}))
		}
		require.NoError(t, w.release(kmsg.JoinGroup, answer{}))
		w.pass(time.Second)
		require.Equal(t, []string{"3"}, seen)
		require.Error(t, a.SetProtocols(nil))
		require.NoError(t, a.SetProtocols([]heartbeat.Protocol{{Name: "echo", Metadata: []byte("4")}}))
		require.NoError(t, a.Poll(t.Context()), "it asks for no rebalance")
		a.Rejoin("because")
		a.join()
		require.Equal(t, []string{"3", "4"}, seen)
	})
}

// A connection that has fallen silent holds up what comes after it; a second one keeps the session.
func TestASilentConnectionCostsNoSession(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		a := w.app("a", session(10*time.Second)).running()
		work := a.next()
		w.answer(kmsg.Heartbeat, answer{way: byNothing})
		w.pass(10 * time.Minute)
		require.NoError(t, work.ctx.Err())
		a.stop(work)
	})
}
