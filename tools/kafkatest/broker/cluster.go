// Package broker runs a real Apache Kafka under a test: one or three brokers on 127.0.0.1, with free ports and a folder
// of their own, from jars that Maven resolves.
//
//	cluster := broker.Start(t)
//	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.Addrs()...))
//	cluster.Broker(1).Kill()    // SIGKILL
//	cluster.Broker(1).Restart() // the same port, the same data
//
// A cluster ends with its test, and on Linux also when the test's process dies in whatever way. It needs java and mvn on
// the PATH. It is for tests only: nothing is flushed, nothing is kept.
package broker

import (
	"context"
	_ "embed"
	"errors"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/kbeat/kbeat/tools/maven"
)

//go:embed pom.xml
var pom []byte

// startTimeout is ample: a broker answers after two seconds on an idle machine, and a first run downloads the jars.
const startTimeout = 3 * time.Minute

// Cluster is what Start has started. It is for the goroutine of the test.
type Cluster struct {
	tb      testing.TB
	brokers []*Broker
}

// Start starts a cluster and returns when each of its brokers has answered with the whole cluster in it. It fails the
// test otherwise. When the test ends the brokers are killed; if it has failed, the ends of their logs are printed.
func Start(tb testing.TB, opts ...Option) *Cluster {
	tb.Helper()
	o := options{brokers: 1, properties: map[string]string{}}
	for _, opt := range opts {
		opt(&o)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), startTimeout)
	defer cancel()
	path, err := maven.ClassPath(ctx, pom)
	if err != nil {
		tb.Fatalf("no Apache Kafka to test with: %v", err)
	}

	dir := tb.TempDir() // before the cleanup below, so that it is removed after it: a living broker still writes
	c := &Cluster{tb: tb}
	tb.Cleanup(func() {
		c.kill()
		if tb.Failed() {
			for _, b := range c.brokers {
				tb.Logf("log of broker %d, from its end:\n%s", b.ID, b.log.tail(tailLines))
			}
		}
	})
	// Between the moment a free port is found and the moment the broker listens on it, another process can take it.
	for try := 1; ; try++ {
		if c.brokers, err = newBrokers(tb, path, filepath.Join(dir, strconv.Itoa(try)), o); err == nil {
			err = c.launch(ctx)
		}
		if err == nil {
			return c
		}
		c.kill()
		if try == 5 || !errors.Is(err, errPortTaken) {
			tb.Fatalf("Apache Kafka does not start: %v", err)
		}
	}
}

func (c *Cluster) launch(ctx context.Context) error {
	for _, b := range c.brokers {
		if err := b.format(ctx); err != nil {
			return err
		}
		if err := b.launch(); err != nil {
			return err
		}
	}
	// All at once: a broker that has ended says why, and the others would wait for it for ever.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan error)
	for _, b := range c.brokers {
		go func() { answers <- b.ready(ctx, len(c.brokers)) }()
	}
	var first error
	for range c.brokers {
		if err := <-answers; err != nil && first == nil {
			first = err
			cancel()
		}
	}
	return first
}

func (c *Cluster) kill() {
	for _, b := range c.brokers {
		b.Kill()
	}
}

// Broker is the broker of that node id; the first is 1.
func (c *Cluster) Broker(id int32) *Broker {
	c.tb.Helper()
	if id < 1 || int(id) > len(c.brokers) {
		c.tb.Fatalf("the cluster has no broker %d, only 1 to %d", id, len(c.brokers))
	}
	return c.brokers[id-1]
}

// Addrs is where the brokers listen, in the order of their ids.
func (c *Cluster) Addrs() []string {
	addrs := make([]string, len(c.brokers))
	for i, b := range c.brokers {
		addrs[i] = b.Addr
	}
	return addrs
}
