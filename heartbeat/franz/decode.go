package franz

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// decode is the Response to an answer, without its ID. Of FindCoordinator's it is also where the coordinator listens.
func decode(answer kmsg.Response) (heartbeat.Response, *kmsg.FindCoordinatorResponseCoordinator) {
	switch a := answer.(type) {
	case *kmsg.FindCoordinatorResponse:
		return foundCoordinator(a)
	case *kmsg.JoinGroupResponse:
		return joinedGroup(a), nil
	case *kmsg.SyncGroupResponse:
		return heartbeat.Response{
			Code:         classic.Code(a.ErrorCode),
			ProtocolType: a.ProtocolType,
			Protocol:     a.Protocol,
			Assignment:   a.MemberAssignment,
		}, nil
	case *kmsg.HeartbeatResponse:
		return heartbeat.Response{Code: classic.Code(a.ErrorCode)}, nil
	case *kmsg.LeaveGroupResponse:
		return heartbeat.Response{Code: leftGroup(a)}, nil
	case *kmsg.OffsetCommitResponse:
		return committedOffsets(a), nil
	default:
		return heartbeat.Response{Code: classic.CodeMalformed}, nil
	}
}

// foundCoordinator reads both forms: before version 4 the answer is about the one group that was asked for, then it is a
// list with an entry for each.
func foundCoordinator(a *kmsg.FindCoordinatorResponse) (heartbeat.Response, *kmsg.FindCoordinatorResponseCoordinator) {
	c := kmsg.FindCoordinatorResponseCoordinator{NodeID: a.NodeID, Host: a.Host, Port: a.Port, ErrorCode: a.ErrorCode}
	if a.Version >= 4 {
		if len(a.Coordinators) != 1 {
			return heartbeat.Response{Code: classic.CodeMalformed}, nil
		}
		c = a.Coordinators[0]
	}
	return heartbeat.Response{Code: classic.Code(c.ErrorCode), Node: c.NodeID}, &c
}

func joinedGroup(a *kmsg.JoinGroupResponse) heartbeat.Response {
	r := heartbeat.Response{
		Code:           classic.Code(a.ErrorCode),
		Generation:     a.Generation,
		Member:         a.MemberID,
		Leader:         a.LeaderID,
		SkipAssignment: a.SkipAssignment,
		ProtocolType:   a.ProtocolType,
		Protocol:       a.Protocol,
	}
	for _, m := range a.Members {
		member := heartbeat.JoinMember{ID: m.MemberID, Metadata: m.ProtocolMetadata}
		if m.InstanceID != nil {
			member.Instance = *m.InstanceID
		}
		r.Members = append(r.Members, member)
	}
	return r
}

// leftGroup is the code of the request, or of the one member that it names (version 3).
func leftGroup(a *kmsg.LeaveGroupResponse) classic.Code {
	code := classic.Code(a.ErrorCode)
	if code == classic.CodeNone && len(a.Members) > 0 {
		code = classic.Code(a.Members[0].ErrorCode)
	}
	return code
}

func committedOffsets(a *kmsg.OffsetCommitResponse) heartbeat.Response {
	r := heartbeat.Response{Code: classic.CodeNone}
	for _, t := range a.Topics {
		for _, p := range t.Partitions {
			code := classic.Code(p.ErrorCode)
			if r.Code == classic.CodeNone {
				r.Code = code
			}
			r.Partitions = append(r.Partitions, heartbeat.PartitionError{Topic: t.Topic, Partition: p.Partition, Code: code})
		}
	}
	return r
}
