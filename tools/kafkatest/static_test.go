//go:build kafka

package kafkatest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

// A first JoinGroup that was given up may reach the broker behind one that was sent later, and then takes the place of its own
// process. That process joins once more, and is not fenced again.
func TestAStaticMemberIsNotFencedByItself(t *testing.T) {
	const each = 8
	cluster := broker.Start(t)
	var all, leavers []*watched
	var release []func()
	for i := range 2 * each {
		tr := franz.New(newClient(t, kgo.SeedBrokers(cluster.Addrs()...)))
		group := fmt.Sprintf("g%d", i)
		newSession(t, tr, group+" before").stable() // leaves a connection on which a JoinGroup can be sent to a stopped broker
		m := newWatched(t, group, heartbeat.Config{
			Group: group, InstanceID: "i", SessionTimeout: time.Minute, HeartbeatInterval: 300 * time.Millisecond,
			RequestTimeout: 2 * time.Second, MaxPollInterval: 3 * time.Second, // so a JoinGroup ends after 8 s
		}, tr, nil)
		if i < each {
			leavers = append(leavers, m)
		}
		all, release = append(all, m), append(release, m.hold(classic.InputJoinGroup))
		m.poll()
	}
	joins := func(m *watched) int { return len(m.requests(classic.InputJoinGroup, m.began)) }
	for _, m := range all {
		require.Eventually(t, func() bool { return joins(m) == 1 }, patience, 10*time.Millisecond, "%s does not join", m.name)
	}
	cluster.Broker(1).Suspend()
	for _, r := range release {
		r()
	}
	time.Sleep(time.Second) // the requests are in the sockets of the broker
	for _, m := range leavers {
		require.NoError(t, m.Leave(t.Context(), heartbeat.LeaveIfDynamic, "unsubscribe"))
	}
	for _, m := range all {
		require.Eventually(t, func() bool {
			return joins(m) > 1 || m.ended(classic.InputJoinGroup, classic.CodeDisconnect, m.began) > 0
		}, patience, 10*time.Millisecond, "%s does not give its JoinGroup up", m.name)
	}
	cluster.Broker(1).Resume()

	resumed := time.Now()
	well := map[*watched]time.Time{}
	require.Eventually(t, func() bool {
		lasting := 0
		for _, m := range all {
			if m.State() != classic.Stable {
				delete(well, m)
				continue
			}
			if well[m].IsZero() {
				well[m] = time.Now()
			}
			if m.ended(classic.InputHeartbeat, classic.CodeNone, well[m]) >= 20 {
				lasting++
			}
		}
		return lasting == len(all)
	}, patience, 10*time.Millisecond, "not all members are in their groups to stay")
	fenced, slowest := 0, time.Duration(0)
	for _, m := range all {
		slowest = max(slowest, well[m].Sub(resumed))
		require.NoError(t, m.failures(), m.name)
		for _, api := range []classic.Input{classic.InputJoinGroup, classic.InputSyncGroup, classic.InputHeartbeat} {
			fenced += m.ended(api, classic.CodeFencedInstanceID, m.began)
		}
		g := described(t, cluster, m.name)
		require.Len(t, g.Members, 1)
		require.Equal(t, m.Status().Member, g.Members[0].MemberID)
	}
	t.Logf("%d members were fenced %d times; the last one was back for good %s after the broker", len(all), fenced, slowest.Round(time.Millisecond))
}

// What a static member does within its session is nothing to the others; leaving for good is.
func TestAStaticMemberThatComesBackCostsNoRebalance(t *testing.T) {
	cluster := broker.Start(t)
	config := heartbeat.Config{Group: "g", SessionTimeout: time.Minute, HeartbeatInterval: 300 * time.Millisecond}
	start := func(instance string) *watched {
		config.InstanceID = instance
		m := newWatched(t, instance, config, franz.New(newClient(t, kgo.SeedBrokers(cluster.Addrs()...))), nil)
		m.poll()
		return m
	}
	members := map[string]*watched{}
	for _, instance := range []string{"leader", "follower", "other"} {
		members[instance] = start(instance)
		members[instance].becomes(classic.Stable)
	}
	together := func() (generation int32) {
		t.Helper()
		require.Eventually(t, func() bool {
			generation = members["other"].Generation()
			for _, m := range members {
				s := m.Status()
				if s.State != classic.Stable || s.Generation != generation || s.Heartbeats > 0 {
					return false
				}
			}
			return describedIs(t, cluster, "Stable", len(members))
		}, patience, 50*time.Millisecond, "the members are not in one generation")
		return generation
	}
	generation, since := together(), time.Now()
	quiet := func(what string, who *watched) {
		t.Helper()
		who.becomes(classic.Stable)
		since := time.Now()
		require.Eventually(t, func() bool {
			for _, m := range members {
				if m.ended(classic.InputHeartbeat, classic.CodeNone, since) < 3 {
					return false
				}
			}
			return true
		}, patience, 50*time.Millisecond, "%s: heartbeats are not answered", what)
		require.Equal(t, generation, together(), "%s has cost a rebalance", what)
	}
	for _, instance := range []string{"leader", "follower"} {
		m := members[instance]
		left := time.Now()
		require.NoError(t, m.Leave(t.Context(), heartbeat.LeaveIfDynamic, "unsubscribe"))
		require.Eventually(t, func() bool { return len(m.requests(classic.InputJoinGroup, left)) > 0 }, patience, 10*time.Millisecond)
		quiet("a leave of the "+instance, m)
		require.Empty(t, m.requests(classic.InputLeaveGroup, left))

		m.end() // nothing is sent, as by a process that is killed
		members[instance] = start(instance)
		quiet("another process of the "+instance, members[instance])
		require.NoError(t, members[instance].failures())
	}
	require.Empty(t, members["other"].requests(classic.InputJoinGroup, since), "the other one had to join anew")

	gone := members["follower"]
	delete(members, "follower")
	gone.pause()
	require.NoError(t, gone.Leave(t.Context(), heartbeat.LeaveAlways, "scaling down"))
	require.Len(t, gone.requests(classic.InputLeaveGroup, since), 1)
	require.Greater(t, together(), generation, "what it did is divided anew")
}

func describedIs(t *testing.T, cluster *broker.Cluster, state string, members int) bool {
	g, err := describe(t, cluster, "g")
	return err == nil && g.State == state && len(g.Members) == members
}
