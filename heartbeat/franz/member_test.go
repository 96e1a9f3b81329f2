package franz

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// working is a member that is polled, or run, until it is closed or idle.
type working struct {
	*ConsumerMember
	t    *testing.T
	stop chan struct{} // closed when it is not to be polled any more
	done sync.WaitGroup
}

func (l *ledger) member(cl *kgo.Client, transport heartbeat.Transport, on ConsumerCallbacks, balancers ...kgo.GroupBalancer) *working {
	m, err := newConsumer(l.t, cl, []string{"t"}, balancers...).NewMember(heartbeat.Config{Group: "g"}, transport, on)
	require.NoError(l.t, err)
	w := &working{ConsumerMember: m, t: l.t, stop: make(chan struct{})}
	l.t.Cleanup(func() { // also of a test that has failed: nothing may be left running
		_ = w.Close(context.Background())
		w.done.Wait()
	})
	return w
}

func (w *working) close() {
	require.NoError(w.t, w.Close(w.t.Context()))
	w.done.Wait()
}

// idle lets nobody poll the member any more.
func (w *working) idle() {
	close(w.stop)
	w.done.Wait()
}

// poll starts a member that is polled.
func (l *ledger) poll(name string, cl *kgo.Client, transport heartbeat.Transport, balancers ...kgo.GroupBalancer) *working {
	w := l.member(cl, transport, ConsumerCallbacks{
		Assigned: func(_ context.Context, _ *heartbeat.Session, added Partitions) error {
			require.NotEmpty(l.t, added)
			l.add(name, added)
			return nil
		},
		Revoked: func(ctx context.Context, s *heartbeat.Session, removed Partitions) error {
			require.NotEmpty(l.t, removed)
			time.Sleep(50 * time.Millisecond) // something has to be finished first
			l.commit(ctx, s, removed)
			l.remove(name, removed)
			return nil
		},
		Lost: func(_ context.Context, _ *heartbeat.Session, lost Partitions) error {
			require.NotEmpty(l.t, lost)
			l.remove(name, lost)
			return nil
		},
	}, balancers...)
	w.done.Go(func() {
		for {
			err := w.Poll(l.t.Context())
			switch {
			case errors.Is(err, heartbeat.ErrClosed):
				return
			case err != nil && !errors.Is(err, heartbeat.ErrLeft):
				l.t.Errorf("%s: %v", name, err)
			}
			select {
			case <-w.Wants():
			case <-w.Done():
			case <-w.stop:
				return
			case <-time.After(time.Minute):
			}
		}
	})
	return w
}

// start starts a member: polled, or run.
type start = func(*ledger, string, *kgo.Client, heartbeat.Transport, ...kgo.GroupBalancer) *working

// comeAndGo lets three members of one process come, one after the other, and go. No partition is worked on by two at any
// moment, and in the end each by one. full looks at what there is while all are there.
func comeAndGo(t *testing.T, starts [3]start, full func(*ledger), balancers ...kgo.GroupBalancer) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(3, kfake.SeedTopics(6, "t"))
		cl := n.client()
		transport := New(cl)
		l := newLedger(t)
		settle := func(want map[string]int) {
			t.Helper()
			time.Sleep(20 * time.Second)
			require.Equal(t, want, l.shares())
		}
		a := starts[0](l, "a", cl, transport, balancers...)
		settle(map[string]int{"a": 6})
		b := starts[1](l, "b", cl, transport, balancers...)
		settle(map[string]int{"a": 3, "b": 3})
		c := starts[2](l, "c", cl, transport, balancers...)
		settle(map[string]int{"a": 2, "b": 2, "c": 2})
		full(l)
		b.close()
		settle(map[string]int{"a": 3, "c": 3})
		a.close()
		settle(map[string]int{"c": 6})
		c.close()
		require.Empty(t, l.shares(), "a closed member still works on something")
		require.Empty(t, l.uncommitted)
	})
}

// Members that are polled give up what another one gets, and with a cooperative balancer nothing else.
func TestMembersThatArePolled(t *testing.T) {
	for _, balancer := range []kgo.GroupBalancer{kgo.CooperativeStickyBalancer(), kgo.RangeBalancer()} {
		t.Run(balancer.ProtocolName(), func(t *testing.T) {
			comeAndGo(t, [3]start{(*ledger).poll, (*ledger).poll, (*ledger).poll}, func(l *ledger) {
				if balancer.IsCooperative() {
					require.Equal(t, map[string]int{"a": 6, "b": 3, "c": 2}, l.taken, "a partition has left a member that could have kept it")
				}
			}, balancer)
		})
	}
}

// A cooperative member keeps its partitions when the group joins anew; one that leaves in the middle of that gives them up.
func TestACooperativeMemberThatLeavesWhileItJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1, kfake.SeedTopics(4, "t"))
		cl := n.client()
		l := newLedger(t)
		a := l.poll("a", cl, New(cl))
		time.Sleep(5 * time.Second)
		// A second member joins once, and is not polled any more: the group waits for it when it is asked to join anew.
		stuck, err := newConsumer(t, cl, []string{"t"}).NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{})
		require.NoError(t, err)
		require.NoError(t, stuck.Poll(t.Context()))
		time.Sleep(10 * time.Second)
		a.Rejoin("for the test")
		time.Sleep(5 * time.Second)
		require.NotEmpty(t, l.shares(), "it works on while the group is joining")
		a.close()
		require.Empty(t, l.shares(), "it has left, and still works on something")
		require.NoError(t, stuck.Close(t.Context()))
	})
}

func TestAConsumerThatTheCoordinatorHasForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cluster := n.cluster(1, kfake.SeedTopics(4, "t"))
		cl := n.client()
		l := newLedger(t)
		a := l.poll("a", cl, New(cl))
		time.Sleep(10 * time.Second)
		require.Equal(t, map[string]int{"a": 4}, l.shares())
		cluster.ControlKey(kmsg.Heartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			answer := r.ResponseKind().(*kmsg.HeartbeatResponse)
			answer.ErrorCode = 25
			return answer, nil, true
		})
		time.Sleep(2 * time.Minute) // also until the member that is no more has lost its session
		require.Equal(t, map[string]int{"a": 4}, l.shares())
		require.Equal(t, map[string]int{"a": 8}, l.taken, "what was lost was not said to be lost, and is given again")
		a.close()
	})
}

func TestAMemberLetsGoBeforeItTakesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1, kfake.SeedTopics(2, "t"))
		cl := n.client()
		var told []string
		note := func(what string) func(context.Context, *heartbeat.Session, Partitions) error {
			return func(_ context.Context, _ *heartbeat.Session, p Partitions) error {
				told = append(told, fmt.Sprint(what, p["t"]))
				return nil
			}
		}
		m, err := newConsumer(t, cl, []string{"t"}, &moving{GroupBalancer: kgo.CooperativeStickyBalancer()}).
			NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{Assigned: note("assigned"), Revoked: note("revoked")})
		require.NoError(t, err)
		require.NoError(t, m.Poll(t.Context()))
		m.Rejoin("for the test")
		require.NoError(t, m.Poll(t.Context()))
		require.NoError(t, m.Close(t.Context()))
		require.Equal(t, []string{"assigned[0]", "revoked[0]", "assigned[1]", "revoked[1]"}, told)
	})
}

// moving gives its only member partition 0 at first, and then partition 1.
type moving struct {
	kgo.GroupBalancer
	moved bool
}

func (m *moving) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	b, err := kgo.NewConsumerBalancer(m, members)
	return b, b.MemberTopics(), err
}

func (m *moving) Balance(b *kgo.ConsumerBalancer, _ map[string]int32) kgo.IntoSyncAssignment {
	plan := b.NewPlan()
	partition := int32(0)
	if m.moved {
		partition = 1
	}
	m.moved = true
	plan.AddPartition(&b.Members()[0], "t", partition)
	return plan
}
