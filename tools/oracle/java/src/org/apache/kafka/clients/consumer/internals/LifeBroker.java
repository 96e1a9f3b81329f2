package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.requests.SyncGroupResponse;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The brokers: they answer with the code that they are told, and make up the rest. */
final class LifeBroker {
    /** An answer, and what the record says of it. */
    record Answer(AbstractResponse response, Json json) {
    }

    private final SplittableRandom chance;
    private int generation;
    private int members;

    LifeBroker(SplittableRandom chance) {
        this.chance = chance;
    }

    Answer answer(LifeConfig config, LifeWire.Sent s, Errors e) {
        Json j = new Json().with("request", s.id).with("api", LifeWire.name(s.api()));
        return switch (s.api()) {
            case FIND_COORDINATOR -> new Answer(found(code(j, e), e), j);
            case JOIN_GROUP -> new Answer(joined(code(j, e), config, s, e), j);
            case SYNC_GROUP -> new Answer(synced(code(j, e), s, e), j);
            case HEARTBEAT -> new Answer(new HeartbeatResponse(new HeartbeatResponseData().setErrorCode(e.code())), code(j, e));
            case OFFSET_COMMIT -> new Answer(committed(e), code(j, e));
            default -> new Answer(left(j, s, e), j);
        };
    }

    private static Json code(Json j, Errors e) {
        return j.with("code", e.code()).with("error", e.name());
    }

    private AbstractResponse found(Json j, Errors e) {
        FindCoordinatorResponseData.Coordinator c = new FindCoordinatorResponseData.Coordinator().setKey(LifeConfig.GROUP).setErrorCode(e.code())
            .setNodeId(-1).setHost("").setPort(-1);
        if (e == Errors.NONE) {
            int node = chance.nextInt(10) < 7 ? 0 : chance.nextInt(LifeConfig.NODES);
            j.with("node", node);
            c.setNodeId(node).setHost("localhost").setPort(1969 + node);
        }
        return new FindCoordinatorResponse(new FindCoordinatorResponseData().setCoordinators(List.of(c)));
    }

    private AbstractResponse joined(Json j, LifeConfig config, LifeWire.Sent s, Errors e) {
        String asked = ((JoinGroupRequest) s.request.requestBuilder().build()).data().memberId();
        JoinGroupResponseData d = new JoinGroupResponseData().setErrorCode(e.code()).setMemberId(asked).setGenerationId(-1).setProtocolName(null).setLeader("");
        if (e == Errors.MEMBER_ID_REQUIRED) {
            j.with("member", d.setMemberId(newId()).memberId());
        } else if (e == Errors.NONE) {
            if (asked.isEmpty() || chance.nextInt(50) == 0)
                d.setMemberId(newId());
            boolean leads = chance.nextBoolean();
            generation += chance.nextInt(8) == 0 ? 2 : 1;
            d.setGenerationId(generation).setLeader(leads ? d.memberId() : "other")
                .setProtocolName(config.protocols.get(chance.nextInt(config.protocols.size()))).setProtocolType(protocolType());
            j.with("generation", d.generationId()).with("member", d.memberId()).with("leader", d.leader())
                .with("protocol", d.protocolName()).with("protocol_type", d.protocolType());
            if (leads) {
                List<String> all = chance.nextBoolean() ? List.of(d.memberId(), "other") : List.of(d.memberId());
                d.setMembers(all.stream().map(id -> new JoinGroupResponseMember().setMemberId(id)).toList()).setSkipAssignment(chance.nextInt(10) == 0);
                j.with("members", all);
                if (d.skipAssignment())
                    j.with("skip_assignment", true);
            }
        }
        return new JoinGroupResponse(d, ApiKeys.JOIN_GROUP.latestVersion());
    }

    private String newId() {
        return "m" + ++members;
    }

    private AbstractResponse synced(Json j, LifeWire.Sent s, Errors e) {
        SyncGroupResponseData d = new SyncGroupResponseData().setErrorCode(e.code());
        if (e == Errors.NONE) {
            String asked = ((SyncGroupRequest) s.request.requestBuilder().build()).data().protocolName();
            int odd = chance.nextInt(40);
            String assignment = "assignment " + s.id;
            d.setProtocolType(protocolType()).setProtocolName(odd == 0 ? "unheard-of" : odd < 4 ? null : asked)
                .setAssignment(assignment.getBytes(StandardCharsets.UTF_8));
            j.with("protocol", d.protocolName()).with("protocol_type", d.protocolType()).with("assignment", assignment);
        }
        return new SyncGroupResponse(d);
    }

    private static AbstractResponse committed(Errors e) {
        OffsetCommitResponsePartition partition = new OffsetCommitResponsePartition()
            .setPartitionIndex(LifeCommits.PARTITION.partition()).setErrorCode(e.code());
        return new OffsetCommitResponse(new OffsetCommitResponseData().setTopics(List.of(new OffsetCommitResponseTopic()
            .setName(LifeCommits.PARTITION.topic()).setPartitions(List.of(partition)))));
    }

    /** The code is the group's or the member's. */
    private AbstractResponse left(Json j, LifeWire.Sent s, Errors e) {
        String who = ((LeaveGroupRequest) s.request.requestBuilder().build()).data().members().get(0).memberId();
        Errors group = chance.nextBoolean() ? e : Errors.NONE;
        Errors member = group == e ? Errors.NONE : e;
        code(j, group);
        LeaveGroupResponseData d = new LeaveGroupResponseData().setErrorCode(group.code());
        if (group == Errors.NONE) {
            j.with("member_code", member.code());
            d.setMembers(Stream.of(new LeaveGroupResponseData.MemberResponse().setMemberId(who).setErrorCode(member.code())).toList());
        }
        return new LeaveGroupResponse(d);
    }

    private String protocolType() {
        int odd = chance.nextInt(40);
        return odd == 0 ? "connect" : odd < 4 ? null : LifeConfig.PROTOCOL_TYPE;
    }
}
