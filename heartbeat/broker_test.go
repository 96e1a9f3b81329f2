package heartbeat_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// broker stands before the embedded coordinator: it writes down each request of the group, and lets a test say what
// becomes of the next ones. What it has no answer for, the coordinator answers.
type broker struct {
	cluster *kfake.Cluster
	diary   *diary
	closed  chan struct{} // ends what is held
	aside   atomic.Bool   // what comes is not of a member

	mu   sync.Mutex
	next map[kmsg.Key][]*answer // for the requests to come
	held map[kmsg.Key][]*answer // requests that have come, and wait to be released
}

// answer is what becomes of a request.
type answer struct {
	way     way
	code    classic.Code // with byCode
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

// ways are the APIs of a group, each with the time that a request and its answer take on their way: no two the same, so
// that what is asked at one time is not answered at one time.
var ways = map[kmsg.Key]time.Duration{
	kmsg.FindCoordinator: 1 * time.Millisecond,
	kmsg.JoinGroup:       2 * time.Millisecond,
	kmsg.SyncGroup:       3 * time.Millisecond,
	kmsg.Heartbeat:       4 * time.Millisecond,
	kmsg.LeaveGroup:      5 * time.Millisecond,
	kmsg.OffsetCommit:    6 * time.Millisecond,
}

func newBroker(cluster *kfake.Cluster, d *diary) *broker {
	b := &broker{
		cluster: cluster, diary: d, closed: make(chan struct{}),
		next: map[kmsg.Key][]*answer{}, held: map[kmsg.Key][]*answer{},
	}
	for key, way := range ways {
		cluster.ControlKey(key.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
			if b.aside.Load() {
				return nil, nil, false
			}
			cluster.KeepControl()
			d.add(sent, "", "%s", request(r))
			a := b.come(key)
			cluster.SleepControl(func() {
				time.Sleep(way)
				select {
				case <-a.gate:
				case <-b.closed:
				}
			})
			return a.to(r)
		})
	}
	return b
}

// come is the answer for a request that has come.
func (b *broker) come(key kmsg.Key) *answer {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.next[key]
	if len(next) == 0 {
		return open(answer{})
	}
	a := next[0]
	if a.forever {
		return a
	}
	b.next[key] = next[1:]
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

func (a *answer) to(r kmsg.Request) (kmsg.Response, error, bool) {
	switch a.way {
	case byCode:
		return refuse(r, a.code.Number()), nil, true
	case byCut:
		return nil, errors.New("cut"), true
	case byGarbage:
		return garbage{r.ResponseKind()}, nil, true
	case byNothing:
		return nil, nil, true
	}
	return nil, nil, false
}

// garbage is a response that does not decode.
type garbage struct{ kmsg.Response }

func (garbage) AppendTo(to []byte) []byte { return append(to, 0xff, 0xff, 0xff) }

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
