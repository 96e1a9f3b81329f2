package wire

import (
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// embedded is where the embedded coordinator is not Apache Kafka's, and must be helped, lest the members are blamed.
type embedded struct {
	generation int32         // of the rebalance that goes on
	since      time.Duration // when it began; 0 while none goes on
	still      *spell        // that holds joins; nil while none are held
	helped     time.Duration // when it was last helped to end one: who is in it may be so for longer than in Kafka's
}

// tend is called with what the coordinator holds, each second.
func (e *embedded) tend(w *world, info *kfake.GroupInfo) {
	e.keepAlive(w, info.Epoch)
	e.endRebalance(w, info)
	if e.still != nil {
		e.helped = w.now()
	}
}

// keepAlive lets no session end of a member that waits in a JoinGroup. Kafka's coordinator expects no heartbeats of it, and
// neither does a member send any; the embedded one would give it up.
func (e *embedded) keepAlive(w *world, generation int32) {
	ids := w.network.waiting()
	if len(ids) == 0 {
		return
	}
	broker := w.admin.Broker(int(w.cluster.CoordinatorFor(group)))
	w.work.Go(func() {
		ctx, cancel := w.context()
		defer cancel()
		for _, id := range ids {
			r := kmsg.NewPtrHeartbeatRequest()
			r.Group, r.MemberID, r.Generation = group, id, generation
			_, _ = broker.Request(ctx, r) // that it does not know the member is no matter
		}
	})
}

// endRebalance lets a rebalance end. Kafka's lasts the rebalance timeout at most. The embedded coordinator starts that anew
// with each join; and it counts too few of those that wait where one was in a SyncGroup before, so that it is only the time
// which ends it. So joins are held up when it has lasted too long.
func (e *embedded) endRebalance(w *world, info *kfake.GroupInfo) {
	switch going := info.State == "PreparingRebalance"; {
	case !going || info.Epoch != e.generation:
		if e.still != nil {
			w.network.lift(e.still)
			e.still = nil
		}
		e.generation, e.since = info.Epoch, 0
		if going {
			e.since = w.now()
		}
	case e.since == 0:
		e.since = w.now()
	case e.still == nil && w.now()-e.since > w.plan.timing.MaxPollInterval+5*time.Second:
		e.still = &spell{node: anyNode, api: kmsg.JoinGroup.Int16(), share: always, gate: make(chan struct{})}
		w.network.cast(e.still)
	}
}
