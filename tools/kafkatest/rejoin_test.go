//go:build kafka

package kafkatest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

// seconds is far less than any time limit of a request, and much for a busy machine.
const seconds = 10 * time.Second

// The coordinator answers a SyncGroup that it holds only when the leader has divided the work, and not at all once the member has
// left: it must not be waited for.
func TestAMemberThatLeavesWhileSyncGroupIsHeldRejoinsWithinSeconds(t *testing.T) {
	cluster := broker.Start(t)
	tr := franz.New(newClient(t, kgo.SeedBrokers(cluster.Addrs()...)))
	config := heartbeat.Config{Group: "g", HeartbeatInterval: 500 * time.Millisecond, SessionTimeout: time.Minute}
	dividing, divided := make(chan struct{}), make(chan struct{})
	var once sync.Once
	a := newWatched(t, "a", config, tr, func(members int) {
		if members > 1 {
			once.Do(func() { close(dividing); <-divided })
		}
	})
	a.poll()
	a.becomes(classic.Stable)
	b := newWatched(t, "b", config, tr, nil)
	b.poll()
	<-dividing
	require.Eventually(t, func() bool { return len(b.requests(classic.InputSyncGroup, b.began)) > 0 }, patience, 10*time.Millisecond)
	time.Sleep(time.Second) // the broker lives in real time: SyncGroup has arrived there

	left := time.Now()
	require.NoError(t, b.Leave(t.Context(), heartbeat.LeaveIfDynamic, "unsubscribe"))
	close(divided)
	require.Eventually(t, func() bool { return b.State() == classic.Stable && a.State() == classic.Stable }, patience, 10*time.Millisecond)
	took := time.Since(left)
	t.Logf("STABLE again %s after the leave", took.Round(time.Millisecond))
	require.Less(t, took, seconds, "something has waited for the SyncGroup")
	require.NoError(t, b.failures())
}

// A JoinGroup that the coordinator holds is not waited for when another broker has become the coordinator.
func TestAJoinGroupFollowsTheCoordinator(t *testing.T) {
	for name, fault := range map[string]func(*broker.Broker){"killed": (*broker.Broker).Kill, "stopped": (*broker.Broker).Suspend} {
		t.Run(name, func(t *testing.T) {
			cluster := broker.Start(t, broker.Brokers(3))
			cl := newClient(t, kgo.SeedBrokers(cluster.Addrs()...))
			inGroup := newSession(t, franz.New(cl), "g") // it does not rejoin, so the coordinator holds what others send
			inGroup.stable()
			m := newWatched(t, "m", heartbeat.Config{Group: "g"}, franz.New(cl), nil)
			m.poll()
			// The first JoinGroup is answered with an id, the second is held.
			require.Eventually(t, func() bool { return len(m.requests(classic.InputJoinGroup, m.began)) == 2 }, patience, 10*time.Millisecond)
			inSync(t, cluster)
			time.Sleep(time.Second) // the brokers live in real time: JoinGroup has arrived there

			before := inGroup.node
			faulty := time.Now()
			fault(cluster.Broker(before))
			named := movedFrom(t, cluster, "g", before)
			var joined time.Time
			require.Eventually(t, func() bool {
				for _, r := range m.requests(classic.InputJoinGroup, faulty) {
					if r.Node != before && joined.IsZero() {
						joined = r.at
					}
				}
				return !joined.IsZero()
			}, patience, 10*time.Millisecond, "it stays at broker %d", before)
			t.Logf("another coordinator was named %s after the fault, and JoinGroup sent to it %s after that",
				named.Sub(faulty).Round(time.Millisecond), joined.Sub(named).Round(time.Millisecond))
			require.Less(t, joined.Sub(named), 15*time.Second, "it asks for the coordinator every 10 s; the rest is for a busy machine")
			require.NoError(t, m.failures())
		})
	}
}

// movedFrom waits until a broker names another coordinator than that one, and returns when it did.
func movedFrom(t *testing.T, cluster *broker.Cluster, group string, before int32) time.Time {
	t.Helper()
	var clients []*kgo.Client
	for i, addr := range cluster.Addrs() {
		if int32(i+1) != before {
			clients = append(clients, newClient(t, kgo.SeedBrokers(addr)))
		}
	}
	require.Eventually(t, func() bool {
		for _, cl := range clients {
			r := kmsg.NewPtrFindCoordinatorRequest()
			r.CoordinatorKey, r.CoordinatorKeys = group, []string{group}
			answer, err := cl.SeedBrokers()[0].Request(t.Context(), r)
			if err != nil {
				continue
			}
			for _, c := range answer.(*kmsg.FindCoordinatorResponse).Coordinators {
				if c.ErrorCode == 0 && c.NodeID != before {
					return true
				}
			}
		}
		return false
	}, patience, 50*time.Millisecond, "no other coordinator is named")
	return time.Now()
}
