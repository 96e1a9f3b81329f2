//go:build kafka

package coordinator_test

import (
	"fmt"
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
		case s.restarts():
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
	visit(t, func(_ testing.TB, s script) string { return told.by[s.name] })
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
	t         *testing.T
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
	each(all, func(s script) {
		last := ""
		for try := range tries {
			plays.Add(1)
			now := k.play(s, fmt.Sprintf("%s/%d", s.name, try), nil)
			told.note(s, now)
			if now == s.facts || now == last {
				return
			}
			last = now
		}
		k.t.Errorf("%s is told otherwise each time; the last time:\n%s", s.name, last)
	})
	k.t.Logf("%d scripts were played %d times in all, in %v", len(all), plays.Load(), time.Since(began).Round(time.Millisecond))
}

func each(all []script, do func(script)) {
	var work sync.WaitGroup
	for _, s := range all {
		work.Go(func() { do(s) })
	}
	work.Wait()
}

// playWithRestart plays scripts up to their restart, lets the broker restart once for all of them, and plays on.
func (k *kafka) playWithRestart(all []script, told *record) {
	var work, arrived sync.WaitGroup
	arrived.Add(len(all))
	restarted := make(chan struct{})
	work.Go(func() {
		each(all, func(s script) {
			told.note(s, k.play(s, s.name, func() (*kgo.Client, *franz.Transport) {
				arrived.Done()
				<-restarted
				return k.client, k.transport
			}))
		})
	})
	arrived.Wait()
	k.cluster.Broker(1).Restart()
	k.connect()
	close(restarted)
	work.Wait()
}

func (k *kafka) play(s script, group string, again func() (*kgo.Client, *franz.Transport)) string {
	w := newWire(k.t, group, k.client, k.transport)
	defer w.close()
	w.again = again
	return play(k.t, s, w)
}
