package franz

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// request is one of another API than Heartbeat to node 1.
func request(api classic.Input, timeout time.Duration) heartbeat.Request {
	r := beat(timeout)
	r.API = api
	return r
}

// A commit that is given up, or is too late, is on its way: the next one must stand behind it, on the same connection, or
// the older offset may win.
func TestACommitFollowsTheOneThatWasGivenUp(t *testing.T) {
	for name, end := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"cancelled": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		},
		"the caller's deadline": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		},
		"the request's own limit": context.WithCancel,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				c := newConnections(n)
				var order []int
				var mu sync.Mutex
				broker := &stopped{}
				transport := New(n.client(kgo.Dialer(c.dial), kgo.ConnIdleTimeout(5*time.Second)))
				transport.learn(1, n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
					mu.Lock()
					defer mu.Unlock()
					order = append(order, c.of(conn, key))
					return broker.answer(conn, key, version, correlation)
				}}))
				for range 3 {
					ctx, cancel := end(t.Context())
					r := transport.Send(ctx, request(classic.InputOffsetCommit, 30*time.Second))
					require.Equal(t, classic.CodeDisconnect, r.Code, "%v", r.Err)
					cancel()
					time.Sleep(20 * time.Second) // more than connections may be idle
				}
				time.AfterFunc(time.Second, broker.goOn)
				r := transport.Send(t.Context(), request(classic.InputOffsetCommit, 30*time.Second))
				require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
				require.Equal(t, []int{1, 1, 1, 1}, order, "the connection of each commit")
			})
		})
	}
}

// A commit connection that answers nothing, while the broker answers on another, is dead.
func TestACommitLeavesADeadConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newConnections(n)
		var dead atomic.Bool
		transport := New(n.client(kgo.Dialer(c.dial)))
		transport.learn(1, n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if c.of(conn, key) == 1 && dead.Load() {
				return nil
			}
			return alive(conn, key, version, correlation)
		}}))
		commit := request(classic.InputOffsetCommit, 30*time.Second)
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), commit).Code)
		dead.Store(true)
		beats, stop := context.WithCancel(t.Context())
		var member sync.WaitGroup
		member.Go(func() {
			for beats.Err() == nil {
				transport.Send(beats, beat(10*time.Second))
				time.Sleep(3 * time.Second)
			}
		})
		defer member.Wait()
		defer stop()
		impatient := commit
		impatient.Timeout = 5 * time.Second
		for range 2 {
			require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), impatient).Code)
		}
		require.Equal(t, int32(2), c.open.Load(), "one for heartbeats; 10 s are less than the longest limit of a commit")
		require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), commit).Code)
		r := transport.Send(t.Context(), commit)
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
	})
}

// LeaveGroup waits neither behind a JoinGroup or SyncGroup that is held, nor behind a Heartbeat that hangs.
func TestALeaveGroupHasAConnectionOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		c := newConnections(n)
		stuck := make(chan struct{})
		release := sync.OnceFunc(func() { close(stuck) })
		defer release()
		transport := New(n.client(kgo.Dialer(c.dial), kgo.ConnIdleTimeout(10*time.Second)))
		transport.learn(1, n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			if key != kmsg.LeaveGroup {
				<-stuck
			}
			return alive(conn, key, version, correlation)
		}}))
		var others sync.WaitGroup
		stuckOnes := []classic.Input{classic.InputJoinGroup, classic.InputSyncGroup, classic.InputHeartbeat, classic.InputOffsetCommit}
		for _, api := range stuckOnes {
			others.Go(func() {
				r := transport.Send(t.Context(), request(api, time.Hour))
				require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
			})
		}
		synctest.Wait()
		began := time.Now()
		for range 3 {
			r := transport.Send(t.Context(), request(classic.InputLeaveGroup, 5*time.Second))
			require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		}
		require.Zero(t, time.Since(began))
		require.Equal(t, int32(len(stuckOnes)+1), c.open.Load(), "the leaving members share one connection")
		time.Sleep(25 * time.Second)
		require.Equal(t, int32(len(stuckOnes)), c.open.Load(), "it is closed when it has rested")
		release()
		others.Wait()
	})
}

// One member's short time limit costs the others neither the connection nor their answers, whatever the API.
func TestOneMembersLimitSpendsNoSharedConnection(t *testing.T) {
	for _, api := range []classic.Input{classic.InputHeartbeat, classic.InputOffsetCommit, classic.InputLeaveGroup} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			broker := &stopped{}
			s := &stub{answer: broker.answer}
			transport := New(n.client())
			transport.learn(1, n.serve(9099, s))
			patient := make(chan heartbeat.Response)
			go func() { patient <- transport.Send(t.Context(), request(api, time.Minute)) }()
			synctest.Wait()
			for range 5 {
				require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), request(api, time.Second)).Code)
			}
			time.AfterFunc(time.Second, broker.goOn)
			r := transport.Send(t.Context(), request(api, 2*time.Second))
			require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
			require.Equal(t, classic.CodeNone, (<-patient).Code)
			require.Equal(t, 1, s.connections(), "%s", api)
		})
	}
}

// A connection that has answered nobody for the longest limit of all is left, also without a second connection.
func TestASilentConnectionIsLeft(t *testing.T) {
	for _, api := range []classic.Input{classic.InputHeartbeat, classic.InputLeaveGroup} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			c := newConnections(n)
			transport := New(n.client(kgo.Dialer(c.dial)))
			transport.learn(1, n.serve(9099, &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
				if c.of(conn, key) == 1 {
					return nil
				}
				return alive(conn, key, version, correlation)
			}}))
			require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), request(api, 10*time.Second)).Code)
			require.Equal(t, classic.CodeNone, transport.Send(t.Context(), request(api, 10*time.Second)).Code)
			synctest.Wait()
			require.Equal(t, int32(1), c.open.Load())
		})
	}
}

// A JoinGroup and a SyncGroup have a connection each, which ends with them: nobody else is to wait behind them.
func TestAHeldRequestThatIsGivenUpClosesItsConnection(t *testing.T) {
	for _, api := range []classic.Input{classic.InputJoinGroup, classic.InputSyncGroup} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			c := newConnections(n)
			transport := New(n.client(kgo.Dialer(c.dial)))
			transport.learn(1, n.serve(9099, &stub{answer: silent}))
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			require.Equal(t, classic.CodeDisconnect, transport.Send(ctx, request(api, time.Hour)).Code)
			synctest.Wait()
			require.Zero(t, c.open.Load())
			require.Empty(t, remembered(transport), "the next one would be sent into the end of the connection")
		})
	}
}

// Commits are written in their turn, whichever goroutine runs first, also while there is no connection yet. One that ends before
// it was written lets the next one go.
func TestCommitsAreWrittenInTheirTurn(t *testing.T) {
	const commits = 20
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cluster := n.cluster(1)
		var mu sync.Mutex
		var order []int64
		cluster.ControlKey(kmsg.OffsetCommit.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			mu.Lock()
			defer mu.Unlock()
			order = append(order, r.(*kmsg.OffsetCommitRequest).Topics[0].Partitions[0].Offset)
			return r.ResponseKind(), nil, true
		})
		transport := New(n.client(kgo.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
			time.Sleep(100 * time.Millisecond)
			return n.DialContext(ctx, network, addr)
		})))
		transport.learn(1, "localhost:9001")
		var turn *heartbeat.Turn
		var wanted []int64
		var all sync.WaitGroup
		for i := range int64(commits) {
			turn = turn.Next()
			r := request(classic.InputOffsetCommit, 10*time.Second)
			r.Offsets, r.Turn = []heartbeat.Offset{{Topic: "t", Offset: i, LeaderEpoch: -1}}, turn
			ctx := t.Context()
			if i%5 == 3 {
				over, cancel := context.WithCancel(ctx)
				cancel()
				ctx = over
			} else {
				wanted = append(wanted, i)
			}
			all.Go(func() {
				time.Sleep(time.Duration(commits-i) * time.Millisecond)
				transport.Send(ctx, r)
				r.Turn.Written()
			})
		}
		all.Wait()
		require.Equal(t, wanted, order)
	})
}
