//go:build kafka

package kafkatest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
	"github.com/kbeat/kbeat/tools/kafkatest/proxy"
)

// leaseSession is the session timeout of members with a lease: short, as each test waits until one is over.
const leaseSession = 6 * time.Second

// workers is a group of workers that divide topic "t".
type workers struct {
	t       *testing.T
	brokers []string
	group   string
	session time.Duration
	beat    time.Duration // HeartbeatInterval
	max     time.Duration // MaxPollInterval, which is the rebalance timeout as well
	all     []*worker
	anytime bool // they are stopped at any time, so also between the begin of work and its first look at the session
}

func newWorkers(t *testing.T, cluster *broker.Cluster, group string, names ...string) *workers {
	g := &workers{t: t, brokers: cluster.Addrs(), group: group, session: leaseSession, beat: time.Second, max: 30 * time.Second}
	for _, n := range names {
		g.start(n)
	}
	return g
}

func (g *workers) start(name string) *worker {
	w := startWorker(g.t, workerConfig{Brokers: g.brokers, Group: g.group, Name: g.group + "/" + name, Session: g.session, Interval: g.beat, Max: g.max})
	g.all = append(g.all, w)
	return w
}

// share waits until the workers write for all partitions, each for as many as any other.
func (g *workers) share(among ...*worker) {
	g.t.Helper()
	var last string
	require.Eventually(g.t, func() bool {
		last = ""
		var all []int32
		for _, w := range among {
			owned := w.owned(clock() - time.Second)
			last += fmt.Sprintf("%s %v; ", w.name, owned)
			if len(owned) != 6/len(among) {
				return false
			}
			all = append(all, owned...)
		}
		slices.Sort(all)
		return slices.Equal(all, []int32{0, 1, 2, 3, 4, 5})
	}, patience, 10*time.Millisecond, "%s", &late{&last})
}

// judge ends the workers, and checks that no two of them have written for one partition at the same time. Where a victim is
// given, what it owned when the fault began was not written for by another one before its lease had ended.
func (g *workers) judge(victim *worker, fault time.Duration) {
	g.t.Helper()
	var spans []span
	for _, w := range g.all {
		w.kill()
		require.NoError(g.t, w.err)
		require.True(g.t, w.late == 0 || g.anytime, "%s: work has begun in a session that was not valid", w.name)
		for _, s := range w.spans {
			spans = append(spans, *s)
		}
	}
	all := handovers(spans)
	require.NotEmpty(g.t, all)
	least := slices.MinFunc(all, func(a, b handover) int { return int(a.margin() - b.margin()) })
	g.t.Logf("%d handovers; the next owner's first write at least %s after the last one of the former", len(all), rounded(least.margin()))
	for _, h := range all {
		require.Positive(g.t, h.margin(), "partition %d: %+v has written after %+v had begun", h.from.partition, h.from, h.to)
	}
	if victim == nil {
		return
	}
	all = slices.DeleteFunc(all, func(h handover) bool {
		return h.from.member != victim.name || h.from.first > fault || h.to.first < fault
	})
	require.NotEmpty(g.t, all, "%s has lost nothing", victim.name)
	h := slices.MinFunc(all, func(a, b handover) int { return int(a.unused() - b.unused()) })
	g.t.Logf("%s: its last write %s after the fault, the end of its lease %s, the next owner's first write %s: %s after the lease",
		victim.name, rounded(h.from.last-fault), rounded(h.from.deadline-fault), rounded(h.to.first-fault), rounded(h.unused()))
	require.Positive(g.t, h.unused(), "the coordinator has given partition %d away while %s still could write", h.from.partition, victim.name)
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// A partition has one writer, whatever stops, or is cut off: the lease is over before the coordinator gives it to another.
func TestALeaseEndsBeforeAnotherMemberWrites(t *testing.T) {
	link := proxy.New()
	t.Cleanup(link.Close)
	cluster := broker.Start(t, broker.Brokers(3), broker.Behind(link.Front))
	withTopic(t, cluster)

	faults := map[string]func(*testing.T){
		"is stopped": func(t *testing.T) {
			g := newWorkers(t, cluster, "stopped", "a", "b")
			a, b := g.all[0], g.all[1]
			g.share(a, b)
			a.stop()
			g.share(b)
			a.resume()
			g.share(a, b)
			g.judge(a, a.stopped())
		},
		"is cut off": func(t *testing.T) {
			g := newWorkers(t, cluster, "cut")
			g.max = 7 * time.Second // so that a JoinGroup that was swallowed is soon given up
			a, b := g.start("a"), g.start("b")
			g.share(a, b)
			fault := clock()
			link.CutClient(a.name)
			g.share(b)
			link.Heal()
			g.share(a, b)
			g.judge(a, fault)
		},
		"is stopped for the rebalance timeout, less than its session": func(t *testing.T) {
			g := newWorkers(t, cluster, "rebalance")
			g.session, g.max = 20*time.Second, 4*time.Second
			a, b := g.start("a"), g.start("b")
			g.share(a, b)
			a.stop()
			c := g.start("c")
			g.share(b, c)
			a.resume()
			g.share(a, b, c)
			g.judge(a, a.stopped())
		},
		"is stopped again and again": func(t *testing.T) {
			g := newWorkers(t, cluster, "again")
			g.session, g.beat, g.anytime = 2*time.Second, 300*time.Millisecond, true
			g.share(g.start("a"), g.start("b"), g.start("c"))
			var restless sync.WaitGroup
			for i, w := range g.all {
				restless.Go(func() {
					random := rand.New(rand.NewPCG(1, uint64(i)))
					for end := time.Now().Add(15 * time.Second); time.Now().Before(end); {
						time.Sleep(time.Duration(random.Int64N(int64(2 * g.session)))) // the brokers live in real time
						w.stop()
						time.Sleep(time.Duration(random.Int64N(int64(2 * g.session))))
						w.resume()
					}
				})
			}
			restless.Wait()
			g.share(g.all...)
			g.judge(nil, 0)
		},
	}
	for _, s := range []classic.State{classic.PreparingRebalance, classic.CompletingRebalance, classic.Stable} {
		faults["is stopped when it has become "+s.String()] = func(t *testing.T) {
			g := newWorkers(t, cluster, s.String(), "a", "b")
			a, b := g.all[0], g.all[1]
			g.share(a, b)
			a.stopWhen(s)
			c := g.start("c")
			require.Eventually(t, func() bool { return a.stopped() != 0 }, patience, 10*time.Millisecond, "a has not become %s", s)
			g.share(b, c)
			a.resume()
			g.share(a, b, c)
			g.judge(nil, 0)
		}
	}
	var groups sync.WaitGroup // not t.Parallel, which runs no more at once than there are processors: these wait most of the time
	for name, test := range faults {
		groups.Go(func() { t.Run("a member that "+name, test) })
	}
	groups.Wait()

	// The coordinator fails, and a member with it; what it owned is given away by the next coordinator.
	for _, fault := range []struct {
		name       string
		begin, end func(*broker.Broker)
	}{
		{"stopped", (*broker.Broker).Suspend, (*broker.Broker).Resume},
		{"killed", (*broker.Broker).Kill, func(*broker.Broker) {}},
	} {
		t.Run("a coordinator that is "+fault.name, func(t *testing.T) {
			g := newWorkers(t, cluster, "coordinator "+fault.name, "a", "b", "c")
			a, b, c := g.all[0], g.all[1], g.all[2]
			inSync(t, cluster)
			g.share(a, b, c)
			coordinator := cluster.Broker(described(t, cluster, g.group).Coordinator.NodeID)
			a.stop()
			fault.begin(coordinator)
			g.share(b, c)
			fault.end(coordinator)
			a.resume()
			g.share(a, b, c)
			g.judge(a, a.stopped())
		})
	}
}

// inSync waits until each broker has all that the others know of groups, so that any of them can be lost.
func inSync(t *testing.T, cluster *broker.Cluster) {
	t.Helper()
	adm := kadm.NewClient(newClient(t, kgo.SeedBrokers(cluster.Addrs()...)))
	require.Eventually(t, func() bool {
		const offsets = "__consumer_offsets"
		meta, err := adm.Metadata(t.Context(), offsets)
		if err != nil || len(meta.Topics[offsets].Partitions) == 0 {
			return false
		}
		for _, p := range meta.Topics[offsets].Partitions {
			if len(p.ISR) < 3 {
				return false
			}
		}
		return true
	}, patience, 100*time.Millisecond, "the brokers do not hold the same")
}
