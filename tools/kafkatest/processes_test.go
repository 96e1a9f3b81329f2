//go:build kafka

package kafkatest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// soon is long before a session could have timed out.
const soon = sessionTimeout / 2

// until waits for partitions to come to p, and returns when p took them up by its own clock.
func (p *process) until(n int) time.Time {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return len(p.since(n, event.Assigned)) > 0 }, patience, 10*time.Millisecond,
		"%s is assigned nothing", p.name)
	assigned := p.since(n, event.Assigned)
	for _, e := range assigned {
		if len(e.Partitions) > 0 {
			return e.Time
		}
	}
	return assigned[len(assigned)-1].Time
}

func TestProcessesShareATopic(t *testing.T) {
	cluster := broker.Start(t)
	withTopic(t, cluster)
	a, b := start(t, cluster, "a"), start(t, cluster, "b")
	agree(t, cluster, map[*process]int{a: 3, b: 3})
	c := start(t, cluster, "c")
	agree(t, cluster, map[*process]int{a: 2, b: 2, c: 2})

	t.Run("what a killed process owned moves after its session timeout", func(t *testing.T) {
		n := a.now()
		killed := time.Now()
		c.kill()
		moved := a.until(n).Sub(killed)
		agree(t, cluster, map[*process]int{a: 3, b: 3})
		require.GreaterOrEqual(t, moved, sessionTimeout-5*time.Second, "the last heartbeat was an interval old, and more on a busy machine")
		require.Less(t, moved, sessionTimeout+patience)
	})
	t.Run("what a process owned that ends by SIGTERM moves at once", func(t *testing.T) {
		n := a.now()
		ended := time.Now()
		b.leave()
		require.Less(t, a.until(n).Sub(ended), soon)
		agree(t, cluster, map[*process]int{a: 6})
		last := b.since(0, event.End)
		require.Len(t, last, 1)
		require.Equal(t, "left", last[0].Text)
	})
	a.leave()
	require.Equal(t, "Empty", described(t, cluster, "g").State)
}

func TestAStaticProcessComesBackWithoutARebalance(t *testing.T) {
	cluster := broker.Start(t)
	withTopic(t, cluster)
	static, other := start(t, cluster, "static", "--instance-id", "i"), start(t, cluster, "other")
	agree(t, cluster, map[*process]int{static: 3, other: 3})
	before, n := static.work(), other.now()

	static.kill()
	static = start(t, cluster, "static again", "--instance-id", "i")
	agree(t, cluster, map[*process]int{static: 3, other: 3})
	after := static.work()
	require.Equal(t, before.Owned, after.Owned, "it has its former place")
	require.Equal(t, before.Generation, after.Generation)
	require.NotEqual(t, before.MemberID, after.MemberID, "it is another process, so the coordinator tells the two apart")

	static.leave()
	require.Equal(t, "keeps its place", static.since(0, event.End)[0].Text)
	static = start(t, cluster, "static for the third time", "--instance-id", "i")
	agree(t, cluster, map[*process]int{static: 3, other: 3})
	require.Empty(t, other.since(n, event.Assigned, event.Revoked, event.Lost, event.State), "the other one has noticed something")
}

// The membership is kept by the cluster: a broker that was killed comes back with it, and nobody has to join anew.
func TestProcessesOutliveTheirBroker(t *testing.T) {
	cluster := broker.Start(t)
	withTopic(t, cluster)
	long := []string{"--session-timeout", time.Minute.String()} // a broker that starts on a busy machine takes its time
	a, b := start(t, cluster, "a", long...), start(t, cluster, "b", long...)
	agree(t, cluster, map[*process]int{a: 3, b: 3})
	processes := []*process{a, b}
	var joins []int
	var works []event.Event
	var moments []int
	for _, p := range processes {
		joins, works, moments = append(joins, p.joins()), append(works, p.work()), append(moments, p.now())
	}

	cluster.Broker(1).Kill()
	for i, p := range processes {
		require.Eventually(t, func() bool { return p.decided(moments[i], classic.InputHeartbeat, classic.CodeDisconnect) },
			patience, 10*time.Millisecond, "%s does not notice that the broker is gone", p.name)
	}
	require.NoError(t, cluster.Broker(1).Restart(t.Context()))
	for i, p := range processes {
		require.Eventually(t, func() bool { return p.decided(moments[i], classic.InputFindCoordinator, classic.CodeNone) },
			patience, 10*time.Millisecond, "%s does not find the coordinator again", p.name)
		n := p.now()
		require.Eventually(t, func() bool { return p.decided(n, classic.InputHeartbeat, classic.CodeNone) },
			patience, 10*time.Millisecond, "no heartbeat of %s is answered", p.name)
	}
	agree(t, cluster, map[*process]int{a: 3, b: 3})
	for i, p := range processes {
		require.Equal(t, joins[i], p.joins(), "%s has joined anew", p.name)
		require.Equal(t, works[i], p.work(), "%s", p.name)
		require.NotEqual(t, heartbeat.NoGeneration, p.work().Generation)
		p.leave()
	}
}

// decided reports whether a response of some code has been decided about since n.
func (p *process) decided(n int, api classic.Input, code classic.Code) bool {
	for _, e := range p.since(n, event.Rule) {
		if e.Input == api.String() && e.Code == code.String() {
			return true
		}
	}
	return false
}
