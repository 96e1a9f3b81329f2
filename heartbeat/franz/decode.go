package franz

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// decode is the Response to sent's answer, without its ID. Of FindCoordinator's it is also where the coordinator listens.
func decode(answer kmsg.Response, sent heartbeat.Request) (heartbeat.Response, *kmsg.FindCoordinatorResponseCoordinator) {
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
		return committedOffsets(a, sent.Offsets), nil
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

// committedOffsets reads the code of each partition. A broker puts the topics that it refuses itself before what the
// coordinator says, so the first code about the member, the group or its coordinator counts before any about a partition. An
// answer that does not have a partition of the request is no success.
func committedOffsets(a *kmsg.OffsetCommitResponse, sent []heartbeat.Offset) heartbeat.Response {
	r := heartbeat.Response{Code: classic.CodeNone}
	missing := make(map[partition]struct{}, len(sent))
	for _, o := range sent {
		missing[partition{o.Topic, o.Partition}] = struct{}{}
	}
	for _, t := range a.Topics {
		for _, p := range t.Partitions {
			code := classic.Code(p.ErrorCode)
			if r.Code == classic.CodeNone || aboutMember(code) && !aboutMember(r.Code) {
				r.Code = code
			}
			r.Partitions = append(r.Partitions, heartbeat.PartitionError{Topic: t.Topic, Partition: p.Partition, Code: code})
			delete(missing, partition{t.Topic, p.Partition})
		}
	}
	if r.Code == classic.CodeNone && len(missing) > 0 {
		for _, o := range sent {
			if _, ok := missing[partition{o.Topic, o.Partition}]; ok {
				r.Code, r.Err = classic.CodeMalformed, &incompleteError{fmt.Sprintf("%s[%d]", o.Topic, o.Partition)}
				break
			}
		}
	}
	return r
}

// incompleteError is an answer that does not have what was asked for.
type incompleteError struct{ missing string }

func (e *incompleteError) Error() string { return "the answer does not have " + e.missing }

type partition struct {
	topic  string
	number int32
}

// aboutMember reports whether the rules take a partition's code for one about the member, the group or its coordinator: they
// change what the member is or knows, or ask whether it is still the one that has committed.
func aboutMember(c classic.Code) bool {
	if c == classic.CodeNone {
		return false
	}
	member := classic.Memory{State: classic.Stable}
	rule := classic.DecideOffsetCommit(member, c, classic.OffsetCommitGuards{})
	return len(rule.To) > 0 || rule.Sets|rule.Clears != 0 ||
		rule.Result != classic.DecideOffsetCommit(member, c, classic.OffsetCommitGuards{Stale: true}).Result
}
