//go:build kafka

package coordinator_test

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/kafkatest/broker"
)

// TestKafka plays the scripts to Apache Kafka, which must say what is on record; `-rewrite` puts it there. All scripts
// run at once, each in a group of its own.
func TestKafka(t *testing.T) {
	var here, delayed, restarted []script
	for _, s := range scripts(t) {
		switch {
		case s.restart() >= 0:
			restarted = append(restarted, s)
		case s.delayed:
			delayed = append(delayed, s)
		default:
			here = append(here, s)
		}
	}
	told := &record{by: map[string]string{}}
	t.Run("brokers", func(t *testing.T) {
		t.Run("at once", func(t *testing.T) {
			t.Parallel()
			newKafka(t).playAll(here, told)
		})
		t.Run("delayed", func(t *testing.T) {
			t.Parallel()
			k := newKafka(t, broker.Property("group.initial.rebalance.delay.ms", fmt.Sprint(initialDelay.Milliseconds())))
			k.playAll(delayed, told)
			k.playWithRestart(restarted, told)
		})
	})
	visit(t, func(_ testing.TB, s script) string { return cmp.Or(told.by[s.name], s.facts) }) // one that has ended early has failed
}

// record is what was told in each script.
type record struct {
	mu sync.Mutex
	by map[string]string
}

func (r *record) note(s script, told string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.by[s.name] = told
}

// kafka is a broker, and who talks to it.
type kafka struct {
	t         *testing.T // of all its scripts
	cluster   *broker.Cluster
	client    *kgo.Client
	transport *franz.Transport
}

func newKafka(t *testing.T, properties ...broker.Option) *kafka {
	k := &kafka{t: t, cluster: broker.Start(t, properties...)}
	k.connect()
	_, err := kadm.NewClient(k.client).CreateTopic(t.Context(), 1, -1, nil, topic)
	require.NoError(t, err)
	newWire(t, "first", k.client, k.transport).close() // there is a coordinator
	return k
}

// connect makes connections anew.
func (k *kafka) connect() {
	var err error
	k.client, err = kgo.NewClient(kgo.SeedBrokers(k.cluster.Addrs()...), kgo.DisableClientMetrics())
	require.NoError(k.t, err)
	k.t.Cleanup(k.client.Close)
	k.transport = franz.New(k.client)
	k.t.Cleanup(k.transport.Close)
}

// tries is how often a script is played at most.
const tries = 8

// playAll plays scripts side by side. A broker is late that has just begun, or whose machine is busy. So what is not as
// recorded is played again: it counts when it is told twice in a row.
func (k *kafka) playAll(all []script, told *record) {
	began := time.Now()
	var plays atomic.Int32
	each(k.t, all, func(t *testing.T, s script) {
		last := ""
		for try := range tries {
			plays.Add(1)
			now := k.play(t, s, fmt.Sprintf("%s/%d", s.name, try))
			told.note(s, now)
			if now == s.facts || now == last {
				return
			}
			last = now
		}
		t.Errorf("%s is told otherwise each time; the last time:\n%s", s.name, last)
	})
	k.t.Logf("%d scripts were played %d times in all, in %v", len(all), plays.Load(), time.Since(began).Round(time.Millisecond))
}

// each does something with each script, all at once: t.Parallel would let only as many as there are processors.
func each(t *testing.T, all []script, do func(*testing.T, script)) {
	var work sync.WaitGroup
	for _, s := range all {
		work.Go(func() { t.Run(s.name, func(t *testing.T) { do(t, s) }) })
	}
	work.Wait()
}

func (k *kafka) play(t *testing.T, s script, group string) string {
	w := newWire(t, group, k.client, k.transport)
	defer w.close()
	return play(t, s, w)
}

// playWithRestart plays scripts, and those again that are not as recorded, until each counts as in playAll.
func (k *kafka) playWithRestart(all []script, told *record) {
	last := map[string]string{}
	for try := range tries {
		now := k.restartAmid(all, try)
		if len(now) < len(all) {
			return // the others have failed
		}
		all = slices.DeleteFunc(slices.Clone(all), func(s script) bool {
			before := last[s.name]
			last[s.name] = now[s.name]
			told.note(s, now[s.name])
			return now[s.name] == s.facts || now[s.name] == before
		})
		if len(all) == 0 {
			k.t.Logf("the broker was restarted %d times", try+1)
			return
		}
	}
	for _, s := range all {
		k.t.Errorf("%s is told otherwise each time; the last time:\n%s", s.name, last[s.name])
	}
}

// restartAmid plays scripts up to their restart, lets the broker restart once for all of them, and plays on. It returns what
// each is told.
func (k *kafka) restartAmid(all []script, try int) map[string]string {
	var mu sync.Mutex
	players := map[string]*player{}
	group := func(s script) string { return fmt.Sprintf("%s/%d", s.name, try) }
	each(k.t, all, func(t *testing.T, s script) {
		w := newWire(t, group(s), k.client, k.transport)
		defer w.close()
		p := newPlayer(t, w)
		p.play(s.steps[:s.restart()])
		mu.Lock()
		defer mu.Unlock()
		players[s.name] = p
	})
	told := map[string]string{}
	if len(players) < len(all) {
		return told // the others have failed
	}
	k.cluster.Broker(1).Restart()
	k.connect()
	each(k.t, all, func(t *testing.T, s script) {
		w := newWire(t, group(s), k.client, k.transport)
		defer w.close()
		p := players[s.name]
		p.t, p.backend = t, w
		p.play(s.steps[s.restart():])
		mu.Lock()
		defer mu.Unlock()
		told[s.name] = p.end()
	})
	return told
}
