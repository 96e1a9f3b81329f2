//go:build kafka

package kafkatest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

func TestOneBroker(t *testing.T) {
	cluster := broker.Start(t)
	cl := newClient(t, kgo.SeedBrokers(cluster.Addrs()...))
	adm := admin(t, cluster)
	_, err := adm.CreateTopic(t.Context(), 2, -1, nil, "t")
	require.NoError(t, err)
	transport := franz.New(cl)

	t.Run("a member's life", func(t *testing.T) {
		s := newSession(t, transport, "life")
		joined := s.join()
		require.Equal(t, s.member, joined.Leader)
		require.Equal(t, "work", *joined.ProtocolType)
		require.Equal(t, []heartbeat.JoinMember{{ID: s.member, Metadata: []byte("mine")}}, joined.Members)
		synced := s.do(classic.InputSyncGroup, classic.CodeNone, func(r *heartbeat.Request) {
			r.Assignments = []heartbeat.Assignment{{Member: s.member, Data: []byte("all")}}
		})
		require.Equal(t, []byte("all"), synced.Assignment)
		s.do(classic.InputHeartbeat, classic.CodeNone)
		committed := s.do(classic.InputOffsetCommit, classic.CodeUnknownTopicOrPartition, func(r *heartbeat.Request) {
			r.Offsets = []heartbeat.Offset{
				{Topic: "t", Partition: 1, Offset: 7, LeaderEpoch: -1, Metadata: "note"}, {Topic: "t", Partition: 5, Offset: 7, LeaderEpoch: -1},
			}
		})
		require.ElementsMatch(t, []heartbeat.PartitionError{
			{Topic: "t", Partition: 1}, {Topic: "t", Partition: 5, Code: classic.CodeUnknownTopicOrPartition},
		}, committed.Partitions)

		g := described(t, cluster, "life")
		require.Equal(t, "Stable", g.State)
		require.Equal(t, "work", g.ProtocolType)
		require.Len(t, g.Members, 1)
		require.Equal(t, s.member, g.Members[0].MemberID)
		require.Equal(t, "kbeat-test", g.Members[0].ClientID)
		offsets, err := adm.FetchOffsets(t.Context(), "life")
		require.NoError(t, err)
		offset, ok := offsets.Lookup("t", 1)
		require.True(t, ok)
		require.Equal(t, int64(7), offset.At)
		require.Equal(t, "note", offset.Metadata)

		s.do(classic.InputHeartbeat, classic.CodeIllegalGeneration, func(r *heartbeat.Request) { r.Generation++ })
		s.do(classic.InputLeaveGroup, classic.CodeNone)
		s.do(classic.InputLeaveGroup, classic.CodeUnknownMemberID)
		require.Equal(t, "Empty", described(t, cluster, "life").State)
	})

	t.Run("members of one group share a transport", func(t *testing.T) {
		leader, follower := newSession(t, transport, "shared"), newSession(t, transport, "shared")
		leader.stable()
		follower.member = follower.do(classic.InputJoinGroup, classic.CodeMemberIDRequired).Member
		followed := make(chan heartbeat.Response, 1)
		go func() { followed <- follower.send(classic.InputJoinGroup) }()
		leader.until(classic.InputHeartbeat, classic.CodeRebalanceInProgress, classic.CodeNone)
		began := time.Now()
		require.Len(t, leader.join().Members, 2)
		follower.gen = (<-followed).Generation
		go func() { followed <- follower.send(classic.InputSyncGroup) }()
		leader.do(classic.InputHeartbeat, classic.CodeNone)
		leader.do(classic.InputSyncGroup, classic.CodeNone, func(r *heartbeat.Request) {
			r.Assignments = []heartbeat.Assignment{{Member: follower.member, Data: []byte("half")}}
		})
		r := <-followed
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Equal(t, []byte("half"), r.Assignment)
		require.Less(t, time.Since(began), 20*time.Second, "something has waited for the rebalance timeout")
	})

	t.Run("two processes with one instance id", func(t *testing.T) {
		first, second := newSession(t, transport, "static"), newSession(t, transport, "static")
		first.instance, second.instance = "i", "i"
		first.stable()
		second.join()
		first.do(classic.InputHeartbeat, classic.CodeFencedInstanceID)
		g := described(t, cluster, "static")
		require.Len(t, g.Members, 1)
		require.Equal(t, second.member, g.Members[0].MemberID)
		require.Equal(t, "i", *g.Members[0].InstanceID)
	})

	t.Run("a session that nobody keeps alive", func(t *testing.T) {
		s := newSession(t, transport, "silent")
		s.member = s.do(classic.InputJoinGroup, classic.CodeMemberIDRequired).Member
		s.gen = s.do(classic.InputJoinGroup, classic.CodeNone, func(r *heartbeat.Request) { r.SessionTimeout = time.Second }).Generation
		becomes(t, cluster, "silent", "Empty")
		s.do(classic.InputHeartbeat, classic.CodeUnknownMemberID)
	})

	t.Run("a broker that hangs", func(t *testing.T) {
		s := newSession(t, transport, "hung")
		s.stable()
		cluster.Broker(1).Suspend()
		for range 2 { // the first is sent; for the second there is no connection
			began := time.Now()
			s.do(classic.InputHeartbeat, classic.CodeDisconnect, func(r *heartbeat.Request) { r.Timeout = time.Second })
			took := time.Since(began)
			require.GreaterOrEqual(t, took, 900*time.Millisecond, "the request's own limit counts")
			require.Less(t, took, 8*time.Second, "the request's own limit counts, not the client's of 10 s; a busy machine is late")
		}
		cluster.Broker(1).Resume()
		s.until(classic.InputHeartbeat, classic.CodeNone)
	})

	t.Run("a broker that is killed and comes back", func(t *testing.T) {
		s := newSession(t, transport, "killed")
		s.stable()
		cluster.Broker(1).Kill()
		s.do(classic.InputHeartbeat, classic.CodeDisconnect)
		s.do(classic.InputFindCoordinator, classic.CodeDisconnect)
		require.NoError(t, cluster.Broker(1).Restart(t.Context()))
		s.find()
		s.until(classic.InputHeartbeat, classic.CodeNone, classic.CodeCoordinatorLoadInProgress, classic.CodeNotCoordinator)
		g := described(t, cluster, "killed")
		require.Equal(t, "Stable", g.State, "the membership is kept by the brokers; nothing had to be joined again")
		require.Equal(t, s.member, g.Members[0].MemberID)
	})
}

func TestTheCoordinatorMovesWhenItsBrokerDies(t *testing.T) {
	cluster := broker.Start(t, broker.Brokers(3))
	cl := newClient(t, kgo.SeedBrokers(cluster.Addrs()...))
	s := newSession(t, franz.New(cl), "g")
	s.stable()
	before := s.node
	cluster.Broker(before).Kill()
	s.do(classic.InputHeartbeat, classic.CodeDisconnect)

	deadline := time.Now().Add(patience)
	for s.node == before {
		require.True(t, time.Now().Before(deadline), "the dead broker %d is still said to be the coordinator", before)
		s.find()
	}
	s.until(classic.InputHeartbeat, classic.CodeNone, classic.CodeCoordinatorLoadInProgress, classic.CodeNotCoordinator)
	g := described(t, cluster, "g")
	require.Equal(t, "Stable", g.State)
	require.Equal(t, s.node, g.Coordinator.NodeID)
	require.Equal(t, s.member, g.Members[0].MemberID)
}

func TestADeniedGroup(t *testing.T) {
	cluster := broker.Start(t, broker.Users(map[string]string{"alice": "wonder"}))
	as := func(user, password string) *kgo.Client {
		return newClient(t, kgo.SeedBrokers(cluster.Addrs()...), kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism()))
	}
	adm := kadm.NewClient(as("admin", broker.Admin))
	allow := func(op kadm.ACLOperation) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		results, err := adm.CreateACLs(ctx, kadm.NewACLs().Allow("User:alice").Groups("g").Operations(op).ResourcePatternType(kadm.ACLPatternLiteral))
		require.NoError(t, err)
		require.NoError(t, results[0].Err)
	}

	stranger := &session{t: t, transport: franz.New(as("alice", "wrong")), group: "g", node: heartbeat.AnyBroker}
	stranger.do(classic.InputFindCoordinator, classic.CodeAuthenticationException)

	alice := &session{t: t, transport: franz.New(as("alice", "wonder")), group: "g", node: heartbeat.AnyBroker, gen: heartbeat.NoGeneration}
	alice.until(classic.InputFindCoordinator, classic.CodeGroupAuthorizationFailed, classic.CodeCoordinatorNotAvailable)
	allow(kadm.OpDescribe)
	alice.node = alice.until(classic.InputFindCoordinator, classic.CodeNone,
		classic.CodeGroupAuthorizationFailed, classic.CodeCoordinatorNotAvailable).Node
	alice.do(classic.InputJoinGroup, classic.CodeGroupAuthorizationFailed)
	alice.do(classic.InputHeartbeat, classic.CodeGroupAuthorizationFailed)
	allow(kadm.OpRead)
	alice.until(classic.InputJoinGroup, classic.CodeMemberIDRequired,
		classic.CodeGroupAuthorizationFailed, classic.CodeCoordinatorLoadInProgress, classic.CodeNotCoordinator)
}
