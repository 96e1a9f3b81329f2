package franz

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// run starts a member that is run.
func (l *ledger) run(name string, cl *kgo.Client, transport heartbeat.Transport, balancers ...kgo.GroupBalancer) *working {
	w := l.member(cl, transport, ConsumerCallbacks{}, balancers...)
	w.done.Go(func() {
		if err := w.Run(l.t.Context(), l.work(name)); !errors.Is(err, heartbeat.ErrClosed) {
			l.t.Errorf("%s: %v", name, err)
		}
	})
	return w
}

func (l *ledger) work(name string) func(context.Context, *heartbeat.Session, Partitions) error {
	return func(ctx context.Context, s *heartbeat.Session, p Partitions) error {
		l.add(name, p)
		defer l.remove(name, p)
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond) // something has to be finished first
		l.commit(context.WithoutCancel(ctx), s, p)
		return ctx.Err()
	}
}

// A member that is run gives everything back before each rebalance, also by a balancer that is cooperative, and in a group
// whose other members keep what they own.
func TestMembersThatRun(t *testing.T) {
	for name, test := range map[string]struct {
		balancers []kgo.GroupBalancer
		start     [3]start
	}{
		"without a balancer":      {nil, [3]start{(*ledger).run, (*ledger).run, (*ledger).run}},
		"sticky":                  {[]kgo.GroupBalancer{kgo.StickyBalancer()}, [3]start{(*ledger).run, (*ledger).run, (*ledger).run}},
		"range":                   {[]kgo.GroupBalancer{kgo.RangeBalancer()}, [3]start{(*ledger).run, (*ledger).run, (*ledger).run}},
		"led by one that is run":  {nil, [3]start{(*ledger).run, (*ledger).poll, (*ledger).poll}},
		"led by one that is not":  {nil, [3]start{(*ledger).poll, (*ledger).run, (*ledger).poll}},
		"the last one is the run": {nil, [3]start{(*ledger).poll, (*ledger).poll, (*ledger).run}},
	} {
		t.Run(name, func(t *testing.T) { comeAndGo(t, test.start, func(*ledger) {}, test.balancers...) })
	}
}

// A member is polled, claims what it owns, and is run before the group has answered: others wait for what it gives back.
func TestAMemberThatIsRunAfterItWasPolled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1, kfake.SeedTopics(5, "t"))
		cl := n.client()
		l := newLedger(t)
		transport := New(cl)
		a := l.poll("a", cl, transport)
		time.Sleep(10 * time.Second)
		b := l.poll("b", cl, transport)
		time.Sleep(20 * time.Second)
		require.Equal(t, map[string]int{"a": 3, "b": 2}, l.shares())
		a.idle()
		b.idle()

		c := l.poll("c", cl, transport)
		time.Sleep(5 * time.Second) // the others hear of it
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, a.Poll(ctx), context.DeadlineExceeded, "b has not joined yet")
		l.remove("a", a.consumer.Owned()) // what polls have given it a does not work on any more
		a.done.Go(func() {
			if err := a.Run(t.Context(), l.work("a")); !errors.Is(err, heartbeat.ErrClosed) {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 2 {
			require.NoError(t, b.Poll(t.Context()))
			time.Sleep(5 * time.Second)
		}
		shares := l.shares()
		require.Equal(t, 5, shares["a"]+shares["b"]+shares["c"], "partitions that somebody works on: %v", shares)
		for _, w := range []*working{a, b, c} {
			w.close()
		}
		require.Empty(t, l.shares())
	})
}

func TestARunEndsWithAnAssignmentThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cluster := n.cluster(1, kfake.SeedTopics(1, "t"))
		cluster.ControlKey(kmsg.SyncGroup.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			answer := r.ResponseKind().(*kmsg.SyncGroupResponse)
			answer.MemberAssignment = []byte("?")
			return answer, nil, true
		})
		cl := n.client()
		l := newLedger(t)
		m := l.member(cl, New(cl), ConsumerCallbacks{})
		err := m.Run(t.Context(), func(context.Context, *heartbeat.Session, Partitions) error {
			t.Error("there is nothing to work on")
			return nil
		})
		require.ErrorContains(t, err, `assignment of protocol "cooperative-sticky" in generation 1`)
		m.close()
	})
}

func TestAConfigThatCannotBe(t *testing.T) {
	cl := unconnected(t)
	_, err := newConsumer(t, cl, []string{"t"}).NewMember(heartbeat.Config{}, New(cl), ConsumerCallbacks{})
	var config *heartbeat.ConfigError
	require.ErrorAs(t, err, &config)
	require.Equal(t, "Group", config.Field)
}
