package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;
import org.apache.kafka.common.utils.Utils;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** What a coordinator answers, and what it is asked, in the words of the facts. An answer is a code and, after a colon, its shape. */
final class CallersAnswers {
    static final String GROUP = "oracle-group";
    static final String TYPE = "consumer";
    static final String PROTOCOL = "range";
    static final TopicPartition PARTITION = new TopicPartition("t", 0);

    private final boolean leader;
    private Node node;
    private int generation = 4;
    private int members;

    CallersAnswers(boolean leader) {
        this.leader = leader;
    }

    /** The node that is the coordinator. */
    void coordinator(Node n) {
        node = n;
    }

    AbstractResponse to(ClientRequest r, String with) {
        String[] parts = with.split(":");
        Errors error = Errors.valueOf(parts[0]);
        String shape = parts.length > 1 ? parts[1] : "";
        short code = error.code();
        return switch (r.apiKey()) {
            case FIND_COORDINATOR -> found(error, shape);
            case JOIN_GROUP -> joined(((JoinGroupRequest) r.requestBuilder().build()).data(), error, shape);
            case SYNC_GROUP -> synced(error, shape);
            case HEARTBEAT -> new HeartbeatResponse(new HeartbeatResponseData().setErrorCode(code));
            case LEAVE_GROUP -> left(((LeaveGroupRequest) r.requestBuilder().build()).data(), code, shape);
            case OFFSET_COMMIT -> new OffsetCommitResponse(new OffsetCommitResponseData().setTopics(List.of(
                new OffsetCommitResponseTopic().setName(PARTITION.topic()).setPartitions(List.of(
                    new OffsetCommitResponsePartition().setPartitionIndex(PARTITION.partition()).setErrorCode(code))))));
            default -> throw new IllegalStateException(r.apiKey().name);
        };
    }

    private FindCoordinatorResponse found(Errors error, String shape) {
        FindCoordinatorResponseData.Coordinator one = new FindCoordinatorResponseData.Coordinator().setKey(GROUP).setErrorCode(error.code());
        if (error == Errors.NONE)
            one.setNodeId(node.id()).setHost(node.host()).setPort(node.port());
        else
            one.setNodeId(-1).setHost("").setPort(-1).setErrorMessage(error.message());
        FindCoordinatorResponseData.Coordinator other = one.duplicate().setKey("other-group");
        return new FindCoordinatorResponse(new FindCoordinatorResponseData().setCoordinators(switch (shape) {
            case "no_coordinator" -> List.of();
            case "two_coordinators" -> List.of(one, other);
            default -> List.of(one);
        }));
    }

    private JoinGroupResponse joined(JoinGroupRequestData asked, Errors error, String shape) {
        JoinGroupResponseData d = new JoinGroupResponseData().setErrorCode(error.code()).setGenerationId(-1)
            .setProtocolType(null).setProtocolName(null).setLeader("").setMemberId("");
        if (error == Errors.MEMBER_ID_REQUIRED)
            d.setMemberId("member-" + ++members);
        if (error == Errors.NONE) {
            String member = asked.memberId().isEmpty() ? "member-" + ++members : asked.memberId();
            d.setGenerationId(++generation).setMemberId(member).setLeader(leader ? member : "leader")
                .setProtocolType(shape.equals("other_type") ? "connect" : shape.equals("null_type") ? null : TYPE).setProtocolName(PROTOCOL);
            if (leader)
                d.setMembers(List.of(entry(member), entry("follower")));
        }
        return new JoinGroupResponse(d, ApiKeys.JOIN_GROUP.latestVersion());
    }

    private static JoinGroupResponseMember entry(String member) {
        return new JoinGroupResponseMember().setMemberId(member).setMetadata(Utils.toArray(
            ConsumerProtocol.serializeSubscription(new org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Subscription(
                List.of(PARTITION.topic())))));
    }

    private static SyncGroupResponse synced(Errors error, String shape) {
        SyncGroupResponseData d = new SyncGroupResponseData().setErrorCode(error.code());
        if (error == Errors.NONE)
            d.setProtocolType(shape.equals("other_type") ? "connect" : shape.equals("null_type") ? null : TYPE)
                .setProtocolName(shape.equals("other_name") ? "roundrobin" : shape.equals("null_name") ? null : PROTOCOL)
                .setAssignment(assignment());
        return new SyncGroupResponse(d);
    }

    private static byte[] assignment() {
        ByteBuffer b = ConsumerProtocol.serializeAssignment(
            new org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.Assignment(List.of(PARTITION)));
        return Utils.toArray(b);
    }

    private static LeaveGroupResponse left(LeaveGroupRequestData asked, short code, String shape) {
        List<MemberResponse> of = new ArrayList<>();
        asked.members().forEach(m -> of.add(new MemberResponse().setMemberId(m.memberId()).setGroupInstanceId(m.groupInstanceId())));
        LeaveGroupResponseData d = new LeaveGroupResponseData();
        switch (shape) {
            case "of_member" -> of.get(0).setErrorCode(code);
            case "two_members" -> {
                of.get(0).setErrorCode(code);
                of.add(new MemberResponse().setMemberId("other"));
            }
            case "no_member" -> {
                d.setErrorCode(code);
                of.clear();
            }
            default -> d.setErrorCode(code);
        }
        return new LeaveGroupResponse(d.setMembers(of));
    }

    /** What a request says. JoinGroup and LeaveGroup carry no generation. */
    static Json sent(ClientRequest request) {
        AbstractRequest r = request.requestBuilder().build();
        Json sent = new Json().with("sent", name(request.apiKey()));
        if (r instanceof JoinGroupRequest j) {
            JoinGroupRequestData d = j.data();
            sent.with("member", d.memberId()).with("instance", d.groupInstanceId()).with("reason", d.reason());
        } else if (r instanceof SyncGroupRequest s) {
            SyncGroupRequestData d = s.data();
            List<String> of = new ArrayList<>();
            d.assignments().forEach(a -> of.add(a.memberId()));
            sent.with("member", d.memberId()).with("generation", d.generationId()).with("instance", d.groupInstanceId()).with("assigned", of.stream().sorted().toList());
        } else if (r instanceof HeartbeatRequest h) {
            HeartbeatRequestData d = h.data();
            sent.with("member", d.memberId()).with("generation", d.generationId()).with("instance", d.groupInstanceId());
        } else if (r instanceof LeaveGroupRequest l) {
            LeaveGroupRequestData.MemberIdentity m = l.data().members().get(0);
            sent.with("member", m.memberId()).with("instance", m.groupInstanceId()).with("reason", m.reason());
        } else if (r instanceof OffsetCommitRequest o) {
            OffsetCommitRequestData d = o.data();
            sent.with("member", d.memberId()).with("generation", d.generationIdOrMemberEpoch()).with("instance", d.groupInstanceId());
        }
        return sent;
    }

    static String name(ApiKeys api) {
        return switch (api) {
            case FIND_COORDINATOR -> "FindCoordinator";
            case JOIN_GROUP -> "JoinGroup";
            case SYNC_GROUP -> "SyncGroup";
            case HEARTBEAT -> "Heartbeat";
            case LEAVE_GROUP -> "LeaveGroup";
            case OFFSET_COMMIT -> "OffsetCommit";
            default -> throw new IllegalStateException(api.name);
        };
    }
}
