package wire

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/heartbeat/franz"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// topic is what the group works on; shards go by its name too.
const topic = "t"

// owned is what an application works on.
type owned struct {
	p *process

	mu    sync.Mutex
	parts map[int32]bool
}

// change takes up and lets go of partitions.
func (o *owned) change(added, removed []int32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.parts == nil {
		o.parts = map[int32]bool{}
	}
	for _, n := range removed {
		delete(o.parts, n)
	}
	for _, n := range added {
		o.parts[n] = true
	}
	o.p.see(judge.Event{Kind: judge.Holds, Partitions: o.list()})
}

// replace takes up these, and no others.
func (o *owned) replace(by []int32) { o.change(by, o.all()) }

// letGo lets go of all, unless the application is deaf.
func (o *owned) letGo() {
	if !o.p.w.flaw.deaf {
		o.replace(nil)
	}
}

func (o *owned) all() []int32 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Sorted(maps.Keys(o.parts))
}

func (o *owned) list() (list []judge.Partition) {
	for _, n := range slices.Sorted(maps.Keys(o.parts)) {
		list = append(list, judge.Partition{Topic: topic, Number: n})
	}
	return list
}

// shards are the callbacks of an application that polls, and owns shards.
func (o *owned) shards() heartbeat.Callbacks {
	return heartbeat.Callbacks{
		Assigned: func(_ context.Context, s *heartbeat.Session) error {
			o.p.stand()
			o.p.takeLease(s)
			parts, err := parseShards(s.Assignment())
			o.replace(parts)
			return err
		},
		Revoked: func(ctx context.Context, s *heartbeat.Session) error {
			o.p.finish(ctx, s)
			o.letGo()
			return nil
		},
		Lost: func(context.Context, *heartbeat.Session) error {
			o.p.stand()
			o.letGo()
			return nil
		},
	}
}

// partitions are those of one that owns partitions of a topic.
func (o *owned) partitions() franz.ConsumerCallbacks {
	return franz.ConsumerCallbacks{
		Assigned: func(_ context.Context, s *heartbeat.Session, added franz.Partitions) error {
			o.p.stand()
			o.p.takeLease(s)
			o.change(added[topic], nil)
			return nil
		},
		Revoked: func(ctx context.Context, s *heartbeat.Session, removed franz.Partitions) error {
			o.p.finish(ctx, s)
			o.change(nil, removed[topic])
			return nil
		},
		Lost: func(_ context.Context, _ *heartbeat.Session, lost franz.Partitions) error {
			o.p.stand()
			o.change(nil, lost[topic])
			return nil
		},
	}
}

// finish is what an application does before it lets go: it may take a while, and commits.
func (p *process) finish(ctx context.Context, s *heartbeat.Session) {
	p.stand()
	if p.role.kind == pollsLate {
		p.sleep(ctx, p.between(0, 3*time.Second))
	}
	if p.chance(2) {
		p.commit(ctx, s)
	}
}

// pollAll is an application with a loop of its own.
func (p *process) pollAll(ctx context.Context) error {
	for ctx.Err() == nil {
		p.stand()
		if err := p.poll(ctx); err != nil {
			return err
		}
		wants, pause := p.member.Wants(), p.between(time.Second, p.w.plan.timing.MaxPollInterval/3)
		if p.role.kind == pollsLate {
			wants, pause = nil, p.between(time.Second, p.w.plan.timing.MaxPollInterval/2)
		}
		select {
		case <-wants:
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
	return nil
}

// poll polls once, and not for ever.
func (p *process) poll(ctx context.Context) error {
	limit := p.between(100*time.Millisecond, 20*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errPatience)
	defer cancel()
	if err := p.call(ctx, judge.CallPoll, limit, p.member.Poll); ctx.Err() == nil {
		return err
	}
	return nil
}

var errPatience = fmt.Errorf("the application has other things to do")

// workOnShards is the work of a generation.
func (p *process) workOnShards(ctx context.Context, s *heartbeat.Session) error {
	parts, err := parseShards(s.Assignment())
	if err != nil {
		return err
	}
	return p.work(ctx, s, parts)
}

// workOnPartitions likewise.
func (p *process) workOnPartitions(ctx context.Context, s *heartbeat.Session, parts franz.Partitions) error {
	return p.work(ctx, s, parts[topic])
}

func (p *process) work(ctx context.Context, s *heartbeat.Session, parts []int32) error {
	p.stand()
	p.takeLease(s)
	p.owned.replace(parts)
	defer p.owned.letGo()
	for ctx.Err() == nil {
		p.sleep(ctx, p.between(time.Second, p.w.plan.timing.MaxPollInterval/3))
		switch {
		case p.role.kind == progresses:
			s.Progress()
		case p.chance(2):
			p.commit(ctx, s)
		}
	}
	late := context.WithoutCancel(ctx)
	if p.role.kind == runsSlowly {
		p.sleep(late, p.between(0, 3*time.Second))
	}
	p.commit(late, s)
	p.stand()
	return nil
}

func (p *process) runOptions() []heartbeat.RunOption {
	if p.role.kind == progresses {
		return []heartbeat.RunOption{heartbeat.RequireProgress()}
	}
	return nil
}

// assign divides the shards evenly, in the order of the members' ids.
func (w *world) assign(_ context.Context, in heartbeat.AssignmentInput) ([]heartbeat.Assignment, error) {
	var ids []string
	for _, m := range in.Members {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	total := int(w.plan.partitions())
	var plan []heartbeat.Assignment
	for i, id := range ids {
		var data strings.Builder
		for n := i * total / len(ids); n < (i+1)*total/len(ids); n++ {
			fmt.Fprintf(&data, "%d ", n)
		}
		plan = append(plan, heartbeat.Assignment{Member: id, Data: []byte(data.String())})
	}
	return plan, nil
}

// parseShards reads what assign has written.
func parseShards(data []byte) (parts []int32, err error) {
	for _, field := range strings.Fields(string(data)) {
		var n int32
		if _, err := fmt.Sscan(field, &n); err != nil {
			return nil, fmt.Errorf("assignment %q: %w", data, err)
		}
		parts = append(parts, n)
	}
	return parts, nil
}
