package show

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/tools/kbeat/verdict"
)

// brokers is how many the cluster has; the coordinator needs somewhere to move to.
const brokers = 3

// firstPort is of a network that only exists in this process.
const firstPort = 9001

// cluster is an embedded one, over a network without sockets, with an operator's client.
type cluster struct {
	*kfake.Cluster
	network *kfake.VirtualNetwork
	client  *kgo.Client
	admin   *kadm.Client
}

func newCluster(topic string, partitions int32, sessionTimeout time.Duration) (*cluster, error) {
	network := new(kfake.VirtualNetwork)
	ports := make([]int, brokers)
	for i := range ports {
		ports[i] = firstPort + i
	}
	fake, err := kfake.NewCluster(
		kfake.Ports(ports...), kfake.ListenFn(network.Listen), kfake.SeedTopics(partitions, topic),
		kfake.GroupMinSessionTimeout(sessionTimeout),
	)
	if err != nil {
		return nil, fmt.Errorf("the embedded cluster does not start: %w", err)
	}
	c := &cluster{Cluster: fake, network: network}
	c.client, err = c.newClient(&wire{dial: network.DialContext}, "operator")
	if err != nil {
		fake.Close()
		return nil, err
	}
	c.admin = kadm.NewClient(c.client)
	return c, nil
}

// newClient is a process's own.
func (c *cluster) newClient(w *wire, id string) (*kgo.Client, error) {
	return kgo.NewClient(
		kgo.SeedBrokers(c.ListenAddrs()...), kgo.Dialer(w.DialContext), kgo.ClientID(id), kgo.DisableClientMetrics(),
	)
}

func (c *cluster) close() {
	c.client.Close()
	c.Close()
}

// describe is the group as its coordinator has it.
func (c *cluster) describe(ctx context.Context, group string) (verdict.Group, error) {
	return verdict.Describe(ctx, c.admin, group)
}

// moveCoordinator gives the group another coordinator.
func (c *cluster) moveCoordinator(group string) (from, to int32) {
	from = c.CoordinatorFor(group)
	for to = from; to == from; to = c.CoordinatorFor(group) {
		c.RehashCoordinators() // by chance to any broker
	}
	return from, to
}

// remove takes a member out of the group, as an operator does.
func (c *cluster) remove(ctx context.Context, group, member string) error {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = group
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID = member
	req.Members = append(req.Members, m)
	_, err := req.RequestWith(ctx, c.client)
	return err
}

// age makes the next heartbeat of a member carry the number of an earlier generation. It returns a channel that is closed
// when that has happened.
func (c *cluster) age(member func() string) <-chan struct{} {
	aged := make(chan struct{})
	c.ControlKey(kmsg.Heartbeat.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		beat := r.(*kmsg.HeartbeatRequest)
		if beat.MemberID == member() && beat.Generation > 1 {
			beat.Generation--
			c.DropControl()
			close(aged)
		}
		return nil, nil, false // the broker itself answers
	})
	return aged
}
