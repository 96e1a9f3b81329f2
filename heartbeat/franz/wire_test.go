package franz

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// Each request has all its fields on the wire as the broker reads them, and each field of the answer comes back.
func TestWhatIsOnTheWire(t *testing.T) {
	p := func(s string) *string { return &s }
	base := heartbeat.Request{ID: 9, Node: 1, Timeout: time.Minute, Group: "g", Member: "m", Generation: 5}
	with := func(api classic.Input, change func(*heartbeat.Request)) heartbeat.Request {
		r := base
		r.API = api
		change(&r)
		return r
	}
	tests := map[string]struct {
		request  heartbeat.Request
		versions *kversion.Versions // of the broker; nil: today's
		wire     kmsg.Request
		answer   kmsg.Response
		response heartbeat.Response
	}{
		"FindCoordinator": {
			request: with(classic.InputFindCoordinator, func(r *heartbeat.Request) { r.Node = heartbeat.AnyBroker }),
			wire:    &kmsg.FindCoordinatorRequest{Version: 6, CoordinatorKeys: []string{"g"}},
			answer: &kmsg.FindCoordinatorResponse{Version: 6, Coordinators: []kmsg.FindCoordinatorResponseCoordinator{
				{Key: "g", NodeID: 7, Host: "localhost", Port: 9001},
			}},
			response: heartbeat.Response{Node: 7},
		},
		"FindCoordinator before batches": {
			request:  with(classic.InputFindCoordinator, func(r *heartbeat.Request) { r.Node = heartbeat.AnyBroker }),
			versions: kversion.V2_8_0(),
			wire:     &kmsg.FindCoordinatorRequest{Version: 3, CoordinatorKey: "g"},
			answer:   &kmsg.FindCoordinatorResponse{Version: 3, NodeID: 7, Host: "localhost", Port: 9001},
			response: heartbeat.Response{Node: 7},
		},
		"FindCoordinator refused": {
			request: with(classic.InputFindCoordinator, func(r *heartbeat.Request) { r.Node = heartbeat.AnyBroker }),
			wire:    &kmsg.FindCoordinatorRequest{Version: 6, CoordinatorKeys: []string{"g"}},
			answer: &kmsg.FindCoordinatorResponse{Version: 6, Coordinators: []kmsg.FindCoordinatorResponseCoordinator{
				{Key: "g", NodeID: -1, Port: -1, ErrorCode: 30},
			}},
			response: heartbeat.Response{Node: -1, Code: classic.CodeGroupAuthorizationFailed},
		},
		"FindCoordinator about nothing": {
			request:  with(classic.InputFindCoordinator, func(r *heartbeat.Request) { r.Node = heartbeat.AnyBroker }),
			wire:     &kmsg.FindCoordinatorRequest{Version: 6, CoordinatorKeys: []string{"g"}},
			answer:   &kmsg.FindCoordinatorResponse{Version: 6},
			response: heartbeat.Response{Code: classic.CodeMalformed},
		},
		"JoinGroup of a follower": {
			request: with(classic.InputJoinGroup, func(r *heartbeat.Request) {
				r.ProtocolType, r.Reason = "work", "because"
				r.Protocols = []heartbeat.Protocol{{Name: "a", Metadata: []byte{1}}, {Name: "b", Metadata: []byte{2}}}
				r.SessionTimeout, r.RebalanceTimeout = 45*time.Second, 5*time.Minute
			}),
			wire: &kmsg.JoinGroupRequest{
				Version: 9, Group: "g", SessionTimeoutMillis: 45_000, RebalanceTimeoutMillis: 300_000, MemberID: "m",
				ProtocolType: "work", Reason: p("because"),
				Protocols: []kmsg.JoinGroupRequestProtocol{{Name: "a", Metadata: []byte{1}}, {Name: "b", Metadata: []byte{2}}},
			},
			answer: &kmsg.JoinGroupResponse{
				Version: 9, Generation: 6, ProtocolType: p("work"), Protocol: p("b"), LeaderID: "l", MemberID: "m",
			},
			response: heartbeat.Response{Generation: 6, ProtocolType: p("work"), Protocol: p("b"), Leader: "l", Member: "m"},
		},
		"JoinGroup of a static leader that is not to assign": {
			request: with(classic.InputJoinGroup, func(r *heartbeat.Request) { r.Instance, r.ProtocolType = "i", "work" }),
			wire:    &kmsg.JoinGroupRequest{Version: 9, Group: "g", MemberID: "m", InstanceID: p("i"), ProtocolType: "work"},
			answer: &kmsg.JoinGroupResponse{
				Version: 9, Generation: 6, LeaderID: "m", MemberID: "m", SkipAssignment: true,
				Members: []kmsg.JoinGroupResponseMember{
					{MemberID: "m", InstanceID: p("i"), ProtocolMetadata: []byte{1}},
					{MemberID: "n", ProtocolMetadata: []byte{2}},
				},
			},
			response: heartbeat.Response{
				Generation: 6, Leader: "m", Member: "m", SkipAssignment: true,
				Members: []heartbeat.JoinMember{
					{ID: "m", Instance: "i", Metadata: []byte{1}}, {ID: "n", Metadata: []byte{2}},
				},
			},
		},
		"JoinGroup answered by an id": {
			request:  with(classic.InputJoinGroup, func(r *heartbeat.Request) { r.Member = "" }),
			wire:     &kmsg.JoinGroupRequest{Version: 9, Group: "g"},
			answer:   &kmsg.JoinGroupResponse{Version: 9, ErrorCode: 79, Generation: -1, MemberID: "given"},
			response: heartbeat.Response{Code: classic.CodeMemberIDRequired, Generation: -1, Member: "given"},
		},
		"JoinGroup before reasons and protocol types": {
			request: with(classic.InputJoinGroup, func(r *heartbeat.Request) {
				r.Instance, r.ProtocolType, r.Reason = "i", "work", "because"
				r.RebalanceTimeout = time.Nanosecond
			}),
			versions: kversion.V2_3_0(),
			wire: &kmsg.JoinGroupRequest{
				Version: 5, Group: "g", RebalanceTimeoutMillis: 1, MemberID: "m", InstanceID: p("i"), ProtocolType: "work",
			},
			answer:   &kmsg.JoinGroupResponse{Version: 5, Generation: 6, Protocol: p("a"), LeaderID: "l", MemberID: "m"},
			response: heartbeat.Response{Generation: 6, Protocol: p("a"), Leader: "l", Member: "m"},
		},
		"SyncGroup of a leader": {
			request: with(classic.InputSyncGroup, func(r *heartbeat.Request) {
				r.ProtocolType, r.Protocol, r.Instance = "work", "a", "i"
				r.Assignments = []heartbeat.Assignment{{Member: "m", Data: []byte{1}}, {Member: "n", Data: []byte{2}}}
			}),
			wire: &kmsg.SyncGroupRequest{
				Version: 5, Group: "g", Generation: 5, MemberID: "m", InstanceID: p("i"), ProtocolType: p("work"), Protocol: p("a"),
				GroupAssignment: []kmsg.SyncGroupRequestGroupAssignment{
					{MemberID: "m", MemberAssignment: []byte{1}}, {MemberID: "n", MemberAssignment: []byte{2}},
				},
			},
			answer:   &kmsg.SyncGroupResponse{Version: 5, ProtocolType: p("work"), Protocol: p("a"), MemberAssignment: []byte{1}},
			response: heartbeat.Response{ProtocolType: p("work"), Protocol: p("a"), Assignment: []byte{1}},
		},
		"SyncGroup before protocol types": {
			request:  with(classic.InputSyncGroup, func(r *heartbeat.Request) { r.ProtocolType, r.Protocol = "work", "a" }),
			versions: kversion.V2_3_0(),
			wire:     &kmsg.SyncGroupRequest{Version: 3, Group: "g", Generation: 5, MemberID: "m"},
			answer:   &kmsg.SyncGroupResponse{Version: 3, ErrorCode: 27},
			response: heartbeat.Response{Code: classic.CodeRebalanceInProgress, Assignment: []byte{}},
		},
		"Heartbeat": {
			request:  with(classic.InputHeartbeat, func(*heartbeat.Request) {}),
			wire:     &kmsg.HeartbeatRequest{Version: 4, Group: "g", Generation: 5, MemberID: "m"},
			answer:   &kmsg.HeartbeatResponse{Version: 4, ErrorCode: 22},
			response: heartbeat.Response{Code: classic.CodeIllegalGeneration},
		},
		"Heartbeat of a static member": {
			request: with(classic.InputHeartbeat, func(r *heartbeat.Request) { r.Instance = "i" }),
			wire:    &kmsg.HeartbeatRequest{Version: 4, Group: "g", Generation: 5, MemberID: "m", InstanceID: p("i")},
			answer:  &kmsg.HeartbeatResponse{Version: 4},
		},
		"Heartbeat answered by a code of the future": {
			request:  with(classic.InputHeartbeat, func(*heartbeat.Request) {}),
			wire:     &kmsg.HeartbeatRequest{Version: 4, Group: "g", Generation: 5, MemberID: "m"},
			answer:   &kmsg.HeartbeatResponse{Version: 4, ErrorCode: 32000},
			response: heartbeat.Response{Code: classic.Code(32000)},
		},
		"LeaveGroup": {
			request: with(classic.InputLeaveGroup, func(r *heartbeat.Request) { r.Reason, r.Instance = "enough", "i" }),
			wire: &kmsg.LeaveGroupRequest{Version: 5, Group: "g", Members: []kmsg.LeaveGroupRequestMember{
				{MemberID: "m", InstanceID: p("i"), Reason: p("enough")},
			}},
			answer: &kmsg.LeaveGroupResponse{Version: 5, Members: []kmsg.LeaveGroupResponseMember{{MemberID: "m"}}},
		},
		"LeaveGroup with an endless reason": {
			request: with(classic.InputLeaveGroup, func(r *heartbeat.Request) { r.Reason = strings.Repeat("é", 200) }),
			wire: &kmsg.LeaveGroupRequest{Version: 5, Group: "g", Members: []kmsg.LeaveGroupRequestMember{
				{MemberID: "m", Reason: p(strings.Repeat("é", 127))},
			}},
			answer: &kmsg.LeaveGroupResponse{Version: 5},
		},
		"LeaveGroup of a member that is not there": {
			request: with(classic.InputLeaveGroup, func(*heartbeat.Request) {}),
			wire:    &kmsg.LeaveGroupRequest{Version: 5, Group: "g", Members: []kmsg.LeaveGroupRequestMember{{MemberID: "m"}}},
			answer: &kmsg.LeaveGroupResponse{Version: 5, Members: []kmsg.LeaveGroupResponseMember{
				{MemberID: "m", ErrorCode: 25},
			}},
			response: heartbeat.Response{Code: classic.CodeUnknownMemberID},
		},
		"LeaveGroup refused as a whole": {
			request: with(classic.InputLeaveGroup, func(*heartbeat.Request) {}),
			wire:    &kmsg.LeaveGroupRequest{Version: 5, Group: "g", Members: []kmsg.LeaveGroupRequestMember{{MemberID: "m"}}},
			answer: &kmsg.LeaveGroupResponse{Version: 5, ErrorCode: 16, Members: []kmsg.LeaveGroupResponseMember{
				{MemberID: "m", ErrorCode: 25},
			}},
			response: heartbeat.Response{Code: classic.CodeNotCoordinator},
		},
		"LeaveGroup before batches": {
			request:  with(classic.InputLeaveGroup, func(r *heartbeat.Request) { r.Reason = "enough" }),
			versions: kversion.V2_3_0(),
			wire:     &kmsg.LeaveGroupRequest{Version: 2, Group: "g", MemberID: "m"},
			answer:   &kmsg.LeaveGroupResponse{Version: 2, ErrorCode: 25},
			response: heartbeat.Response{Code: classic.CodeUnknownMemberID},
		},
		"OffsetCommit": {
			request: with(classic.InputOffsetCommit, func(r *heartbeat.Request) {
				r.Instance = "i"
				r.Offsets = []heartbeat.Offset{
					{Topic: "b", Partition: 1, Offset: 10, LeaderEpoch: 3, Metadata: "x"},
					{Topic: "a", Partition: 0, Offset: 20, LeaderEpoch: -1},
					{Topic: "b", Partition: 0, Offset: 30, LeaderEpoch: -1},
				}
			}),
			wire: &kmsg.OffsetCommitRequest{
				Version: 9, Group: "g", Generation: 5, MemberID: "m", InstanceID: p("i"), RetentionTimeMillis: -1,
				Topics: []kmsg.OffsetCommitRequestTopic{
					{Topic: "b", Partitions: []kmsg.OffsetCommitRequestTopicPartition{
						{Partition: 1, Offset: 10, Timestamp: -1, LeaderEpoch: 3, Metadata: p("x")},
						{Partition: 0, Offset: 30, Timestamp: -1, LeaderEpoch: -1, Metadata: p("")},
					}},
					{Topic: "a", Partitions: []kmsg.OffsetCommitRequestTopicPartition{
						{Partition: 0, Offset: 20, Timestamp: -1, LeaderEpoch: -1, Metadata: p("")},
					}},
				},
			},
			answer: &kmsg.OffsetCommitResponse{Version: 9, Topics: []kmsg.OffsetCommitResponseTopic{
				{Topic: "b", Partitions: []kmsg.OffsetCommitResponseTopicPartition{{Partition: 1}, {Partition: 0, ErrorCode: 27}}},
				{Topic: "a", Partitions: []kmsg.OffsetCommitResponseTopicPartition{{Partition: 0, ErrorCode: 22}}},
			}},
			response: heartbeat.Response{Code: classic.CodeRebalanceInProgress, Partitions: []heartbeat.PartitionError{
				{Topic: "b", Partition: 1},
				{Topic: "b", Partition: 0, Code: classic.CodeRebalanceInProgress},
				{Topic: "a", Partition: 0, Code: classic.CodeIllegalGeneration},
			}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				var opts []kfake.Opt
				if test.versions != nil {
					opts = append(opts, kfake.MaxVersions(test.versions))
				}
				cluster := n.cluster(1, opts...)
				var read kmsg.Request
				cluster.ControlKey(test.wire.Key(), func(r kmsg.Request) (kmsg.Response, error, bool) {
					read = r
					return test.answer, nil, true
				})
				transport := New(n.client())
				transport.learn(1, "localhost:9001")

				response := transport.Send(t.Context(), test.request)
				require.Equal(t, test.wire, read, "what the broker has read")
				test.response.ID = test.request.ID
				require.Equal(t, test.response, response, "what comes back")
			})
		})
	}
}
