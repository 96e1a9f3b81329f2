//go:build kafka

package kafkatest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

// patience is how long a test waits for a cluster to come to where it must. A machine that has much else to do takes long.
const patience = 2 * time.Minute

// session is a member as far as a transport knows of one: no rule decides anything here.
type session struct {
	t         *testing.T
	transport *franz.Transport
	group     string
	instance  string
	node      int32
	member    string
	gen       int32
}

// newSession looks up the coordinator of a group until there is one.
func newSession(t *testing.T, transport *franz.Transport, group string) *session {
	s := &session{t: t, transport: transport, group: group, gen: heartbeat.NoGeneration}
	s.find()
	return s
}

// find looks the coordinator up, while the answer is one of those by which a cluster says that it is not ready.
func (s *session) find() {
	s.t.Helper()
	s.node = heartbeat.AnyBroker
	s.node = s.until(classic.InputFindCoordinator, classic.CodeNone,
		classic.CodeCoordinatorNotAvailable, classic.CodeDisconnect).Node
}

// until sends a request again, after a moment, while it ends by one of the codes in between.
func (s *session) until(api classic.Input, want classic.Code, between ...classic.Code) heartbeat.Response {
	s.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		r := s.send(api)
		if r.Code == want {
			return r
		}
		require.True(s.t, slices.Contains(between, r.Code), "%s ended by %s before %s: %v", api, r.Code, want, r.Err)
		require.True(s.t, time.Now().Before(deadline), "%s still ends by %s, not %s: %v", api, r.Code, want, r.Err)
		time.Sleep(100 * time.Millisecond) // the brokers live in real time
	}
}

func (s *session) do(api classic.Input, want classic.Code, change ...func(*heartbeat.Request)) heartbeat.Response {
	s.t.Helper()
	r := s.send(api, change...)
	require.Equal(s.t, want, r.Code, "%s ended by %s instead of %s: %v", api, r.Code, want, r.Err)
	return r
}

func (s *session) send(api classic.Input, change ...func(*heartbeat.Request)) heartbeat.Response {
	r := heartbeat.Request{
		API: api, Node: s.node, Timeout: 30 * time.Second, Group: s.group, Member: s.member, Instance: s.instance,
		Generation: s.gen, ProtocolType: "work", Protocol: "p",
		Protocols:      []heartbeat.Protocol{{Name: "p", Metadata: []byte("mine")}},
		SessionTimeout: time.Minute, RebalanceTimeout: 30 * time.Second, Reason: "a test wants it",
	}
	for _, c := range change {
		c(&r)
	}
	return s.transport.Send(s.t.Context(), r)
}

// join joins, through the answers that a coordinator gives on the way.
func (s *session) join() heartbeat.Response {
	s.t.Helper()
	if s.member == "" && s.instance == "" {
		s.member = s.until(classic.InputJoinGroup, classic.CodeMemberIDRequired, classic.CodeCoordinatorLoadInProgress, classic.CodeNotCoordinator).Member
	}
	r := s.until(classic.InputJoinGroup, classic.CodeNone, classic.CodeCoordinatorLoadInProgress, classic.CodeNotCoordinator)
	s.member, s.gen = r.Member, r.Generation
	return r
}

// stable joins a group of one.
func (s *session) stable() {
	s.t.Helper()
	s.join()
	s.do(classic.InputSyncGroup, classic.CodeNone, func(r *heartbeat.Request) {
		r.Assignments = []heartbeat.Assignment{{Member: s.member, Data: []byte("all")}}
	})
}

func newClient(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.ClientID("kbeat-test")}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// admin is Kafka's own view, by a client of its own: one that has lived through the death of a broker has a dead
// connection, whose end it takes for a refusal.
func admin(t *testing.T, cluster *broker.Cluster) *kadm.Client {
	return kadm.NewClient(newClient(t, kgo.SeedBrokers(cluster.Addrs()...)))
}

// described is how Kafka's own admin sees a group, as soon as it does.
func described(t *testing.T, cluster *broker.Cluster, group string) (g kadm.DescribedGroup) {
	t.Helper()
	var err error
	require.Eventually(t, func() bool {
		g, err = describe(t, cluster, group)
		return err == nil
	}, patience, 100*time.Millisecond, "group %q cannot be described", group)
	return g
}

// describe asks once; a cluster that has lost a broker may not be ready to say.
func describe(t *testing.T, cluster *broker.Cluster, group string) (kadm.DescribedGroup, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	groups, err := admin(t, cluster).DescribeGroups(ctx, group)
	if err != nil {
		return kadm.DescribedGroup{}, err
	}
	g, err := groups.On(group, nil)
	if err == nil {
		err = g.Err
	}
	return g, err
}

// becomes waits until Kafka says that a group is in a state.
func becomes(t *testing.T, cluster *broker.Cluster, group, state string) {
	t.Helper()
	require.Eventually(t, func() bool {
		g, err := describe(t, cluster, group)
		return err == nil && g.State == state
	}, patience, 100*time.Millisecond, "group %q does not become %s", group, state)
}
