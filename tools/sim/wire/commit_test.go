package wire

import (
	"context"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// commit stores a position of each partition, or gives it to a worker that will, in its own time.
func (p *process) commit(ctx context.Context, s *heartbeat.Session) {
	reader := judge.Identity{MemberID: s.MemberID(), Generation: s.Generation()}
	var offsets []heartbeat.Offset
	for _, n := range p.owned.all() {
		offsets = append(offsets, heartbeat.Offset{Topic: topic, Partition: n, Offset: 1, LeaderEpoch: -1, Metadata: reader.Metadata()})
	}
	switch {
	case len(offsets) == 0:
	case p.chance(3):
		p.commitLate(s, offsets)
	default:
		p.store(ctx, s, offsets)
	}
}

// commitLate stores offsets when they are worked through. The worker does not look at what has become of the partitions
// meanwhile: they may be somebody else's, or this member's again in a later generation.
func (p *process) commitLate(s *heartbeat.Session, offsets []heartbeat.Offset) {
	takes := p.between(0, 2*p.w.plan.timing.MaxPollInterval)
	p.w.work.Go(func() {
		p.sleep(p.working, takes)
		if p.working.Err() == nil {
			p.store(p.working, s, offsets)
		}
	})
}

// store stores offsets; that it fails is nothing that the application could do about.
func (p *process) store(ctx context.Context, s *heartbeat.Session, offsets []heartbeat.Offset) {
	if s.Context().Err() != nil {
		p.w.late.Add(1)
	}
	const limit = 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = p.call(ctx, judge.CallCommit, limit, func(ctx context.Context) error {
		if p.w.flaw.unpinned {
			return p.member.Commit(ctx, offsets)
		}
		return s.Commit(ctx, offsets)
	})
}

// reportStored reports the offsets that a broker has taken, whatever becomes of its answer and of who has sent them.
func (w *world) reportStored(p *process, r *kmsg.OffsetCommitRequest, answer *kmsg.OffsetCommitResponse) {
	taken := map[judge.Partition]bool{}
	for _, t := range answer.Topics {
		for _, part := range t.Partitions {
			taken[judge.Partition{Topic: t.Topic, Number: part.Partition}] = part.ErrorCode == 0
		}
	}
	var metadata []string
	for _, t := range r.Topics {
		for _, part := range t.Partitions {
			if taken[judge.Partition{Topic: t.Topic, Number: part.Partition}] {
				beside := ""
				if part.Metadata != nil {
					beside = *part.Metadata
				}
				metadata = append(metadata, beside)
			}
		}
	}
	if len(metadata) > 0 {
		w.see(judge.Event{Member: p.name, Kind: judge.Stored, Who: judge.Identity{MemberID: r.MemberID, Generation: r.Generation}, Read: judge.Readers(metadata...)})
	}
}
