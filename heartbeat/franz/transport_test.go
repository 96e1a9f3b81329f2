package franz

import (
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// session is one member of group "g" as far as a transport needs to know it.
type session struct {
	t         *testing.T
	transport *Transport
	node      int32
	member    string
	gen       int32
}

func newSession(t *testing.T, transport *Transport) *session {
	s := &session{t: t, transport: transport, node: heartbeat.AnyBroker, gen: heartbeat.NoGeneration}
	s.node = s.do(classic.InputFindCoordinator, classic.CodeNone).Node
	return s
}

// send fills in what every request of the member has.
func (s *session) send(api classic.Input, change ...func(*heartbeat.Request)) heartbeat.Response {
	r := heartbeat.Request{
		API: api, Node: s.node, Timeout: time.Minute, Group: "g", Member: s.member, Generation: s.gen,
		ProtocolType: "work", Protocol: "p", Protocols: []heartbeat.Protocol{{Name: "p", Metadata: []byte("mine")}},
		SessionTimeout: 10 * time.Second, RebalanceTimeout: 30 * time.Second,
	}
	for _, c := range change {
		c(&r)
	}
	return s.transport.Send(s.t.Context(), r)
}

func (s *session) do(api classic.Input, want classic.Code, change ...func(*heartbeat.Request)) heartbeat.Response {
	s.t.Helper()
	r := s.send(api, change...)
	require.Equal(s.t, want, r.Code, "%s answered %s instead of %s: %v", api, r.Code, want, r.Err)
	return r
}

// join joins without waiting for MEMBER_ID_REQUIRED to be anybody's decision.
func (s *session) join() heartbeat.Response {
	s.t.Helper()
	if s.member == "" {
		s.member = s.do(classic.InputJoinGroup, classic.CodeMemberIDRequired).Member
	}
	r := s.do(classic.InputJoinGroup, classic.CodeNone)
	s.gen = r.Generation
	return r
}

func TestTheLifeOfAMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(3, kfake.SeedTopics(2, "t"))
		s := newSession(t, New(n.client()))

		joined := s.join()
		require.Equal(t, s.member, joined.Leader)
		require.Equal(t, []heartbeat.JoinMember{{ID: s.member, Metadata: []byte("mine")}}, joined.Members)

		synced := s.do(classic.InputSyncGroup, classic.CodeNone, func(r *heartbeat.Request) {
			r.Assignments = []heartbeat.Assignment{{Member: s.member, Data: []byte("yours")}}
		})
		require.Equal(t, []byte("yours"), synced.Assignment)

		s.do(classic.InputHeartbeat, classic.CodeNone)
		committed := s.do(classic.InputOffsetCommit, classic.CodeNone, func(r *heartbeat.Request) {
			r.Offsets = []heartbeat.Offset{{Topic: "t", Partition: 1, Offset: 7, LeaderEpoch: -1}}
		})
		require.Equal(t, []heartbeat.PartitionError{{Topic: "t", Partition: 1}}, committed.Partitions)
		s.do(classic.InputLeaveGroup, classic.CodeNone, func(r *heartbeat.Request) { r.Reason = "done" })
		s.do(classic.InputHeartbeat, classic.CodeUnknownMemberID)
	})
}

// A broker answers a JoinGroup when all members have sent theirs, and a follower's SyncGroup when the leader has sent its
// own. Behind one another on a connection they would wait for what stands behind them.
func TestMembersOfOneGroupShareATransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1)
		transport := New(n.client())
		leader, follower := newSession(t, transport), newSession(t, transport)
		leader.join()
		leader.do(classic.InputSyncGroup, classic.CodeNone)
		began := time.Now()

		follower.member = follower.do(classic.InputJoinGroup, classic.CodeMemberIDRequired).Member
		followed := make(chan heartbeat.Response, 1)
		go func() { followed <- follower.send(classic.InputJoinGroup) }()
		synctest.Wait() // the follower's JoinGroup is held for the leader's
		for range 3 {
			time.Sleep(time.Second)
			leader.do(classic.InputHeartbeat, classic.CodeRebalanceInProgress)
			follower.do(classic.InputHeartbeat, classic.CodeIllegalGeneration) // it has none yet
		}
		require.Len(t, leader.join().Members, 2)
		follower.gen = (<-followed).Generation
		require.Equal(t, leader.gen, follower.gen)

		go func() { followed <- follower.send(classic.InputSyncGroup) }()
		synctest.Wait() // the follower's SyncGroup is held for the leader's
		leader.do(classic.InputHeartbeat, classic.CodeNone)
		leader.do(classic.InputSyncGroup, classic.CodeNone, func(r *heartbeat.Request) {
			r.Assignments = []heartbeat.Assignment{{Member: follower.member, Data: []byte("half")}}
		})
		r := <-followed
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Equal(t, []byte("half"), r.Assignment)
		require.Equal(t, 3*time.Second, time.Since(began), "something has waited behind something")
	})
}

// A JoinGroup may be held for longer than franz-go waits for any other answer, or than it concludes from other JoinGroups.
func TestAHeldJoinGroupHasTheTimeThatItAsksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		held := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			time.Sleep(time.Hour)
			return alive(conn, key, version, correlation)
		}}
		transport := New(n.client(kgo.RequestTimeoutOverhead(time.Second)))
		transport.learn(1, n.serve(9099, held))
		for _, api := range []classic.Input{classic.InputJoinGroup, classic.InputSyncGroup} {
			r := beat(2 * time.Hour)
			r.API, r.RebalanceTimeout = api, time.Second
			end := transport.Send(t.Context(), r)
			require.Equal(t, classic.CodeNone, end.Code, "%s: %v", api, end.Err)
		}
		r := beat(10 * time.Minute)
		began := time.Now()
		end := transport.Send(t.Context(), r)
		require.Equal(t, classic.CodeDisconnect, end.Code)
		require.Equal(t, 10*time.Minute, time.Since(began), "the client's RequestTimeoutOverhead must not cut it short")
	})
}

// A connection that has not answered one member in time is left to all others that use it, those that come later included.
func TestOneLateAnswerDoesNotCutTheOthersOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		slow := &stub{answer: func(conn net.Conn, key kmsg.Key, version int16, correlation int32) []byte {
			time.Sleep(5 * time.Second)
			return alive(conn, key, version, correlation)
		}}
		transport := New(n.client())
		transport.learn(1, n.serve(9099, slow))
		patient := make(chan heartbeat.Response)
		go func() { patient <- transport.Send(t.Context(), beat(time.Minute)) }()
		synctest.Wait()
		require.Equal(t, classic.CodeDisconnect, transport.Send(t.Context(), beat(time.Second)).Code)
		r := <-patient
		require.Equal(t, classic.CodeNone, r.Code, "%v", r.Err)
		require.Equal(t, 1, slow.connections())
		require.Equal(t, classic.CodeNone, transport.Send(t.Context(), beat(time.Minute)).Code)
		require.Equal(t, 1, slow.connections(), "one member's time limit has cost the others their connection")
	})
}
