//go:build kafka

package kafkatest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

// polled is a member that is polled until it is closed.
type polled struct {
	*franz.ConsumerMember
	t        *testing.T
	consumer *franz.Consumer
	joins    atomic.Int32 // how often it has become STABLE
	polls    sync.WaitGroup
}

func newPolled(t *testing.T, cluster *broker.Cluster, group string, balancer kgo.GroupBalancer) *polled {
	cl := newClient(t, kgo.SeedBrokers(cluster.Addrs()...))
	consumer, err := franz.NewConsumer(cl, []string{"t"}, balancer)
	require.NoError(t, err)
	p := &polled{t: t, consumer: consumer}
	p.ConsumerMember, err = p.consumer.NewMember(heartbeat.Config{
		Group: group, SessionTimeout: time.Minute, HeartbeatInterval: 300 * time.Millisecond,
	}, franz.New(cl), franz.ConsumerCallbacks{}, heartbeat.WithObserver(func(f heartbeat.Fired) {
		if f.From != classic.Stable && f.To == classic.Stable {
			p.joins.Add(1)
		}
	}))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	p.polls.Go(func() {
		for ctx.Err() == nil {
			if err := p.Poll(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("poll of group %s: %v", group, err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		p.polls.Wait()
		require.NoError(t, p.Close(context.Background()))
	})
	return p
}

// agreed waits until the group is stable with so many members, and what Kafka says of p is what p says of itself.
func (p *polled) agreed(cluster *broker.Cluster, group string, members int, owns int) {
	p.t.Helper()
	var last string
	require.Eventually(p.t, func() bool {
		g, err := describe(p.t, cluster, group)
		status, owned := p.Status(), p.consumer.Owned()
		last = fmt.Sprintf("Kafka: %s, %d members, %v; kbeat: %s, generation %d, %s", g.State, len(g.Members), err, status.State, status.Generation, owned)
		if err != nil || g.State != "Stable" || len(g.Members) != members || len(owned["t"]) != owns {
			return false
		}
		for _, m := range g.Members {
			if a, ok := m.Assigned.AsConsumer(); ok && m.MemberID == status.Member {
				given := franz.Partitions{}
				for _, t := range a.Topics {
					given[t.Topic] = t.Partitions
				}
				last += "; assigned: " + given.String()
				return given.String() == owned.String()
			}
		}
		return false
	}, patience, 100*time.Millisecond, "%s", &late{&last})
}

// late is a text that is read when it is shown.
type late struct{ text *string }

func (l *late) String() string { return *l.text }

func withTopic(t *testing.T, cluster *broker.Cluster) {
	_, err := admin(t, cluster).CreateTopic(t.Context(), 6, -1, nil, "t")
	require.NoError(t, err)
}

// Members of other clients are in the group, and lead it or follow.
func TestAGroupWithOtherClients(t *testing.T) {
	cluster := broker.Start(t)
	withTopic(t, cluster)
	strategies := map[string]kgo.GroupBalancer{
		"org.apache.kafka.clients.consumer.RangeAssignor":             kgo.RangeBalancer(),
		"org.apache.kafka.clients.consumer.StickyAssignor":            kgo.StickyBalancer(),
		"org.apache.kafka.clients.consumer.CooperativeStickyAssignor": kgo.CooperativeStickyBalancer(),
	}
	others := map[string]func(t *testing.T, group, strategy string) (stop func()){
		"franz-go": func(t *testing.T, group, strategy string) func() {
			cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.Addrs()...), kgo.ConsumerGroup(group), kgo.ConsumeTopics("t"),
				kgo.Balancers(strategies[strategy]), kgo.HeartbeatInterval(300*time.Millisecond))
			require.NoError(t, err)
			return cl.Close
		},
		"Apache Kafka": func(t *testing.T, group, strategy string) func() {
			return cluster.Consume(group, "t", "partition.assignment.strategy="+strategy, "heartbeat.interval.ms=300")
		},
	}
	for name, other := range others {
		for strategy, balancer := range strategies {
			for _, leads := range []bool{true, false} {
				group := fmt.Sprintf("%s %s %v", name, balancer.ProtocolName(), leads)
				t.Run(fmt.Sprintf("%s, %s, kbeat leads: %v", name, balancer.ProtocolName(), leads), func(t *testing.T) {
					var stop func()
					if !leads {
						stop = other(t, group, strategy)
						becomes(t, cluster, group, "Stable")
					}
					p := newPolled(t, cluster, group, balancer)
					if leads {
						p.agreed(cluster, group, 1, 6)
						stop = other(t, group, strategy)
					}
					p.agreed(cluster, group, 2, 3)
					stop()
					p.agreed(cluster, group, 1, 6)
				})
			}
		}
	}
}

// A broker's death is not a member's: the membership is kept by the cluster, so nobody joins anew.
func TestMembersOutliveTheirCoordinator(t *testing.T) {
	for _, brokers := range []int{1, 3} {
		t.Run(fmt.Sprintf("of %d brokers", brokers), func(t *testing.T) {
			cluster := broker.Start(t, broker.Brokers(brokers))
			withTopic(t, cluster)
			first := newPolled(t, cluster, "g", kgo.CooperativeStickyBalancer())
			first.agreed(cluster, "g", 1, 6)
			second := newPolled(t, cluster, "g", kgo.CooperativeStickyBalancer())
			first.agreed(cluster, "g", 2, 3)
			second.agreed(cluster, "g", 2, 3)
			before, joins := first.Status(), first.joins.Load()+second.joins.Load()

			coordinator := cluster.Broker(before.Coordinator)
			coordinator.Kill()
			if brokers == 1 {
				require.Eventually(t, func() bool { return first.Status().Coordinator == heartbeat.AnyBroker }, patience, 10*time.Millisecond)
				require.NoError(t, coordinator.Restart(t.Context()))
			}
			for _, p := range []*polled{first, second} {
				require.Eventually(t, func() bool {
					c := p.Status().Coordinator
					return c != heartbeat.AnyBroker && (brokers == 1 || c != before.Coordinator)
				}, patience, 10*time.Millisecond, "the coordinator is not found again")
				p.agreed(cluster, "g", 2, 3)
			}
			require.Equal(t, before.Member, first.Status().Member)
			require.Equal(t, before.Generation, first.Status().Generation)
			require.Equal(t, joins, first.joins.Load()+second.joins.Load(), "a member has joined anew")
		})
	}
}
