package franz

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// encode is the wire's form of a request, for all versions at once: which of the fields is written is decided when the
// broker's version is known.
func encode(r heartbeat.Request) (*outgoing, error) {
	var req kmsg.Request
	switch r.API {
	case classic.InputFindCoordinator:
		req = findCoordinator(r)
	case classic.InputJoinGroup:
		req = joinGroup(r)
	case classic.InputSyncGroup:
		req = syncGroup(r)
	case classic.InputHeartbeat:
		req = heartbeatRequest(r)
	case classic.InputLeaveGroup:
		req = leaveGroup(r)
	case classic.InputOffsetCommit:
		req = offsetCommit(r)
	default:
		return nil, fmt.Errorf("%v is not a request", r.API)
	}
	out := outgoingFor(req, r)
	switch r.API {
	case classic.InputJoinGroup, classic.InputSyncGroup:
		out.route = held
	case classic.InputLeaveGroup:
		out.route = leaving
	case classic.InputOffsetCommit:
		out.route = replicated
		out.maxVersion = 9 // later ones name topics by id, and we have names
	}
	return out, nil
}

func outgoingFor(req kmsg.Request, r heartbeat.Request) *outgoing {
	return &outgoing{Request: req, maxVersion: req.MaxVersion(), limit: r.Timeout, turn: r.Turn}
}

func findCoordinator(r heartbeat.Request) kmsg.Request {
	req := kmsg.NewPtrFindCoordinatorRequest() // its type is the group by default
	req.CoordinatorKey = r.Group
	req.CoordinatorKeys = []string{r.Group}
	return req
}

func joinGroup(r heartbeat.Request) kmsg.Request {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group = r.Group
	req.SessionTimeoutMillis = millis(r.SessionTimeout)
	req.RebalanceTimeoutMillis = millis(r.RebalanceTimeout)
	req.MemberID = r.Member
	req.InstanceID = orNull(r.Instance)
	req.ProtocolType = r.ProtocolType
	for _, p := range r.Protocols {
		protocol := kmsg.NewJoinGroupRequestProtocol()
		protocol.Name, protocol.Metadata = p.Name, p.Metadata
		req.Protocols = append(req.Protocols, protocol)
	}
	req.Reason = reason(r.Reason)
	return req
}

func syncGroup(r heartbeat.Request) kmsg.Request {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group = r.Group
	req.Generation = r.Generation
	req.MemberID = r.Member
	req.InstanceID = orNull(r.Instance)
	req.ProtocolType = orNull(r.ProtocolType)
	req.Protocol = orNull(r.Protocol)
	for _, a := range r.Assignments {
		assignment := kmsg.NewSyncGroupRequestGroupAssignment()
		assignment.MemberID, assignment.MemberAssignment = a.Member, a.Data
		req.GroupAssignment = append(req.GroupAssignment, assignment)
	}
	return req
}

func heartbeatRequest(r heartbeat.Request) kmsg.Request {
	req := kmsg.NewPtrHeartbeatRequest()
	req.Group = r.Group
	req.Generation = r.Generation
	req.MemberID = r.Member
	req.InstanceID = orNull(r.Instance)
	return req
}

func leaveGroup(r heartbeat.Request) kmsg.Request {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group = r.Group
	req.MemberID = r.Member
	member := kmsg.NewLeaveGroupRequestMember()
	member.MemberID = r.Member
	member.InstanceID = orNull(r.Instance)
	member.Reason = reason(r.Reason)
	req.Members = append(req.Members, member)
	return req
}

func offsetCommit(r heartbeat.Request) kmsg.Request {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group = r.Group
	req.Generation = r.Generation
	req.MemberID = r.Member
	req.InstanceID = orNull(r.Instance)
	topics := map[string]int{} // where each is in the request
	for _, o := range r.Offsets {
		i, ok := topics[o.Topic]
		if !ok {
			i = len(req.Topics)
			topics[o.Topic] = i
			topic := kmsg.NewOffsetCommitRequestTopic()
			topic.Topic = o.Topic
			req.Topics = append(req.Topics, topic)
		}
		partition := kmsg.NewOffsetCommitRequestTopicPartition()
		partition.Partition = o.Partition
		partition.Offset = o.Offset
		partition.LeaderEpoch = o.LeaderEpoch
		partition.Metadata = &o.Metadata
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, partition)
	}
	return req
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// reason is cut to what Apache Kafka's own client lets through (KIP-800); a broker only logs it.
func reason(s string) *string {
	const most = 255
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return orNull(s)
}

// millis rounds up, so that a limit never becomes none.
func millis(d time.Duration) int32 {
	return int32(min(max(0, (d+time.Millisecond-1)/time.Millisecond), math.MaxInt32))
}
