package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// brokers is how many the cluster has.
const brokers = 3

// world is one run of a plan: the cluster, the network, the places in the group and who takes them.
type world struct {
	plan    plan
	flaw    flaw
	cluster *kfake.Cluster
	network *network
	admin   *kgo.Client
	rules   map[string]*classic.Rule // by name and place
	began   time.Time
	slots   []*slot
	work    sync.WaitGroup // faults, and workers of applications, that take their time
	late    atomic.Int64   // commits that were begun when the generation that had read their offsets had ended

	looking  sync.Mutex
	loaded   time.Duration // when the group got its present coordinator
	viewed   *judge.View   // what the judge was shown last
	embedded embedded

	mu     sync.Mutex
	judge  *judge.Judge
	events []judge.Event
	ended  bool
	all    []*process
	broken []error // what the world itself has failed with
}

// run plays a plan in virtual time, and is what came of it. It must be called in a bubble.
//
// The judge has no slack. It needs none: in virtual time nobody is late, a trace tells of a step in the instant in which the
// member makes it and before it acts, and what takes time on its way (a line, a broker's session) is in the limits that the
// judge derives from the members' configs, as is the second between two looks at the coordinator.
func (p plan) run(f flaw) (*result, error) {
	w := &world{plan: p, flaw: f, network: newNetwork(), judge: judge.New(judge.Settings{}), rules: map[string]*classic.Rule{}, began: time.Now()}
	for _, r := range classic.Rules() {
		w.rules[r.Name+" "+r.At()] = r
	}
	ports := make([]int, brokers)
	for i := range ports {
		ports[i] = firstPort + i
	}
	var err error
	w.cluster, err = kfake.NewCluster(
		kfake.Ports(ports...), kfake.ListenFn(w.network.inner.Listen), kfake.SeedTopics(p.partitions(), topic),
	)
	if err != nil {
		return nil, err
	}
	w.admin, err = kgo.NewClient(kgo.SeedBrokers(w.cluster.ListenAddrs()...), kgo.Dialer(w.network.inner.DialContext), kgo.DisableClientMetrics())
	if err != nil {
		w.cluster.Close()
		return nil, err
	}
	w.network.onSent = func(l *line, r request) { l.who.wrote(r) }
	w.network.onAnswered = func(l *line, r request, answer []byte) {
		switch r := r.Request.(type) {
		case *kmsg.LeaveGroupRequest:
			w.look() // before the member hears of it
		case *kmsg.OffsetCommitRequest:
			w.reportStored(l.who, r, decodeAnswer(request{Request: r}, answer).(*kmsg.OffsetCommitResponse))
		}
	}
	for i, r := range p.cast {
		w.slots = append(w.slots, &slot{index: i, role: r})
	}
	w.play()
	w.work.Wait()
	w.admin.Close()
	w.network.close()
	w.cluster.Close()
	synctest.Wait()
	w.judge.End(w.now())
	return w.result(), nil
}

func (w *world) now() time.Duration { return time.Since(w.began) }

// see tells the judge.
func (w *world) see(e judge.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.At = w.now()
	w.judge.See(e)
	w.events = append(w.events, e)
}

// fail notes that the world itself does not work.
func (w *world) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.broken = append(w.broken, err)
}

// act is something that is to happen at a time.
type act struct {
	at time.Duration
	do func()
}

// play lets everything happen at its time, one after the other.
func (w *world) play() {
	var acts []act
	for _, s := range w.slots {
		acts = append(acts, act{s.role.starts, func() { w.start(s) }})
	}
	for _, f := range w.plan.faults {
		acts = append(acts, w.acts(f)...)
	}
	acts = append(acts, act{w.plan.calm, func() { w.see(judge.Event{Kind: judge.Calm}) }})
	for at := 500 * time.Millisecond; at < w.plan.length; at += time.Second {
		acts = append(acts, act{at + 77*time.Microsecond, w.look})
	}
	slices.SortStableFunc(acts, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	for _, a := range acts {
		time.Sleep(a.at - w.now())
		a.do()
	}
	time.Sleep(w.plan.length - w.now())
	w.end()
}

// end closes all processes in good order, one after the other.
func (w *world) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	over := make(chan struct{})
	w.work.Go(func() { w.lookOn(over) })
	defer close(over)
	for _, s := range w.slots {
		if p := s.take(); p != nil {
			if err := p.close(time.Minute); errors.Is(err, context.DeadlineExceeded) { // others say that nobody could be told
				w.fail(fmt.Errorf("%s does not close: %w", p.name, err))
			}
		}
	}
}

// lookOn looks at the coordinator until it is over.
func (w *world) lookOn(over <-chan struct{}) {
	for {
		select {
		case <-over:
			return
		case <-time.After(time.Second):
			w.look()
		}
	}
}

// look shows the judge what the coordinator holds.
func (w *world) look() {
	info := w.cluster.GroupInfo(group)
	if info == nil {
		return
	}
	w.looking.Lock()
	defer w.looking.Unlock()
	w.embedded.tend(w, info)
	v := &judge.View{State: info.State, Generation: info.Epoch, Loaded: max(w.loaded, w.embedded.helped)}
	for _, m := range info.Members {
		member := judge.ViewMember{ID: m.MemberID}
		if m.InstanceID != nil {
			member.Instance = *m.InstanceID
		}
		v.Members = append(v.Members, member)
	}
	if !reflect.DeepEqual(w.viewed, v) {
		w.viewed = v
		w.see(judge.Event{Kind: judge.Seen, View: v})
	}
}

// begin makes a process and lets it live.
func (w *world) begin(name string, r role, d dice) (*process, error) {
	p, err := w.newProcess(name, r, d)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.all = append(w.all, p)
	w.mu.Unlock()
	p.see(judge.Event{Kind: judge.Born, Config: &p.config})
	p.begin()
	return p, nil
}

// context is what an operator's request has.
func (w *world) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 10*time.Second)
}
