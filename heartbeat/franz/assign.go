package franz

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// Assign divides the partitions of all topics that the members want, by the balancer that the group has chosen. It is a
// heartbeat.Assignor. Topics that do not exist have no partitions.
func (c *Consumer) Assign(ctx context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
	b, err := c.balancer(in.Protocol)
	if err != nil {
		return nil, err
	}
	balancer, wanted, err := b.MemberBalancer(membersOf(in))
	if err != nil {
		return nil, fmt.Errorf("protocol %q: %w", in.Protocol, err)
	}
	cluster, err := c.describe(ctx, wanted)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int32, len(wanted))
	for topic, m := range cluster.topics {
		counts[topic] = int32(len(m.Partitions))
	}
	if b, ok := balancer.(kgo.GroupMemberBalancerInfo); ok {
		b.SetBalanceInfo(kgo.BalanceInfo{
			Group: in.Group, Generation: in.Generation, LeaderID: in.Leader,
			Topics:  func() map[string]kgo.TopicMetadata { return cluster.topics },
			Brokers: func() map[int32]kgo.BrokerMetadata { return cluster.brokers },
		})
	}
	plan, err := balance(balancer, counts)
	if err != nil {
		return nil, fmt.Errorf("protocol %q: %w", in.Protocol, err)
	}
	var assignments []heartbeat.Assignment
	for _, a := range plan.IntoSyncAssignment() {
		assignments = append(assignments, heartbeat.Assignment{Member: a.MemberID, Data: a.MemberAssignment})
	}
	return assignments, nil
}

// errNoPlan is what a balancer's mistake becomes.
var errNoPlan = errors.New("its balancer has returned neither a plan nor an error")

func balance(b kgo.GroupMemberBalancer, counts map[string]int32) (plan kgo.IntoSyncAssignment, err error) {
	if failing, ok := b.(kgo.GroupMemberBalancerOrError); ok {
		plan, err = failing.BalanceOrError(counts)
	} else {
		plan = b.Balance(counts)
	}
	if plan == nil && err == nil {
		err = errNoPlan
	}
	return plan, err
}

// membersOf is the members as balancers are promised them: sorted by instance id, those that have one first, and then by
// member id. Their metadata are copies, since balancers write into them.
func membersOf(in heartbeat.AssignmentInput) []kmsg.JoinGroupResponseMember {
	members := make([]kmsg.JoinGroupResponseMember, len(in.Members))
	for i, m := range in.Members {
		members[i] = kmsg.NewJoinGroupResponseMember()
		members[i].MemberID = m.ID
		members[i].InstanceID = orNull(m.Instance)
		members[i].ProtocolMetadata = slices.Clone(m.Metadata)
	}
	slices.SortFunc(members, func(a, b kmsg.JoinGroupResponseMember) int {
		switch {
		case a.InstanceID != nil && b.InstanceID != nil:
			return cmp.Compare(*a.InstanceID, *b.InstanceID)
		case a.InstanceID != nil:
			return -1
		case b.InstanceID != nil:
			return 1
		default:
			return cmp.Compare(a.MemberID, b.MemberID)
		}
	})
	return members
}

// cluster is what a balancer may want to know of the cluster.
type cluster struct {
	topics  map[string]kgo.TopicMetadata
	brokers map[int32]kgo.BrokerMetadata
}

// describe asks for the topics' partitions. It asks each time: a leader that divided what it remembers would leave new
// partitions to nobody.
func (c *Consumer) describe(ctx context.Context, topics map[string]struct{}) (cluster, error) {
	d := cluster{topics: map[string]kgo.TopicMetadata{}, brokers: map[int32]kgo.BrokerMetadata{}}
	answer, err := c.metadata(ctx, topics)
	if err != nil {
		return d, fmt.Errorf("the partitions of the group's topics: %w", err)
	}
	for _, b := range answer.Brokers {
		d.brokers[b.NodeID] = kgo.BrokerMetadata{NodeID: b.NodeID, Host: b.Host, Port: b.Port, Rack: b.Rack}
	}
	for _, t := range answer.Topics {
		switch err := kerr.ErrorForCode(t.ErrorCode); {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
		case err != nil && t.Topic != nil:
			return d, fmt.Errorf("the partitions of topic %q: %w", *t.Topic, err)
		case t.Topic != nil:
			d.topics[*t.Topic] = topicMetadata(t)
		}
	}
	return d, nil
}

// metadata asks a broker, and where that is silent another one beside it, as lookups do: the whole group waits for its leader,
// and franz-go's limit for one broker is 10 s (kgo.RequestTimeoutOverhead). The client takes the next broker each time.
func (c *Consumer) metadata(ctx context.Context, topics map[string]struct{}) (*kmsg.MetadataResponse, error) {
	type end struct {
		answer *kmsg.MetadataResponse
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	most := len(c.cl.DiscoveredBrokers()) + len(c.cl.SeedBrokers())
	ends := make(chan end, most)
	asked, failed := 0, 0
	ask := func() {
		asked++
		go func() {
			answer, err := metadataRequest(topics).RequestWith(ctx, c.cl)
			ends <- end{answer, err}
		}()
	}
	ask()
	silence := time.NewTicker(overdue)
	defer silence.Stop()
	for {
		select {
		case e := <-ends:
			if failed++; e.err == nil || failed == asked {
				return e.answer, e.err
			}
		case <-silence.C:
			if asked < most {
				ask()
			}
		}
	}
}

func metadataRequest(topics map[string]struct{}) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{}
	for topic := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &topic
		req.Topics = append(req.Topics, t)
	}
	return req
}

func topicMetadata(t kmsg.MetadataResponseTopic) kgo.TopicMetadata {
	m := kgo.TopicMetadata{Topic: *t.Topic, ID: t.TopicID}
	for _, p := range t.Partitions {
		m.Partitions = append(m.Partitions, kgo.PartitionMetadata{
			Topic: *t.Topic, Partition: p.Partition, Leader: p.Leader, LeaderEpoch: p.LeaderEpoch,
			Replicas: p.Replicas, ISR: p.ISR, OfflineReplicas: p.OfflineReplicas, Err: kerr.ErrorForCode(p.ErrorCode),
		})
	}
	slices.SortFunc(m.Partitions, func(a, b kgo.PartitionMetadata) int { return cmp.Compare(a.Partition, b.Partition) })
	return m
}
