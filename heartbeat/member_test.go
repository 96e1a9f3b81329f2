package heartbeat_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
)

// group is a group on an embedded broker, over a network without sockets.
type group struct {
	t       *testing.T
	cluster *kfake.Cluster
	client  *kgo.Client
}

func newGroup(t *testing.T) *group {
	var network kfake.VirtualNetwork
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(network.Listen), kfake.SeedTopics(4, "t"))
	require.NoError(t, err)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.Dialer(network.DialContext))
	require.NoError(t, err)
	t.Cleanup(func() {
		client.Close()
		cluster.Close()
	})
	return &group{t, cluster, client}
}

// member joins the group by a protocol type of its own, in which each member gets its own id.
func (g *group) member(opts ...heartbeat.Option) *heartbeat.Member {
	m, err := heartbeat.NewMember(heartbeat.Config{
		Group: "g", ProtocolType: "echo", Protocols: []heartbeat.Protocol{{Name: "echo"}},
	}, franz.New(g.client), echo, opts...)
	require.NoError(g.t, err)
	return m
}

func echo(_ context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
	var plan []heartbeat.Assignment
	for _, m := range in.Members {
		plan = append(plan, heartbeat.Assignment{Member: m.ID, Data: []byte(m.ID)})
	}
	return plan, nil
}

func TestMemberRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		ctx, cancel := context.WithCancel(t.Context())
		m := g.member(heartbeat.WithObserver(func(f heartbeat.Fired) { t.Log(f.Rule.Name, f.Code, f.From, f.To, f.Err) }))
		sessions := make(chan *heartbeat.Session, 8)
		ended := make(chan error)
		go func() {
			ended <- m.Run(ctx, func(ctx context.Context, s *heartbeat.Session) error {
				sessions <- s
				<-ctx.Done()
				return ctx.Err()
			})
		}()
		s := <-sessions
		require.Equal(t, s.MemberID(), string(s.Assignment()))
		time.Sleep(time.Hour)
		require.Equal(t, classic.Stable, m.State())
		require.NoError(t, s.Context().Err())
		m.Rejoin("because")
		s2 := <-sessions
		require.Error(t, s.Context().Err())
		t.Log(context.Cause(s.Context()))
		require.Greater(t, s2.Generation(), s.Generation())
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		require.NoError(t, m.Close(t.Context()))
	})
}
