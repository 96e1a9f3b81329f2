package application

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// rig is a cluster with topic "t", and the events of the applications on it.
type rig struct {
	t       *testing.T
	cluster *kfake.Cluster
	dial    func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	events []event.Event
}

func newRig(t *testing.T) *rig {
	var network kfake.VirtualNetwork
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.ListenFn(network.Listen), kfake.SeedTopics(4, "t"))
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return &rig{t: t, cluster: cluster, dial: network.DialContext}
}

// app is a new application, and what ends its Run and gives what that returned.
func (r *rig) app(name string, balancers ...kgo.GroupBalancer) (app *Application, stop func() error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.cluster.ListenAddrs()...), kgo.Dialer(r.dial), kgo.ClientID(name), kgo.DisableClientMetrics())
	require.NoError(r.t, err)
	r.t.Cleanup(cl.Close)
	app, err = New(cl, franz.New(cl), Config{
		Name: name, Topics: []string{"t"}, Balancers: balancers,
		Member: heartbeat.Config{Group: "g", SessionTimeout: 30 * time.Second, MaxPollInterval: time.Minute},
	}, r.emit)
	require.NoError(r.t, err)
	ctx, cancel := context.WithCancel(r.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	r.t.Cleanup(func() { // of a test that has failed: nothing may be left running
		cancel()
		_ = app.member.Close(context.Background())
	})
	return app, func() error {
		cancel()
		return <-ended
	}
}

func (r *rig) emit(e event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// of is the events of a member of these kinds.
func (r *rig) of(member string, kinds ...event.Kind) (found []event.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Member == member && slices.Contains(kinds, e.Kind) {
			e.Fired = nil
			found = append(found, e)
		}
	}
	return found
}

func TestALife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		app, stop := r.app("a")
		time.Sleep(time.Hour)
		require.Equal(t, franz.Partitions{"t": {0, 1, 2, 3}}, app.Owned())
		id := app.Status().Member
		require.NoError(t, stop())
		require.NoError(t, app.Close(t.Context(), "left", nil))

		begin := r.of("a", event.Member)
		require.Equal(t, []event.Event{{Kind: event.Member, Member: "a", Generation: -1, Group: "g", Topics: []string{"t"}}}, begin)
		all := event.Partitions{"t": {0, 1, 2, 3}}
		require.Equal(t, []event.Event{
			{Kind: event.Assigned, Member: "a", MemberID: id, Generation: 1, Partitions: all, Owned: all},
			{Kind: event.Revoked, Member: "a", MemberID: id, Generation: 1, Partitions: all},
		}, r.of("a", event.Assigned, event.Revoked, event.Lost))
		var states []string
		for _, e := range r.of("a", event.State) {
			states = append(states, e.State)
		}
		require.Equal(t, []string{"PREPARING_REBALANCE", "COMPLETING_REBALANCE", "STABLE", "UNJOINED"}, states)
		end := r.of("a", event.End)
		require.Len(t, end, 1)
		require.Equal(t, "left", end[0].Text)
		require.Equal(t, "STABLE", end[0].State, "the state before it left")
		require.Equal(t, all, end[0].Partitions)
		require.Equal(t, 1, end[0].Tally.Joined)
		require.InDelta(t, end[0].Tally.Sent, end[0].Tally.Answered, 1, "one may be under way")
		require.InDelta(t, 1200, end[0].Tally.Sent, 1, "a heartbeat each three seconds, for an hour")
		require.Equal(t, end[0], r.events[len(r.events)-1], "nothing comes after the end")
	})
}

// Who gives everything back for each rebalance does so, and when it leaves.
func TestAMemberThatIsNotCooperative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		a, stopA := r.app("a", kgo.RangeBalancer())
		time.Sleep(10 * time.Second)
		b, stopB := r.app("b", kgo.RangeBalancer())
		time.Sleep(10 * time.Second)
		require.NoError(t, stopA())
		require.NoError(t, a.Close(t.Context(), "left", nil))
		time.Sleep(10 * time.Second)
		require.Empty(t, a.Owned())
		require.Equal(t, franz.Partitions{"t": {0, 1, 2, 3}}, b.Owned())
		var changes []string
		for _, e := range r.of("a", event.Assigned, event.Revoked, event.Lost) {
			changes = append(changes, string(e.Kind)+" "+e.Partitions.String()+", owns "+e.Owned.String())
		}
		require.Equal(t, []string{
			"assigned t 0-3, owns t 0-3", "revoked t 0-3, owns nothing", "assigned t 0-1, owns t 0-1", "revoked t 0-1, owns nothing",
		}, changes)
		require.NoError(t, stopB())
		require.NoError(t, b.Close(t.Context(), "left", nil))
	})
}

// A rule is about the identity that the member had; its new state comes with the one that it has since.
func TestIdentities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		app, stop := r.app("a")
		time.Sleep(10 * time.Second)
		id := app.Status().Member
		r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, Group: "g", Err: kerr.UnknownMemberID})
		time.Sleep(10 * time.Second)

		about := func(kind event.Kind, code classic.Code) []event.Event {
			return slices.DeleteFunc(r.of("a", kind), func(e event.Event) bool { return e.Code != code.String() })
		}
		rule, state := about(event.Rule, classic.CodeUnknownMemberID), about(event.State, classic.CodeUnknownMemberID)
		require.Len(t, rule, 1)
		require.Len(t, state, 1)
		require.Equal(t, id, rule[0].MemberID)
		require.Equal(t, int32(1), rule[0].Generation)
		require.Empty(t, state[0].MemberID)
		require.Equal(t, heartbeat.NoGeneration, state[0].Generation)
		lost := r.of("a", event.Lost)
		require.Len(t, lost, 1)
		require.Equal(t, id, lost[0].MemberID, "that of the assignment that is lost")
		require.Equal(t, int32(1), lost[0].Generation)
		require.Equal(t, map[string]int{rule[0].Rule: 1, about(event.Rule, classic.CodeMemberIDRequired)[0].Rule: 2}, app.Tally().Errors)
		require.NoError(t, stop())
		require.NoError(t, app.Close(t.Context(), "left", nil))
	})
}

func TestAnApplicationThatIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		app, stop := r.app("a")
		time.Sleep(10 * time.Second)
		done, err := app.Work(t.Context())
		require.NoError(t, err)
		time.Sleep(45 * time.Second)
		require.Equal(t, classic.Stable, app.Status().State)
		time.Sleep(10 * time.Second)
		require.Equal(t, classic.Unjoined, app.Status().State, "the poll deadline is over")
		require.NotEmpty(t, app.Owned(), "nobody can tell an application that does not poll")

		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("busy"))
		defer cancel()
		_, err = app.Work(ctx)
		require.ErrorContains(t, err, "busy")

		done()
		time.Sleep(10 * time.Second)
		require.Equal(t, classic.Stable, app.Status().State)
		require.Len(t, r.of("a", event.Lost), 1)
		require.NoError(t, stop())
		require.NoError(t, app.Close(t.Context(), "left", nil))
	})
}

func TestWhatNothingMends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup}, Group: "g", Err: kerr.GroupMaxSizeReached})
		app, stop := r.app("a")
		synctest.Wait()
		err := stop()
		var decided *heartbeat.Error
		require.ErrorAs(t, err, &decided)
		require.Equal(t, classic.CodeGroupMaxSizeReached, decided.Code)
		require.NoError(t, app.Close(t.Context(), "gave up", err))

		failed := r.of("a", event.Error)
		require.Len(t, failed, 1)
		require.Equal(t, "GROUP_MAX_SIZE_REACHED", failed[0].Code)
		require.Equal(t, decided.Rule.At(), failed[0].At)
		require.Equal(t, err.Error(), failed[0].Error)
		end := r.of("a", event.End)
		require.Len(t, end, 1)
		require.Equal(t, err.Error(), end[0].Error)
	})
}

func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		app, stop := r.app("a")
		time.Sleep(10 * time.Second)
		app.Silence("died")
		require.NoError(t, stop())
		require.NoError(t, app.Close(t.Context(), "left", nil))
		last := r.events[len(r.events)-1]
		require.Equal(t, event.End, last.Kind)
		require.Equal(t, "died", last.Text)
		require.Len(t, r.of("a", event.End), 1)
	})
}

func TestAConfigThatCannotBe(t *testing.T) {
	cl, err := kgo.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	_, err = New(cl, franz.New(cl), Config{Name: "a", Topics: []string{"t"}}, nil)
	var config *heartbeat.ConfigError
	require.ErrorAs(t, err, &config)
	require.Equal(t, "Group", config.Field)
}
