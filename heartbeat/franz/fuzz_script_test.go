package franz

import (
	"encoding/binary"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
)

// act is what a hostile broker does with a request.
type act byte

const (
	actAnswer   act = iota // answers it
	actCode                // answers a code
	actSpoilt              // answers, and some bytes are others
	actBytes               // answers anything, to this request
	actRaw                 // sends anything
	actCut                 // ends in the middle of the answer
	actSize                // says that the answer has another size
	actCount               // puts a huge number somewhere
	actPieces              // answers byte by byte, and takes its time
	actOther               // answers another request
	actTwice               // answers twice
	actThrottle            // answers, and throttles
	actLate                // answers late
	actNever               // never answers
	actClose               // ends the connection
	acts
)

// script is what hostile brokers do, in order. When it is used up they answer well.
type script struct {
	mu   sync.Mutex
	rest []byte
}

// left reports whether the script goes on.
func (s *script) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rest) > 0
}

func (s *script) byte() byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rest) == 0 {
		return 0
	}
	b := s.rest[0]
	s.rest = s.rest[1:]
	return b
}

func (s *script) uint32() uint32 {
	return binary.BigEndian.Uint32([]byte{s.byte(), s.byte(), s.byte(), s.byte()})
}

// bytes are some, after their number.
func (s *script) bytes() []byte {
	n := int(s.byte())
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(s.rest))
	some := s.rest[:n:n]
	s.rest = s.rest[n:]
	return some
}

// act is the next one. A handshake is answered well unless the script insists, or little else would ever be asked for.
func (s *script) act(key kmsg.Key) act {
	if key == kmsg.ApiVersions && s.peek() < 0xe0 {
		return actAnswer
	}
	return act(s.byte()) % acts
}

func (s *script) peek() byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rest) == 0 {
		return 0
	}
	return s.rest[0]
}

// head is what stands before an answer.
func head(resp kmsg.Response, correlation int32) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(correlation))
	if resp.IsFlexible() && kmsg.Key(resp.Key()) != kmsg.ApiVersions {
		b = append(b, 0)
	}
	return b
}

// goodAnswer is one with which all is well: of a group of one, whose coordinator is broker 1.
func goodAnswer(key kmsg.Key, version int16, correlation int32, s *script) []byte {
	resp := key.Response()
	resp.SetVersion(version)
	switch r := resp.(type) {
	case *kmsg.ApiVersionsResponse:
		for k := range int16(kmsg.MaxKey + 1) {
			if req := kmsg.RequestForKey(k); req != nil {
				r.ApiKeys = append(r.ApiKeys, speaks(kmsg.Key(k), 0, req.MaxVersion()))
			}
		}
	case *kmsg.FindCoordinatorResponse:
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.NodeID, c.Host, c.Port = "g", 1, "localhost", 9001
		r.Coordinators = append(r.Coordinators, c)
	case *kmsg.MetadataResponse:
		b := kmsg.NewMetadataResponseBroker()
		b.NodeID, b.Host, b.Port = 1, "localhost", 9001
		r.Brokers = append(r.Brokers, b)
	case *kmsg.JoinGroupResponse:
		if s.peek()%4 == 1 {
			r.ErrorCode, r.MemberID = classic.CodeMemberIDRequired.Number(), "given"
			break
		}
		r.Generation, r.MemberID, r.LeaderID, r.Protocol = 5, "m", "m", kmsg.StringPtr("p")
		m := kmsg.NewJoinGroupResponseMember()
		m.MemberID, m.ProtocolMetadata = "m", []byte("mine")
		r.Members = append(r.Members, m)
	case *kmsg.SyncGroupResponse:
		r.MemberAssignment = []byte("all")
	}
	return resp.AppendTo(head(resp, correlation))
}

// codeAnswer is one that carries a code.
func codeAnswer(key kmsg.Key, version int16, correlation int32, code int16) []byte {
	resp := key.Response()
	resp.SetVersion(version)
	switch r := resp.(type) {
	case *kmsg.ApiVersionsResponse:
		r.ErrorCode = code
	case *kmsg.FindCoordinatorResponse:
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.ErrorCode = "g", code
		r.Coordinators = append(r.Coordinators, c)
	case *kmsg.JoinGroupResponse:
		r.ErrorCode, r.MemberID = code, "m"
	case *kmsg.SyncGroupResponse:
		r.ErrorCode = code
	case *kmsg.HeartbeatResponse:
		r.ErrorCode = code
	case *kmsg.LeaveGroupResponse:
		r.ErrorCode = code
	}
	return resp.AppendTo(head(resp, correlation))
}

// throttled is an answer that throttles.
func throttled(key kmsg.Key, version int16, correlation int32, millis int32) []byte {
	resp := key.Response()
	resp.SetVersion(version)
	if t, ok := resp.(kmsg.SetThrottleResponse); ok {
		t.SetThrottle(millis)
	}
	return resp.AppendTo(head(resp, correlation))
}

// hostileSeeds are scripts to begin with: each act alone, to each request after the ones before went well, and to the
// handshake.
func hostileSeeds() (seeds [][]byte) {
	for a := range byte(acts) {
		for before := range 4 {
			script := append(make([]byte, before), a, 3, 0xff, 0x7f, 1, 0xff, 0xff, 0xff, 0xff)
			seeds = append(seeds, append(script, make([]byte, 8)...))
		}
	}
	for before := range 4 { // less than franz-go's limit, and more than the client's
		seeds = append(seeds, append(make([]byte, before), byte(actSize), 5, 0, 0, 0, 0, 0, 0))
	}
	for a := 0xe0; a <= 0xff; a++ {
		seeds = append(seeds, []byte{byte(a), 3, 0xff, 0x7f, 1, 0, 0, 0})
	}
	return seeds
}
