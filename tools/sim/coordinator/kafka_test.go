//go:build kafka

package coordinator_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"sync"
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

// A script is played at most tries times, and from alone on with no other one beside it.
const tries, alone = 10, 5

// counts reports whether a script need not be played again: it was told what is on record, or, where that is to be renewed, the
// same twice in a row. A busy machine can make a broker late twice in the same way, so that is no finding by itself.
func counts(s script, now, last string) bool {
	rewrite := flag.Lookup("rewrite")
	return now == s.facts || rewrite != nil && rewrite.Value.String() == "true" && now == last
}

// playAll plays scripts side by side. A broker is late that has just begun, or whose machine is busy. So what does not count is
// played again, in the company of those alone that do not either.
func (k *kafka) playAll(all []script, told *record) {
	began, plays, number := time.Now(), 0, len(all)
	last := map[string]string{}
	for try := 0; try < tries && len(all) > 0; try++ {
		var mu sync.Mutex
		var again []script
		together(k.t, all, try < alone, func(t *testing.T, s script) {
			now := k.play(t, s, fmt.Sprintf("%s/%d", s.name, try))
			told.note(s, now)
			mu.Lock()
			defer mu.Unlock()
			if !counts(s, now, last[s.name]) {
				again = append(again, s)
			}
			last[s.name] = now
		})
		plays += len(all)
		all = again
	}
	for _, s := range all {
		k.t.Errorf("%s was played %d times; the last time it was told:\n%s", s.name, tries, last[s.name])
	}
	k.t.Logf("%d scripts were played %d times in all, in %v", number, plays, time.Since(began).Round(time.Millisecond))
}

// together does something with each script, all at once or one after the other.
func together(t *testing.T, all []script, atOnce bool, do func(*testing.T, script)) {
	if atOnce {
		each(t, all, do)
		return
	}
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) { do(t, s) })
	}
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
			return counts(s, now[s.name], before)
		})
		if len(all) == 0 {
			k.t.Logf("the broker was restarted %d times", try+1)
			return
		}
	}
	for _, s := range all {
		k.t.Errorf("%s was played %d times; the last time it was told:\n%s", s.name, tries, last[s.name])
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
	require.NoError(k.t, k.cluster.Broker(1).Restart(k.t.Context()))
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
