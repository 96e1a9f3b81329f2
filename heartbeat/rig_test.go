package heartbeat_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/kbeat/kbeat/heartbeat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inWorld runs a test in virtual time.
func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		defer w.close()
		f(t, w)
	})
}

// world is an embedded broker, on a network without sockets, and the members that a test makes.
type world struct {
	*broker
	t       testing.TB
	cluster *kfake.Cluster
	ends    []func()

	// Of members that are made from now on: what their requests go through, and what they divide work by. May be nil.
	between  func(context.Context, heartbeat.Request, heartbeat.Transport) heartbeat.Response
	assignor func(context.Context, *app, heartbeat.AssignmentInput) ([]heartbeat.Assignment, error)
}

func newWorld(t testing.TB) *world {
	network := new(kfake.VirtualNetwork)
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(network.Listen), kfake.SeedTopics(4, "t"))
	require.NoError(t, err)
	return &world{broker: newBroker(network, newDiary()), t: t, cluster: cluster}
}

// close ends the members, then the broker.
func (w *world) close() {
	w.broker.close()
	for _, end := range w.ends {
		end()
	}
	w.cluster.Close()
	time.Sleep(time.Second) // for what was on its way
}

// client is a client as an application configures it, whose requests go by way of dial.
func (w *world) client(name string, dial func(context.Context, string, string) (net.Conn, error)) *kgo.Client {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.Dialer(dial), kgo.ClientID(name), kgo.DisableClientMetrics(),
	)
	require.NoError(w.t, err)
	return client
}

// admin asks the broker for something that no member asks for.
func (w *world) admin(r kmsg.Request) kmsg.Response {
	client := w.client("admin", w.network.DialContext)
	defer client.Close()
	resp, err := client.Request(w.t.Context(), r)
	require.NoError(w.t, err)
	return resp
}

// kick lets the coordinator forget a member.
func (w *world) kick(a *app) {
	r := kmsg.NewPtrLeaveGroupRequest()
	r.Group = "g"
	m := kmsg.NewLeaveGroupRequestMember()
	m.MemberID, m.Reason = a.Status().Member, kmsg.StringPtr("kicked out")
	r.Members = append(r.Members, m)
	code := w.admin(r).(*kmsg.LeaveGroupResponse).Members[0].ErrorCode
	require.Zero(w.t, code, "the coordinator does not know the member")
}

// forget lets the coordinator forget a group that has no members.
func (w *world) forget() {
	r := kmsg.NewPtrDeleteGroupsRequest()
	r.Groups = []string{"g"}
	code := w.admin(r).(*kmsg.DeleteGroupsResponse).Groups[0].ErrorCode
	require.Zero(w.t, code, "the group has members")
}

// pass lets time pass, and all that happens meanwhile happen.
func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
