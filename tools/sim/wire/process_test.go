package wire

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// process is one life of a program that is a member of the group, with a client and connections of its own.
type process struct {
	w      *world
	name   string // "m3" in its first life, "m3.2" in its second
	role   role
	dice   dice // of mu
	client *kgo.Client
	member member
	tracer *tracer
	wanted wanted
	config heartbeat.Config
	run    func(context.Context) error // the application
	owned  owned

	working context.Context    // ends with what the application does
	stop    context.CancelFunc // ends it
	over    chan struct{}      // closed when the application has ended
	dying   chan struct{}      // closed when it is killed
	err     error              // why it has ended by itself; when over is closed

	// Of the network's mutex.
	dead  bool             // nothing of it reaches anybody
	lines map[kmsg.Key]int // so far, by what they were for

	mu     sync.Mutex
	calls  uint64
	lease  lease
	closed bool // Close has returned
	silent bool // nothing that it does counts any more
	gates  []gate
}

// member is a heartbeat.Member, or a franz.ConsumerMember.
type member interface {
	Poll(context.Context) error
	Wants() <-chan struct{}
	Rejoin(string)
	Leave(context.Context, heartbeat.LeaveMode, string) error
	Commit(context.Context, []heartbeat.Offset) error
	Close(context.Context) error
	Status() heartbeat.Status
}

// group is the id of the one that all are in.
const group = "g"

// newProcess makes a process that does nothing yet.
func (w *world) newProcess(name string, r role, d dice) (*process, error) {
	p := &process{w: w, name: name, role: r, dice: d, over: make(chan struct{}), dying: make(chan struct{}), lines: map[kmsg.Key]int{}}
	p.tracer = &tracer{p: p}
	p.owned.p = p
	var err error
	p.client, err = kgo.NewClient(
		kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.Dialer(w.network.dial(p)), kgo.ClientID(name), kgo.DisableClientMetrics(),
	)
	if err != nil {
		return nil, err
	}
	config := w.plan.timing
	config.Group, config.InstanceID, config.Seed, config.Lease = group, r.instance, 1+d.Uint64N(1<<62), r.leased
	p.config = config
	if w.flaw.config != nil {
		w.flaw.config(&config)
	}
	transport := w.flaw.transport(franz.New(p.client, franz.WithSeed(config.Seed)))
	options := []heartbeat.Option{heartbeat.WithTrace(p.tracer)}
	p.run = p.pollAll
	if w.plan.group == ofShards {
		config.ProtocolType, config.Protocols = "shards", []heartbeat.Protocol{{Name: "even"}}
		var m *heartbeat.Member
		m, err = heartbeat.NewMember(config, transport, w.assign, append(options, heartbeat.WithCallbacks(p.owned.shards()))...)
		p.member = m
		if r.kind >= runs {
			p.run = func(ctx context.Context) error { return m.Run(ctx, p.workOnShards, p.runOptions()...) }
		}
	} else {
		balancer := kgo.RangeBalancer()
		if w.plan.group == ofCooperative {
			balancer = kgo.CooperativeStickyBalancer()
		}
		var consumer *franz.Consumer
		if consumer, err = franz.NewConsumer(p.client, []string{topic}, balancer); err != nil {
			p.client.Close()
			return nil, err
		}
		var m *franz.ConsumerMember
		m, err = consumer.NewMember(config, transport, p.owned.partitions(), options...)
		p.member = m
		if r.kind >= runs {
			p.run = func(ctx context.Context) error { return m.Run(ctx, p.workOnPartitions, p.runOptions()...) }
		}
	}
	if err != nil {
		p.client.Close()
		return nil, err
	}
	return p, nil
}

// begin lets the application work.
func (p *process) begin() {
	p.working, p.stop = context.WithCancel(context.Background())
	go p.live(p.working)
}

// live runs the application until it is stopped, or fails for good. What the rules do not repeat by themselves, it tries
// again after a pause, but for what says that another process has its place, or that there is no transport any more.
func (p *process) live(ctx context.Context) {
	defer close(p.over)
	for ctx.Err() == nil {
		err := p.run(ctx)
		switch {
		case ctx.Err() != nil, errors.Is(err, heartbeat.ErrClosed):
			return
		case errors.Is(err, classic.CodeFencedInstanceID), errors.Is(err, classic.CodeTransportClosed):
			p.err = err
			return
		}
		p.sleep(ctx, p.between(time.Second, 3*time.Second))
	}
}

// kill ends the process as a signal that nobody can catch does, and waits until nothing of it is left. Of a machine that
// has lost its power the brokers hear nothing.
func (p *process) kill(powerless bool) {
	p.mu.Lock()
	p.silent = true
	p.mu.Unlock()
	p.w.see(judge.Event{Member: p.name, Kind: judge.Killed})
	p.w.network.bury(p, powerless)
	close(p.dying)
	p.stop()
	<-p.over
	now, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.member.Close(now) // there is nobody whom it could tell
	p.client.Close()
}

// watched is how long the connections of a closed member are watched before the process closes them.
const watched = 6 * time.Second

// closing is what Close may take when its context has ended.
const closing = 200 * time.Millisecond

// close ends the process in good order.
func (p *process) close(patience time.Duration) error {
	p.stop()
	<-p.over
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := p.call(ctx, judge.CallClose, patience+closing, p.member.Close)
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.see(judge.Event{Kind: judge.Closed})
	time.Sleep(watched)
	p.client.Close()
	return err
}

// see reports an event of the process, unless it is dead.
func (p *process) see(e judge.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.silent {
		e.Member = p.name
		p.w.see(e)
	}
}

// isSilent reports whether nothing of the process counts any more.
func (p *process) isSilent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent
}

// isClosed reports whether Close has returned.
func (p *process) isClosed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closed
}

// between is a time by chance, and chance one of n.
func (p *process) between(least, most time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dice.between(least, most)
}

func (p *process) chance(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dice.IntN(n) == 0
}

// sleep is what the application does between two things; it returns when ctx ends, too.
func (p *process) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	p.stand()
}
