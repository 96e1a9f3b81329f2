package wire

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// spell is what a fault does, while it lasts, to the requests that it meets.
type spell struct {
	who   *process // nil: all
	node  int32    // or anyNode
	api   int16    // or anyAPI
	share int      // of the requests that it meets, in always
	fate
	gate chan struct{} // closed when it is over, of one that holds what it meets
}

const (
	always        = 8
	anyNode int32 = -1
	anyAPI  int16 = -1
)

// fate is what becomes of a request.
type fate struct {
	way    way
	code   int16         // with byCode and byCodeAfter
	delay  time.Duration // on its way
	gate   <-chan struct{}
	slow   time.Duration // throttle time of the answer
	form   int           // of garbage
	size   uint32        // instead of the answer's length, where not 0
	pieces int           // in which the answer arrives
}

type way int

const (
	byBroker    way = iota
	byCode          // a code answers, and the broker has heard nothing
	byCodeAfter     // a code answers, and the broker has done what was asked
	byCut           // the connection is cut, and the broker has heard nothing
	byCutAfter      // the connection is cut, and the broker has done what was asked
	byNothing       // nothing passes any more
	bySilence       // the broker has done what was asked, and its answer is lost; what comes after it passes
	byGarbage       // the answer is none
)

// meets reports whether a spell is about a request.
func (s *spell) meets(who *process, node int32, api kmsg.Key) bool {
	return (s.who == nil || s.who == who) && (s.node == anyNode || s.node == node) && (s.api == anyAPI || s.api == int16(api))
}

// befall adds what the spell does to what others do.
func (s *spell) befall(f *fate, r request, d dice) {
	f.delay += s.delay
	f.slow = max(f.slow, s.slow)
	f.pieces = max(f.pieces, s.pieces)
	if s.gate != nil {
		f.gate = s.gate
	}
	if s.way > f.way && !((s.way == byCode || s.way == byCodeAfter) && r.Request == nil) {
		f.way, f.code, f.form = s.way, s.code, d.IntN(forms)
	}
}

// forms is how many kinds of garbage there are.
const forms = 6

// spoil is what arrives of an answer; false where the connection ends instead.
func (f *fate) spoil(r request, answer []byte) ([]byte, bool) {
	switch f.way {
	case byCutAfter:
		return nil, false
	case bySilence:
		return nil, true
	case byCodeAfter:
		return encode(refuse(r.Request, f.code), r.correlation), true
	case byGarbage:
		return f.garble(answer), true
	}
	if f.slow > 0 && r.Request != nil {
		resp := decodeAnswer(r, answer)
		if t, ok := resp.(kmsg.SetThrottleResponse); ok {
			t.SetThrottle(int32(f.slow / time.Millisecond))
			return encode(resp, r.correlation), true
		}
	}
	return answer, true
}

// garble makes what is no answer of one.
func (f *fate) garble(answer []byte) []byte {
	bad := append([]byte(nil), answer...)
	switch f.form {
	case 0: // it ends in the middle
		return bad[:len(bad)-1-(len(bad)-4)/2]
	case 1: // it answers another request
		binary.BigEndian.PutUint32(bad, binary.BigEndian.Uint32(bad)+1)
	case 2: // all bits are the wrong way round
		for i := range bad[4:] {
			bad[4+i] ^= 0xff
		}
	case 3: // it says that it is endless
		f.size = 1<<31 - 1
	case 4: // it says that it is less than nothing
		f.size = 1<<32 - 1
	case 5: // it is no Kafka
		return []byte("HTTP/1.1 400 Bad Request\r\n\r\n")
	}
	return bad
}

// refuse is the answer that carries a code where the API has it, and as little else as it may.
func refuse(r kmsg.Request, code int16) kmsg.Response {
	resp := r.ResponseKind()
	switch resp := resp.(type) {
	case *kmsg.FindCoordinatorResponse:
		resp.NodeID, resp.ErrorCode = -1, code // before version 4
		for _, key := range r.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
			c := kmsg.NewFindCoordinatorResponseCoordinator()
			c.Key, c.NodeID, c.ErrorCode = key, -1, code
			resp.Coordinators = append(resp.Coordinators, c)
		}
	case *kmsg.JoinGroupResponse:
		resp.ErrorCode, resp.Generation, resp.MemberID = code, -1, r.(*kmsg.JoinGroupRequest).MemberID
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
	default:
		panic(fmt.Sprintf("%s is none of a group's", r.ResponseKind()))
	}
	return resp
}
