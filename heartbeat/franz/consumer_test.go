package franz

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
)

// offer is what the members' metadata say, by protocol.
func offer(t *testing.T, c *Consumer) map[string]kmsg.ConsumerMemberMetadata {
	offers := map[string]kmsg.ConsumerMemberMetadata{}
	for _, p := range c.Protocols() {
		m := kmsg.NewConsumerMemberMetadata()
		require.NoError(t, m.ReadFrom(p.Metadata))
		offers[p.Name] = m
	}
	return offers
}

func ownedOf(m kmsg.ConsumerMemberMetadata) Partitions {
	p := Partitions{}
	for _, o := range m.OwnedPartitions {
		p[o.Topic] = o.Partitions
	}
	return p
}

// stuckTo is what a sticky balancer has put into the metadata to stick to.
func stuckTo(t *testing.T, m kmsg.ConsumerMemberMetadata) Partitions {
	s := kmsg.NewStickyMemberMetadata()
	require.NoError(t, s.ReadFrom(m.UserData))
	p := Partitions{}
	for _, a := range s.CurrentAssignment {
		p[a.Topic] = a.Partitions
	}
	return p
}

func assignment(p Partitions) []byte {
	a := kmsg.NewConsumerMemberAssignment()
	for topic, partitions := range p {
		a.Topics = append(a.Topics, kmsg.ConsumerMemberAssignmentTopic{Topic: topic, Partitions: partitions})
	}
	return a.AppendTo(nil)
}

func TestAnEagerMemberGivesAllBackBeforeItJoins(t *testing.T) {
	c := newConsumer(t, unconnected(t), []string{"b", "a", "b"}, kgo.RangeBalancer(), kgo.StickyBalancer(), kgo.CooperativeStickyBalancer())
	require.False(t, c.Cooperative(), "one balancer that is not cooperative makes the member eager")
	require.Equal(t, []string{"range", "sticky", "cooperative-sticky"}, namesOf(c.Protocols()), "in order of preference")
	require.Equal(t, []string{"a", "b"}, offer(t, c)["range"].Topics)
	require.Equal(t, heartbeat.NoGeneration, offer(t, c)["sticky"].Generation)

	got, err := c.Assigned(5, "sticky", assignment(Partitions{"a": {2, 1}, "b": {0}}))
	require.NoError(t, err)
	require.Equal(t, Change{Added: Partitions{"a": {1, 2}, "b": {0}}}, got)

	require.Equal(t, Change{Removed: Partitions{"a": {1, 2}, "b": {0}}}, c.Revoked())
	require.Empty(t, c.Owned())
	require.Equal(t, int32(5), offer(t, c)["sticky"].Generation)
	require.Equal(t, Partitions{"a": {1, 2}, "b": {0}}, stuckTo(t, offer(t, c)["sticky"]), "given back, and preferred again")
	require.Empty(t, ownedOf(offer(t, c)["cooperative-sticky"]), "a leader would wait for it to be given back once more")

	got, err = c.Assigned(6, "sticky", assignment(Partitions{"a": {1}}))
	require.NoError(t, err)
	require.Equal(t, Change{Added: Partitions{"a": {1}}}, got)
	got, err = c.Assigned(7, "sticky", nil)
	require.NoError(t, err)
	require.Equal(t, Change{Removed: Partitions{"a": {1}}}, got, "the group does not wait for an eager member")
}

func TestACooperativeMemberKeepsWorkingWhileItJoins(t *testing.T) {
	c := newConsumer(t, unconnected(t), []string{"a"})
	require.True(t, c.Cooperative())
	_, err := c.Assigned(5, "cooperative-sticky", assignment(Partitions{"a": {0, 1, 2}}))
	require.NoError(t, err)

	require.Equal(t, Change{}, c.Revoked())
	require.Equal(t, Partitions{"a": {0, 1, 2}}, ownedOf(offer(t, c)["cooperative-sticky"]))

	got, err := c.Assigned(6, "cooperative-sticky", assignment(Partitions{"a": {0}}))
	require.NoError(t, err)
	require.Equal(t, Change{Removed: Partitions{"a": {1, 2}}, Rejoin: toRevoke}, got, "the group waits for what it gives back")
	require.Equal(t, Partitions{"a": {0}}, ownedOf(offer(t, c)["cooperative-sticky"]))
	require.Equal(t, int32(6), offer(t, c)["cooperative-sticky"].Generation)

	got, err = c.Assigned(7, "cooperative-sticky", assignment(Partitions{"a": {0, 3}}))
	require.NoError(t, err)
	require.Equal(t, Change{Added: Partitions{"a": {3}}}, got)
}

func TestWhatIsLostIsNotClaimedAgain(t *testing.T) {
	for _, b := range []kgo.GroupBalancer{kgo.StickyBalancer(), kgo.CooperativeStickyBalancer()} {
		c := newConsumer(t, unconnected(t), []string{"a"}, b)
		_, err := c.Assigned(5, b.ProtocolName(), assignment(Partitions{"a": {0}}))
		require.NoError(t, err)
		require.Equal(t, Change{Removed: Partitions{"a": {0}}}, c.Lost())
		m := offer(t, c)[b.ProtocolName()]
		require.Empty(t, ownedOf(m))
		require.Empty(t, stuckTo(t, m))
		require.Equal(t, heartbeat.NoGeneration, m.Generation)
	}
}

func TestAssignmentsThatCannotBeTaken(t *testing.T) {
	c := newConsumer(t, unconnected(t), []string{"a"})
	_, err := c.Assigned(5, "cooperative-sticky", assignment(Partitions{"a": {0}}))
	require.NoError(t, err)

	_, err = c.Assigned(6, "range", assignment(nil))
	require.ErrorContains(t, err, `the group chose "range", which this member does not offer`)
	_, err = c.Assigned(6, "cooperative-sticky", []byte{1})
	require.ErrorContains(t, err, `assignment of protocol "cooperative-sticky" in generation 6`)
	require.Equal(t, Partitions{"a": {0}}, c.Owned(), "nothing has changed")

	got, err := c.Assigned(6, "cooperative-sticky", nil)
	require.NoError(t, err, "a member that the leader does not know of has no bytes, and no partitions")
	require.Equal(t, Change{Removed: Partitions{"a": {0}}, Rejoin: toRevoke}, got)
}

func TestTheRackTravelsWithTheOffer(t *testing.T) {
	c := newConsumer(t, unconnected(t, kgo.Rack("left")), []string{"a"}, kgo.RangeBalancer())
	require.Equal(t, "left", *offer(t, c)["range"].Rack)
}

func unconnected(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(opts...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

func newConsumer(t *testing.T, cl *kgo.Client, topics []string, balancers ...kgo.GroupBalancer) *Consumer {
	c, err := NewConsumer(cl, topics, balancers...)
	require.NoError(t, err)
	return c
}

func namesOf(protocols []heartbeat.Protocol) []string {
	var names []string
	for _, p := range protocols {
		names = append(names, p.Name)
	}
	return names
}

// group lets Consumers join as a coordinator would: all at once, the first one leading.
type group struct {
	t          *testing.T
	members    map[string]*Consumer
	protocol   string
	generation int32
}

// rebalance is one generation, and reports whether somebody asks for the next.
func (g *group) rebalance() (again bool) {
	g.generation++
	in := heartbeat.AssignmentInput{Group: "g", Generation: g.generation, Protocol: g.protocol}
	var leader *Consumer
	for _, id := range g.ids() {
		c := g.members[id]
		if leader == nil {
			leader = c
		}
		c.Revoked()
		for _, p := range c.Protocols() {
			if p.Name == g.protocol {
				in.Members = append(in.Members, heartbeat.JoinMember{ID: id, Metadata: p.Metadata})
			}
		}
	}
	plan, err := leader.Assign(g.t.Context(), in)
	require.NoError(g.t, err)
	data := map[string][]byte{}
	for _, a := range plan {
		data[a.Member] = a.Data
	}
	// Members learn of their assignment in any order: whoever is first must not take what another still works on.
	for _, id := range g.ids() {
		change, err := g.members[id].Assigned(g.generation, g.protocol, data[id])
		require.NoError(g.t, err)
		again = again || change.Rejoin != ""
		g.noneTwice()
	}
	return again
}

func (g *group) ids() []string {
	var ids []string
	for id := range g.members {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (g *group) noneTwice() (count int) {
	owner := map[string]string{}
	for id, c := range g.members {
		for topic, partitions := range c.Owned() {
			for _, p := range partitions {
				key := fmt.Sprint(topic, p)
				require.Empty(g.t, owner[key], "%s is owned by %s too, generation %d", key, id, g.generation)
				owner[key] = id
				count++
			}
		}
	}
	return count
}

// Members come and go; after each change the group settles in a few generations, every partition has one owner then, and
// none has two in between.
func TestGroupsOfConsumersSettle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.cluster(1, kfake.SeedTopics(7, "a"), kfake.SeedTopics(4, "b"))
		cl := n.client()
		for _, balancer := range []kgo.GroupBalancer{
			kgo.RangeBalancer(), kgo.RoundRobinBalancer(), kgo.StickyBalancer(), kgo.CooperativeStickyBalancer(),
		} {
			random := rand.New(rand.NewPCG(1, 2))
			g := &group{t: t, members: map[string]*Consumer{}, protocol: balancer.ProtocolName()}
			for step := range 40 {
				if len(g.members) == 0 || len(g.members) < 6 && random.IntN(2) == 0 {
					g.members[fmt.Sprintf("m%d", step)] = newConsumer(t, cl, []string{"a", "b"}, balancer)
				} else if ids := g.ids(); len(ids) > 1 {
					delete(g.members, ids[random.IntN(len(ids))])
				}
				generations := 1
				for g.rebalance() {
					generations++
				}
				require.LessOrEqual(t, generations, 3, "%s, step %d", g.protocol, step)
				require.Equal(t, 7+4, g.noneTwice(), "partitions that have an owner: %s, step %d", g.protocol, step)
			}
		}
	})
}

// A static member that comes back with other topics is given what its predecessor had.
func TestPartitionsOfOtherTopicsAreNotOwned(t *testing.T) {
	c := newConsumer(t, unconnected(t), []string{"b"})
	change, err := c.Assigned(1, "cooperative-sticky", assignment(Partitions{"a": {0, 1}}))
	require.NoError(t, err)
	require.Empty(t, change.Added)
	require.Equal(t, toFit, change.Rejoin)
	change, err = c.Assigned(2, "cooperative-sticky", assignment(Partitions{"a": {0}, "b": {3}}))
	require.NoError(t, err)
	require.Equal(t, Partitions{"b": {3}}, change.Added, "what fits is owned")
	require.Empty(t, change.Rejoin, "once: two such members would rejoin for ever")
	change, err = c.Assigned(3, "cooperative-sticky", assignment(Partitions{"b": {3}}))
	require.NoError(t, err)
	require.Empty(t, change)
	change, err = c.Assigned(4, "cooperative-sticky", assignment(Partitions{"a": {0}, "b": {3}}))
	require.NoError(t, err)
	require.Equal(t, toFit, change.Rejoin, "it has fitted since")
}
