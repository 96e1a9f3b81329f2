package heartbeat_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// broker is the embedded coordinator as the members see it: what becomes of a request, a test can say. What it says
// nothing about, the coordinator answers. Each request of the group is written down.
//
// (kfake has such scripts too. They cannot hold requests that follow each other on one connection: it races then.)
type broker struct {
	network *kfake.VirtualNetwork
	diary   *diary
	closed  chan struct{}      // ends what is held
	look    func(kmsg.Request) // sees each request of the group; may be nil

	mu   sync.Mutex
	next map[kmsg.Key][]*answer // for the requests to come
	held map[kmsg.Key][]*answer // requests that have come, and wait to be released
}

// answer is what becomes of a request.
type answer struct {
	way     way
	code    classic.Code // with byCode
	who     string       // whose request; "" for anybody's
	back    bool         // it is held on its way back, not the request
	forever bool         // also of those after it
	gate    chan struct{}
}

type way int

const (
	byCoordinator way = iota
	byCode            // the answer carries a code, and nothing else
	byCut             // the connection is cut instead
	byGarbage         // the answer does not decode
	byNothing         // the answer never comes
)

func newBroker(network *kfake.VirtualNetwork, d *diary) *broker {
	return &broker{
		network: network, diary: d, closed: make(chan struct{}),
		next: map[kmsg.Key][]*answer{}, held: map[kmsg.Key][]*answer{},
	}
}

// come is the answer for a request that has come.
func (b *broker) come(key kmsg.Key, who string) *answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.next[key]
	i := slices.IndexFunc(next, func(a *answer) bool { return a.who == "" || a.who == who })
	if i < 0 {
		return open(answer{})
	}
	a := next[i]
	if a.forever {
		return a
	}
	b.next[key] = slices.Delete(next, i, i+1)
	if a.gate != nil {
		b.held[key] = append(b.held[key], a)
		return a
	}
	return open(*a)
}

// open is an answer that nothing holds.
func open(a answer) *answer {
	a.gate = make(chan struct{})
	close(a.gate)
	return &a
}

// answer says what becomes of the next requests.
func (b *broker) answer(key kmsg.Key, answers ...answer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range answers {
		if a.forever {
			a = *open(a)
		}
		b.next[key] = append(b.next[key], &a)
	}
}

// hold lets the next request wait until it is released.
func (b *broker) hold(key kmsg.Key) { b.answer(key, answer{gate: make(chan struct{})}) }

// release lets the request that has waited longest be answered.
func (b *broker) release(key kmsg.Key, a answer) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	held := b.held[key]
	if len(held) == 0 {
		return fmt.Errorf("no %s is held", key.Name())
	}
	held[0].way, held[0].code = a.way, a.code
	close(held[0].gate)
	b.held[key] = held[1:]
	return nil
}

// relent lets the coordinator answer again what answers were said for.
func (b *broker) relent(key kmsg.Key) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.next, key)
}

// close lets all be answered that is held, and forgets what was said of what comes.
func (b *broker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	clear(b.next)
	close(b.closed)
}

// wait returns when a request that is held is released.
func (b *broker) wait(a *answer) {
	select {
	case <-a.gate:
	case <-b.closed:
	}
}

// refuse is the answer that carries a code where the API has it, and as little else as it may.
func refuse(r kmsg.Request, code int16) kmsg.Response {
	resp := r.ResponseKind()
	switch resp := resp.(type) {
	case *kmsg.FindCoordinatorResponse:
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.NodeID, c.ErrorCode = r.(*kmsg.FindCoordinatorRequest).CoordinatorKeys[0], -1, code
		resp.Coordinators = append(resp.Coordinators, c)
	case *kmsg.JoinGroupResponse:
		resp.ErrorCode, resp.Generation = code, -1
		if code == 0 { // as a follower, in a generation that nobody has heard of
			resp.Generation, resp.MemberID = 1000, r.(*kmsg.JoinGroupRequest).MemberID
		}
	case *kmsg.SyncGroupResponse:
		resp.ErrorCode = code
	case *kmsg.HeartbeatResponse:
		resp.ErrorCode = code
	case *kmsg.LeaveGroupResponse:
		resp.ErrorCode = code
	case *kmsg.OffsetCommitResponse:
		for _, t := range r.(*kmsg.OffsetCommitRequest).Topics {
			topic := kmsg.NewOffsetCommitResponseTopic()
			topic.Topic = t.Topic
			for _, p := range t.Partitions {
				partition := kmsg.NewOffsetCommitResponseTopicPartition()
				partition.Partition, partition.ErrorCode = p.Partition, code
				topic.Partitions = append(topic.Partitions, partition)
			}
			resp.Topics = append(resp.Topics, topic)
		}
	}
	return resp
}

// request is what a transcript says of a request: the fields that the rules are about, where they hold something.
func request(r kmsg.Request) string {
	var fields []string
	field := func(name string, value any) { fields = append(fields, fmt.Sprintf("%s=%v", name, value)) }
	who := func(member string, generation int32, instance *string) {
		if member != "" {
			field("member", member)
		}
		if generation >= 0 {
			field("generation", generation)
		}
		if instance != nil {
			field("instance", *instance)
		}
	}
	why := func(reason *string) {
		if reason != nil {
			field("reason", fmt.Sprintf("%q", *reason))
		}
	}
	const none = -1
	switch r := r.(type) {
	case *kmsg.JoinGroupRequest:
		who(r.MemberID, none, r.InstanceID)
		for _, p := range r.Protocols {
			if len(p.Metadata) > 0 {
				field(p.Name, string(p.Metadata))
			}
		}
		why(r.Reason)
	case *kmsg.SyncGroupRequest:
		who(r.MemberID, r.Generation, r.InstanceID)
		if n := len(r.GroupAssignment); n > 0 {
			field("assignments", n)
		}
	case *kmsg.HeartbeatRequest:
		who(r.MemberID, r.Generation, r.InstanceID)
	case *kmsg.LeaveGroupRequest:
		for _, m := range r.Members {
			who(m.MemberID, none, m.InstanceID)
			why(m.Reason)
		}
	case *kmsg.OffsetCommitRequest:
		who(r.MemberID, r.Generation, r.InstanceID)
	}
	return strings.Join(slices.Concat([]string{kmsg.NameForKey(r.Key())}, fields), " ")
}
