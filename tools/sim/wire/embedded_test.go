package wire

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/heartbeat"
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
	e.keepAlive(w, info)
	e.endRebalance(w, info)
	if e.still != nil {
		e.helped = w.now()
	}
}

// keepAlive sends the heartbeats of members that Kafka's coordinator needs none of. It lets no session end of one that waits in
// a JoinGroup, and the embedded one does. And it begins the sessions of all when a generation is formed; the embedded one
// leaves it to chance where a member's connection is lost by then, and holds it until the next rebalance is over.
func (e *embedded) keepAlive(w *world, info *kfake.GroupInfo) {
	ids := w.network.waiting()
	if info.Epoch != e.generation {
		for _, m := range info.Members {
			ids = append(ids, m.MemberID)
		}
	}
	if len(ids) == 0 {
		return
	}
	broker := w.admin.Broker(int(w.cluster.CoordinatorFor(group)))
	w.work.Go(func() {
		ctx, cancel := w.context()
		defer cancel()
		for _, id := range ids {
			r := kmsg.NewPtrHeartbeatRequest()
			r.Group, r.MemberID, r.Generation = group, id, info.Epoch
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

// A member joins for the first time, and is dead when its join is answered. Nobody sends a SyncGroup in the generation that is
// formed of it, and shortly before the coordinator ends that, another member comes, for whose rebalance it waits as long again.
// Kafka's has given the dead one up by then, since its session has begun with the generation. It is no ghost.
func TestAMemberThatDiesWhileItJoins(t *testing.T) {
	p := plan{
		seed: 1, length: 6 * time.Minute, calm: 150 * time.Second, group: ofShards,
		timing: heartbeat.Config{
			SessionTimeout: 10 * time.Second, HeartbeatInterval: time.Second, MaxPollInterval: 30 * time.Second,
			RequestTimeout: 10 * time.Second, RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second,
		},
		cast: []role{{kind: polls}, {kind: polls, instance: "i2", starts: 33 * time.Second}, {kind: polls, starts: 84 * time.Second}},
		faults: []fault{
			{kind: stuck, slot: 0, at: 30 * time.Second, lasts: 100 * time.Second}, // so that the rebalance lasts, until it leaves
			{kind: killed, slot: 1, at: 40 * time.Second, lasts: 105 * time.Second},
		},
	}
	for range 6 { // whether the embedded coordinator notices the lost connection is a matter of chance
		r := p.play(t, flaw{})
		require.False(t, r.failed(), "%v %v", r.violations, r.broken)
	}
}
