package franz

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

func member(id, instance string, topics ...string) heartbeat.JoinMember {
	m := kmsg.NewConsumerMemberMetadata()
	m.Topics = topics
	return heartbeat.JoinMember{ID: id, Instance: instance, Metadata: m.AppendTo(nil)}
}

func input(protocol string, members ...heartbeat.JoinMember) heartbeat.AssignmentInput {
	return heartbeat.AssignmentInput{Group: "g", Generation: 5, Leader: "m", Protocol: protocol, Members: members}
}

func TestTheLeaderDividesTheTopicsOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1, kfake.SeedTopics(4, "a"), kfake.SeedTopics(2, "b"))
		c := newConsumer(t, n.client(), []string{"a"}, kgo.RoundRobinBalancer())
		// Some clients say version 1 and then leave out what it has; franz-go reads that by writing into it.
		short := heartbeat.JoinMember{ID: "1", Metadata: []byte{0, 1, 0, 0, 0, 1, 0, 1, 'a', 0xff, 0xff, 0xff, 0xff}}
		in := input("roundrobin", short, member("0", "", "a", "missing"), member("9", "second", "a", "b"), member("8", "third", "a"), member("7", "first", "a"))
		plan, err := c.Assign(t.Context(), in)
		require.NoError(t, err)
		got := map[string]Partitions{}
		for _, a := range plan {
			got[a.Member], err = c.read("roundrobin", a.Data)
			require.NoError(t, err)
		}
		require.Equal(t, map[string]Partitions{
			"7": {"a": {0}}, // static members come first, in the order of their instance ids
			"9": {"a": {1}, "b": {0, 1}},
			"8": {"a": {2}},
			"0": {"a": {3}},
			"1": {},
		}, got)
		require.Equal(t, byte(1), short.Metadata[1], "the input has been written to")
	})
}

func TestAnAssignmentThatFails(t *testing.T) {
	tests := map[string]struct {
		protocol string
		member   heartbeat.JoinMember
		fault    *kmsg.MetadataResponse
		want     string
	}{
		"a protocol of somebody else's": {"sticky", member("m", "", "a"), nil, `the group chose "sticky", which this member does not offer`},
		"metadata of somebody else's":   {"range", heartbeat.JoinMember{ID: "m", Metadata: []byte("?")}, nil, `protocol "range": unable to read member metadata`},
		"a balancer without a plan":     {"none", member("m", "", "a"), nil, `protocol "none": its balancer has returned neither a plan nor an error`},
		"a topic that is not to be seen": {"range", member("m", "", "a"), &kmsg.MetadataResponse{Version: 13, Topics: []kmsg.MetadataResponseTopic{
			{Topic: kmsg.StringPtr("a"), ErrorCode: 29},
		}}, `the partitions of topic "a": TOPIC_AUTHORIZATION_FAILED`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				cluster := n.cluster(1, kfake.SeedTopics(1, "a"))
				if test.fault != nil {
					cluster.ControlKey(kmsg.Metadata.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
						return test.fault, nil, true
					})
				}
				c := newConsumer(t, n.client(), []string{"a"}, kgo.RangeBalancer(), planless{kgo.RangeBalancer()})
				_, err := c.Assign(t.Context(), input(test.protocol, test.member))
				require.ErrorContains(t, err, test.want)
			})
		})
	}
}

// The group waits for its leader, which does not wait for brokers that hang.
func TestTheLeaderPassesOverBrokersThatHang(t *testing.T) {
	for hung := 1; hung <= 2; hung++ {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			brokers := newBrokers(n, 3)
			c := newConsumer(t, n.client(), []string{"a"}, kgo.RangeBalancer())
			divide := func() time.Duration {
				began := time.Now()
				_, err := c.Assign(t.Context(), input("range", member("m", "", "a")))
				require.NoError(t, err)
				return time.Since(began)
			}
			divide()
			for node := range hung {
				brokers.stop(int32(node + 1))
			}
			var longest time.Duration
			for range 12 { // the client begins with another broker each time
				longest = max(longest, divide())
			}
			require.NotZero(t, longest)
			require.LessOrEqual(t, longest, time.Duration(hung+1)*overdue) // a seed is one of them by another name
			for node := range 3 {
				brokers.stop(int32(node + 1))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			before := brokers.count(kmsg.Metadata)
			_, err := c.Assign(ctx, input("range", member("m", "", "a")))
			require.ErrorContains(t, err, "the partitions of the group's topics: ")
			require.LessOrEqual(t, brokers.count(kmsg.Metadata)-before, 20, "all hang, for a minute")
		})
	}
}

// planless is a balancer that returns nothing.
type planless struct{ kgo.GroupBalancer }

func (planless) ProtocolName() string { return "none" }

func (planless) MemberBalancer([]kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	return planless{}, nil, nil
}

func (planless) Balance(map[string]int32) kgo.IntoSyncAssignment { return nil }

func TestABalancerThatAsksLearnsOfTheCluster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(2, kfake.SeedTopics(3, "a"))
		curious := &curious{}
		c := newConsumer(t, n.client(), []string{"a"}, curious)
		_, err := c.Assign(t.Context(), input("curious", member("m", "", "a")))
		require.NoError(t, err)
		require.Equal(t, "g", curious.info.Group)
		require.Equal(t, int32(5), curious.info.Generation)
		require.Equal(t, "m", curious.info.LeaderID)
		require.Len(t, curious.info.Brokers(), 2)
		topic := curious.info.Topics()["a"]
		require.Len(t, topic.Partitions, 3)
		require.NotEmpty(t, topic.Partitions[2].Replicas)
	})
}

// curious divides nothing, and keeps what it is told.
type curious struct {
	kgo.GroupBalancer
	info kgo.BalanceInfo
}

func (*curious) ProtocolName() string { return "curious" }

func (c *curious) MemberBalancer(members []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	b, err := kgo.NewConsumerBalancer(c, members)
	return b, b.MemberTopics(), err
}

func (c *curious) Balance(b *kgo.ConsumerBalancer, _ map[string]int32) kgo.IntoSyncAssignment {
	c.info = b.Info()
	return b.NewPlan()
}
