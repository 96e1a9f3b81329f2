package main

import (
	"bufio"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kbeat/kbeat/tools/kafkatest/broker"
	"github.com/kbeat/kbeat/tools/kafkatest/proxy"
)

//go:embed java/Members.java
var members []byte

// environment is a cluster behind a proxy, with the members of all groups and a producer.
type environment struct {
	ctx     context.Context
	silence time.Duration
	folder  string // of the cluster and of what is logged
	proxy   *proxy.Proxy
	cluster *broker.Cluster
	client  *kgo.Client // of the run itself: the producer's and the administrator's
	victim  int32       // the coordinator of all groups
	names   map[group]string
	events  events
	stops   []func()   // of what was started, the last one first
	broken  chan error // a process that must live has ended
}

// start starts the cluster, the producer and all members. What it has started is ended by stop, also where it fails.
func (e *environment) start(groups []group) error {
	e.proxy, e.broken = proxy.New(), make(chan error, 1)
	e.stops = append(e.stops, e.proxy.Close)
	var err error
	e.cluster, err = broker.Open(e.ctx, e.folder, broker.Brokers(3), broker.Behind(e.proxy.Front),
		broker.Property("broker.session.timeout.ms", fmt.Sprint(e.silence.Milliseconds())),
		broker.Property("broker.heartbeat.interval.ms", "1000"),
		broker.Property("group.initial.rebalance.delay.ms", "3000"),
		broker.Property("min.insync.replicas", "2"),
		broker.Property("offsets.topic.num.partitions", fmt.Sprint(offsetsPartitions)))
	if err != nil {
		return err
	}
	e.stops = append(e.stops, e.cluster.Close)
	if e.client, err = kgo.NewClient(kgo.SeedBrokers(e.cluster.Addrs()...), kgo.ClientID("recovery"),
		kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression())); err != nil {
		return err
	}
	e.stops = append(e.stops, e.client.Close)
	if _, err := kadm.NewClient(e.client).CreateTopic(e.ctx, partitions, 3, nil, topic); err != nil {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	leaders, err := e.coordinators()
	if err != nil {
		return err
	}
	e.victim = most(leaders)
	e.names = map[group]string{}
	for _, g := range groups {
		e.names[g] = nameFor(g.id(), leaders, e.victim)
	}
	e.stops = append(e.stops, e.produce())
	return e.startMembers(groups)
}

func (e *environment) startMembers(groups []group) error {
	logs, err := os.OpenFile(filepath.Join(e.folder, "kbeat.log"), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	e.stops = append(e.stops, func() { logs.Close() })
	logger := slog.New(slog.NewTextHandler(logs, nil))

	var inJava []string
	var ends []func()
	e.stops = append(e.stops, func() { together(ends) })
	for _, g := range groups {
		for i := range g.members {
			client, j := g.member(i), journal{&e.events, g.member(i)}
			var stop func()
			switch g.client {
			case java:
				inJava = append(inJava, fmt.Sprintf("%s,%d,%d,%s", e.names[g], g.session.Milliseconds(), g.heartbeat().Milliseconds(), client))
				continue
			case kbeat:
				stop, err = startKbeat(g, e.names[g], client, e.cluster.Addrs(), j, logger)
			case franzGo:
				stop, err = startFranzGo(g, e.names[g], client, e.cluster.Addrs(), j)
			}
			if err != nil {
				return fmt.Errorf("start member %s: %w", client, err)
			}
			ends = append(ends, stop)
		}
	}
	return e.startJava(inJava)
}

// startJava starts one process with all members of Java's consumer.
func (e *environment) startJava(inJava []string) error {
	source := filepath.Join(e.folder, "Members.java")
	if err := os.WriteFile(source, members, 0o644); err != nil {
		return err
	}
	logs, err := os.OpenFile(filepath.Join(e.folder, "java.log"), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	e.stops = append(e.stops, func() { logs.Close() })
	lines, out := io.Pipe()
	args := append([]string{strings.Join(e.cluster.Addrs(), ","), topic, fmt.Sprint(commitEvery.Milliseconds()),
		fmt.Sprint(pollFor.Milliseconds()), fmt.Sprint(maxPollInterval.Milliseconds())}, inJava...)
	stop, ended, err := e.cluster.Java(out, logs, source, args...)
	if err != nil {
		return err
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for s := bufio.NewScanner(lines); s.Scan(); {
			var v event
			if err := json.Unmarshal(s.Bytes(), &v); err != nil {
				e.breaks(fmt.Errorf("the members in Java printed %q: %w", s.Text(), err))
				return
			}
			e.events.add(v)
		}
	}()
	go func() {
		<-ended
		out.Close()
		e.breaks(errors.New("the process with the members in Java has ended: " + tail(logs.Name())))
	}()
	e.stops = append(e.stops, func() {
		lines.Close() // whoever still writes gets an error, and does not wait
		stop()
		<-read
	})
	return nil
}

func (e *environment) breaks(err error) {
	select {
	case e.broken <- err:
	default: // there is an earlier reason
	}
}

// stop ends all that was started.
func (e *environment) stop() {
	for i := len(e.stops) - 1; i >= 0; i-- {
		e.stops[i]()
	}
}

func together(ends []func()) {
	done := make(chan struct{})
	for _, end := range ends {
		go func() { end(); done <- struct{}{} }()
	}
	for range ends {
		<-done
	}
}

// wait waits for d, unless the run ends or breaks first.
func (e *environment) wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case err := <-e.broken:
		return err
	case <-e.ctx.Done():
		return context.Cause(e.ctx)
	}
}

func tail(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

func (e *environment) kill() error    { e.cluster.Broker(e.victim).Kill(); return nil }
func (e *environment) restart() error { return e.cluster.Broker(e.victim).Restart(e.ctx) }
func (e *environment) suspend() error { e.cluster.Broker(e.victim).Suspend(); return nil }
func (e *environment) resume() error  { e.cluster.Broker(e.victim).Resume(); return nil }
func (e *environment) cut() error     { e.proxy.Cut(e.victim); return nil }
func (e *environment) heal() error    { e.proxy.Heal(); return nil }
