// Package broker runs a real Apache Kafka: one or three brokers on 127.0.0.1, with free ports and a folder of their own, from
// jars that Maven resolves. A test starts one by Start, a program by Open:
//
//	cluster := broker.Start(t)
//	cl, err := kgo.NewClient(kgo.SeedBrokers(cluster.Addrs()...))
//	cluster.Broker(1).Kill()       // SIGKILL
//	cluster.Broker(1).Restart(ctx) // the same port, the same data
//
// A cluster ends with its test, and on Linux also when the process dies in whatever way. It needs java and mvn on the PATH. It
// is for tests only: nothing is flushed, nothing is kept.
package broker

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/kbeat/kbeat/tools/maven"
)

//go:embed pom.xml
var pom []byte

const (
	// startTimeout is ample: a broker answers after two seconds on an idle machine.
	startTimeout = 5 * time.Minute
	// resolveTimeout is for a first run, which downloads the jars. It is counted apart: how long that takes says nothing of
	// the brokers.
	resolveTimeout = 10 * time.Minute
)

// Cluster is what Start or Open has started. It is for one goroutine.
type Cluster struct {
	tb      testing.TB // nil after Open
	path    string     // the class path
	brokers []*Broker
}

// Start starts a cluster and returns when each of its brokers has answered with the whole cluster in it. It fails the
// test otherwise. When the test ends the brokers are killed; if it has failed, the ends of their logs are printed.
func Start(tb testing.TB, opts ...Option) *Cluster {
	tb.Helper()
	if _, err := ClassPath(tb.Context()); err != nil { // a broker's time to start begins when there is one
		tb.Fatal(err)
	}
	dir := tb.TempDir() // before the cleanup below, so that it is removed after it: a living broker still writes
	ctx, cancel := context.WithTimeout(tb.Context(), startTimeout)
	defer cancel()
	c, err := Open(ctx, dir, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	c.tb = tb
	tb.Cleanup(func() {
		c.Close()
		if tb.Failed() {
			for _, b := range c.brokers {
				tb.Logf("log of broker %d, from its end:\n%s", b.ID, b.log.tail(tailLines))
			}
		}
	})
	return c
}

// ClassPath is the jars of Apache Kafka, as java wants them. A first call downloads them, which takes a minute or more.
func ClassPath(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	path, err := maven.ClassPath(ctx, pom)
	if err != nil {
		return "", fmt.Errorf("no Apache Kafka to start: %w", err)
	}
	return path, nil
}

// Open starts a cluster that keeps its files in dir, and returns when each of its brokers has answered with the whole cluster
// in it. Close ends it. Restart and Consume are for tests, which Start.
func Open(ctx context.Context, dir string, opts ...Option) (*Cluster, error) {
	o := options{brokers: 1, properties: map[string]string{}}
	for _, opt := range opts {
		opt(&o)
	}
	path, err := ClassPath(ctx)
	if err != nil {
		return nil, err
	}
	c := &Cluster{path: path}
	// Between the moment a free port is found and the moment the broker listens on it, another process can take it.
	for try := 1; ; try++ {
		if c.brokers, err = newBrokers(path, filepath.Join(dir, strconv.Itoa(try)), o); err == nil {
			err = c.launch(ctx)
		}
		if err == nil {
			return c, nil
		}
		c.Close()
		if try == 5 || !errors.Is(err, errPortTaken) {
			return nil, fmt.Errorf("start Apache Kafka: %w", err)
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

// Close kills the brokers and waits until they are gone.
func (c *Cluster) Close() {
	for _, b := range c.brokers {
		b.Kill()
	}
}

// Broker is the broker of that node id; the first is 1.
func (c *Cluster) Broker(id int32) *Broker {
	if id < 1 || int(id) > len(c.brokers) {
		panic(fmt.Sprintf("the cluster has no broker %d, only 1 to %d", id, len(c.brokers)))
	}
	return c.brokers[id-1]
}

// Addrs is where clients find the brokers, in the order of their ids.
func (c *Cluster) Addrs() []string {
	addrs := make([]string, len(c.brokers))
	for i, b := range c.brokers {
		addrs[i] = b.Addr
	}
	return addrs
}
