package franz

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// The coordinator's address is one that this machine cannot resolve, as with wrong advertised.listeners. The lookup before
// each try succeeds; what Poll says is why joining does not.
func TestPollSaysWhyTheCoordinatorCannotBeReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		cluster := n.cluster(1, kfake.SeedTopics(1, "t"))
		cluster.ControlKey(kmsg.FindCoordinator.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			answer := r.ResponseKind().(*kmsg.FindCoordinatorResponse)
			for _, k := range r.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
				answer.Coordinators = append(answer.Coordinators, kmsg.FindCoordinatorResponseCoordinator{Key: k, Host: "broker.internal", Port: 9092})
			}
			return answer, nil, true
		})
		cl := n.client(kgo.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasPrefix(addr, "broker.internal") {
				return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: "broker.internal", IsNotFound: true}}
			}
			return n.DialContext(ctx, network, addr)
		}))
		m, err := newConsumer(t, cl, []string{"t"}).NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		err = m.Poll(ctx)
		require.NoError(t, m.Close(t.Context()))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, classic.CodeDisconnect)
		require.ErrorContains(t, err, `the last failure: group "g": JoinGroup at broker 0 in PREPARING_REBALANCE: DISCONNECT`)
		require.ErrorContains(t, err, "broker.internal:9092 was not sent")
		require.ErrorContains(t, err, "no such host")
	})
}

// A topic was deleted while its partitions are worked on. What cannot be committed in a revocation does not hold up the
// group, and what can be is.
func TestADeletedTopicDoesNotHoldUpARevocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1, kfake.SeedTopics(2, "keep", "gone"))
		cl := n.client()
		var committed error
		a, err := newConsumer(t, cl, []string{"keep", "gone"}).NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{
			Revoked: func(ctx context.Context, s *heartbeat.Session, p Partitions) error {
				var at []heartbeat.Offset
				for topic, partitions := range p {
					for _, q := range partitions {
						at = append(at, heartbeat.Offset{Topic: topic, Partition: q, Offset: 1, LeaderEpoch: -1})
					}
				}
				committed = s.Commit(ctx, at)
				return committed
			},
		})
		require.NoError(t, err)
		polling(t, a)
		time.Sleep(10 * time.Second)
		_, err = kadm.NewClient(cl).DeleteTopics(t.Context(), "gone")
		require.NoError(t, err)
		c := newConsumer(t, cl, []string{"keep"})
		b, err := c.NewMember(heartbeat.Config{Group: "g"}, New(cl), ConsumerCallbacks{})
		require.NoError(t, err)
		polling(t, b)
		began := time.Now()
		for len(c.Owned()) == 0 {
			time.Sleep(time.Second)
		}
		require.Less(t, time.Since(began), 90*time.Second)
		var e *heartbeat.Error
		require.ErrorAs(t, committed, &e)
		for _, p := range e.Partitions {
			require.Equal(t, "gone", p.Topic)
		}
	})
}

// polling polls m until the test ends.
func polling(t *testing.T, m *ConsumerMember) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			_ = m.Poll(ctx)
			select {
			case <-ctx.Done():
			case <-m.Wants():
			case <-time.After(time.Second):
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		_ = m.Close(context.Background())
	})
}
