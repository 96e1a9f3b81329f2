package franz

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// ConsumerProtocolType is the protocol type of groups whose work is the partitions of topics. Members of other clients
// can be in the same group.
const ConsumerProtocolType = "consumer"

// Consumer is a member's side of protocol type "consumer": what it offers to a group by franz-go's balancers, what it has
// been given, and, when it leads, how it divides the topics. NewMember makes the member that does what its Consumer says:
//
//	consumer, err := franz.NewConsumer(cl, []string{"orders"})
//	member, err := consumer.NewMember(heartbeat.Config{Group: "shop"}, transport, franz.ConsumerCallbacks{})
//	err = member.Run(ctx, work)
//
// A group is rebalanced cooperatively (KIP-429) when all of a member's balancers are cooperative, and it is polled: a
// member then keeps working on what it owns while the group joins anew, and only gives back what it must. A member that is
// Run is eager: it gives everything back first.
//
// Who drives a heartbeat.Member by callbacks of their own, or a heartbeat.Core, tells the Consumer of each callback, lets
// go of and takes up the partitions of the Change that it returns, hands Protocols to the member again, and has it rejoin
// where the Change asks for that. heartbeat.Member.Run lets go of everything and has no callbacks, so it does not go
// together with that; ConsumerMember.Run is the one for partitions.
//
// A Consumer does not watch topics. When partitions are added, have a member rejoin.
//
// It is safe for concurrent use.
type Consumer struct {
	cl        *kgo.Client
	topics    []string
	rack      string
	balancers []kgo.GroupBalancer // the preferred one first

	mu         sync.Mutex
	member     bool       // it has one
	eager      bool       // the member gives everything back before it joins anew, whatever its balancers are
	owned      Partitions // what the member is to work on now
	last       Partitions // of the last assignment; what sticky balancers stick to, also when it had to be given back
	generation int32      // of last
	unfit      bool       // the last assignment had partitions of other topics, and the member was to rejoin for it
}

// NewConsumer makes the Consumer of a member that wants topics. The client is asked for the topics' partitions when the
// member leads; its kgo.Rack travels with the offer. Balancers are in order of preference, and all members of the group
// must have one in common; without any it is kgo.CooperativeStickyBalancer, as for franz-go's own consumers. The error is a
// *heartbeat.ConfigError: what a Consumer cannot do is said before it offers anything to a group.
func NewConsumer(cl *kgo.Client, topics []string, balancers ...kgo.GroupBalancer) (*Consumer, error) {
	unfit := func(problem string) (*Consumer, error) {
		return nil, &heartbeat.ConfigError{Field: "Consumer", Problem: problem}
	}
	switch {
	case cl == nil:
		return unfit("has no client: make one with kgo.NewClient")
	case len(topics) == 0:
		return unfit("has no topics: name those that the group shares")
	case slices.Contains(topics, ""):
		return unfit("has a topic without a name")
	case slices.Contains(balancers, nil):
		return unfit("has a balancer that is nil")
	case len(balancers) == 0:
		balancers = []kgo.GroupBalancer{kgo.CooperativeStickyBalancer()}
	}
	topics = slices.Clone(topics)
	slices.Sort(topics)
	return &Consumer{
		cl: cl, topics: slices.Compact(topics), rack: option[string](cl, kgo.Rack), balancers: slices.Clone(balancers),
		generation: heartbeat.NoGeneration,
	}, nil
}

// Cooperative reports whether the member keeps its partitions while the group is rebalanced.
func (c *Consumer) Cooperative() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cooperative()
}

func (c *Consumer) cooperative() bool {
	eager := func(b kgo.GroupBalancer) bool { return !b.IsCooperative() }
	return !c.eager && !slices.ContainsFunc(c.balancers, eager)
}

// beEager lets the member give everything back from now on, and claim nothing.
func (c *Consumer) beEager() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.eager = true
}

// Protocols is what the member offers at its next JoinGroup: each balancer, with the topics and what the member owns.
func (c *Consumer) Protocols() []heartbeat.Protocol {
	c.mu.Lock()
	defer c.mu.Unlock()
	cooperative := c.cooperative()
	protocols := make([]heartbeat.Protocol, len(c.balancers))
	for i, b := range c.balancers {
		owned := c.last
		if b.IsCooperative() && !cooperative {
			owned = nil // it has been given back: a leader that took it for owned would wait for its return
		}
		metadata := b.JoinGroupMetadata(slices.Clone(c.topics), owned.clone(), c.generation)
		protocols[i] = heartbeat.Protocol{Name: b.ProtocolName(), Metadata: withRack(metadata, c.rack)}
	}
	return protocols
}

// withRack adds the rack to what a balancer has written, unless it has written one (KIP-881).
func withRack(metadata []byte, rack string) []byte {
	var m kmsg.ConsumerMemberMetadata
	if rack == "" || m.ReadFrom(metadata) != nil || m.Rack != nil {
		return metadata
	}
	m.Version = max(m.Version, 3)
	m.Rack = &rack
	return m.AppendTo(nil)
}

// Change is what a callback means for the member's work.
type Change struct {
	Removed Partitions // to let go of, before anything else; after a loss they are somebody else's already
	Added   Partitions // to take up
	Rejoin  string     // why the member is to rejoin when it has let go of Removed; "" where it is not
}

// Why a Change asks for a rejoin.
const (
	toRevoke = "need to revoke partitions and re-join" // as Kafka's ConsumerCoordinator says it
	toFit    = "the assignment has topics that this member is not subscribed to"
)

// Assigned takes an assignment. An error is an assignment that cannot be read; nothing has changed then.
//
// Partitions of topics that the member does not want are not owned. A static member that comes back with other topics is given
// what its predecessor had, without a rebalance; it is to rejoin then, once, so that the group learns of its topics (KAFKA-7961).
func (c *Consumer) Assigned(generation int32, protocol string, assignment []byte) (Change, error) {
	given, err := c.read(protocol, assignment)
	if err != nil {
		return Change{}, fmt.Errorf("assignment of protocol %q in generation %d: %w", protocol, generation, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	given, unfit := c.wanted(given)
	change := Change{Removed: c.owned.minus(given), Added: given.minus(c.owned)}
	switch {
	case c.cooperative() && len(change.Removed) > 0:
		change.Rejoin = toRevoke
	case unfit && !c.unfit:
		change.Rejoin = toFit
	}
	c.unfit = unfit
	c.owned, c.last, c.generation = given, given, generation
	return change, nil
}

// Revoked is told before the member joins anew. Only a member that is not cooperative lets go of anything then.
func (c *Consumer) Revoked() Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cooperative() {
		return Change{}
	}
	change := Change{Removed: c.owned}
	c.owned = nil
	return change
}

// Lost is told when the member's partitions may be somebody else's already.
func (c *Consumer) Lost() Change {
	c.mu.Lock()
	defer c.mu.Unlock()
	change := Change{Removed: c.owned}
	c.owned, c.last, c.generation = nil, nil, heartbeat.NoGeneration
	return change
}

// Owned is what the member is to work on now.
func (c *Consumer) Owned() Partitions {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owned.clone()
}

// read decodes an assignment. A member that the leader has not thought of is given no bytes at all.
func (c *Consumer) read(protocol string, assignment []byte) (Partitions, error) {
	b, err := c.balancer(protocol)
	if err != nil || len(assignment) == 0 {
		return nil, err
	}
	given, err := b.ParseSyncAssignment(assignment)
	if err != nil {
		return nil, err
	}
	for topic, partitions := range given {
		slices.Sort(partitions)
		given[topic] = slices.Compact(partitions)
	}
	return given, nil
}

// wanted are the partitions of topics that the member wants, and whether there are others.
func (c *Consumer) wanted(given Partitions) (Partitions, bool) {
	fits := maps.Clone(given)
	maps.DeleteFunc(fits, func(topic string, _ []int32) bool {
		_, found := slices.BinarySearch(c.topics, topic)
		return !found
	})
	return fits, len(fits) < len(given)
}

func (c *Consumer) balancer(protocol string) (kgo.GroupBalancer, error) {
	i := slices.IndexFunc(c.balancers, func(b kgo.GroupBalancer) bool { return b.ProtocolName() == protocol })
	if i < 0 {
		return nil, fmt.Errorf("the group chose %q, which this member does not offer", protocol)
	}
	return c.balancers[i], nil
}
