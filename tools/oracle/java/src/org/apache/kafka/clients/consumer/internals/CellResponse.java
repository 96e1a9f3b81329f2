package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupResponseData.MemberResponse;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponsePartition;
import org.apache.kafka.common.message.OffsetCommitResponseData.OffsetCommitResponseTopic;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.HeartbeatResponse;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.LeaveGroupResponse;
import org.apache.kafka.common.requests.OffsetCommitResponse;
import org.apache.kafka.common.requests.SyncGroupResponse;

import java.util.List;

/** The response of a cell: its code, in the shape of its variant. */
final class CellResponse {
    private CellResponse() {
    }

    static AbstractResponse of(Cell cell, Fixture fixture, Errors error) {
        return switch (cell.api()) {
            case HEARTBEAT -> new HeartbeatResponse(new HeartbeatResponseData().setErrorCode(error.code()));
            case JOIN_GROUP -> error == Errors.NONE ? joined(cell, fixture) : notJoined(error);
            case SYNC_GROUP -> error == Errors.NONE ? synced(cell, fixture)
                : new SyncGroupResponse(new SyncGroupResponseData().setErrorCode(error.code()));
            case LEAVE_GROUP -> left(cell, error);
            case FIND_COORDINATOR -> found(cell, fixture, error);
            case OFFSET_COMMIT -> committed(cell, error);
            default -> throw new IllegalArgumentException(cell.api().name);
        };
    }

    private static AbstractResponse joined(Cell cell, Fixture fixture) {
        String variant = cell.variant().name();
        JoinGroupResponseData data = fixture.joined(Fixture.NEXT_GENERATION, Fixture.MEMBER, variant.contains("_leader")).data();
        if (variant.endsWith("_leader_skip_assignment"))
            data.setSkipAssignment(true);
        else if (variant.endsWith("_leader_unknown_protocol"))
            data.setProtocolName("no-such-assignor");
        else if (variant.endsWith("_leader_unparsable_member"))
            data.setMembers(List.of(fixture.member(Fixture.MEMBER, new byte[] {0})));
        else if (variant.endsWith("_protocol_type_inconsistent"))
            data.setProtocolType("connect");
        else if (variant.endsWith("_protocol_type_null"))
            data.setProtocolType(null);
        return new JoinGroupResponse(data, ApiKeys.JOIN_GROUP.latestVersion());
    }

    private static AbstractResponse notJoined(Errors error) {
        return new JoinGroupResponse(new JoinGroupResponseData().setErrorCode(error.code()).setGenerationId(-1)
            .setProtocolType(null).setProtocolName(null).setLeader("")
            .setMemberId(error == Errors.MEMBER_ID_REQUIRED ? Fixture.ASSIGNED_MEMBER : ""), ApiKeys.JOIN_GROUP.latestVersion());
    }

    private static AbstractResponse synced(Cell cell, Fixture fixture) {
        SyncGroupResponseData data = fixture.synced().data();
        switch (cell.variant().name()) {
            case "protocol_name_inconsistent" -> data.setProtocolName("roundrobin");
            case "protocol_name_null" -> data.setProtocolName(null);
            case "protocol_type_inconsistent" -> data.setProtocolType("connect");
            case "protocol_type_null" -> data.setProtocolType(null);
            default -> { }
        }
        return new SyncGroupResponse(data);
    }

    private static AbstractResponse left(Cell cell, Errors error) {
        MemberResponse member = new MemberResponse().setMemberId(Fixture.MEMBER)
            .setGroupInstanceId(cell.isStatic() ? Fixture.INSTANCE : null);
        LeaveGroupResponseData data = new LeaveGroupResponseData();
        switch (cell.variant().name()) {
            case "top_level" -> {
                data.setErrorCode(error.code());
                if (error == Errors.NONE)
                    data.setMembers(List.of(member));
            }
            case "member_level" -> data.setMembers(List.of(member.setErrorCode(error.code())));
            case "no_members" -> data.setErrorCode(error.code());
            case "two_members" -> data.setMembers(List.of(member.setErrorCode(error.code()),
                new MemberResponse().setMemberId(Fixture.OTHER_MEMBER)));
            default -> throw new IllegalArgumentException(cell.toString());
        }
        return new LeaveGroupResponse(data);
    }

    private static AbstractResponse found(Cell cell, Fixture fixture, Errors error) {
        FindCoordinatorResponseData data = new FindCoordinatorResponseData();
        FindCoordinatorResponseData.Coordinator one = fixture.coordinatorEntry(error);
        if (cell.is("relookup_old_format"))
            data.setErrorCode(error.code()).setErrorMessage(one.errorMessage()).setNodeId(one.nodeId()).setHost(one.host()).setPort(one.port());
        else if (cell.is("relookup_two_coordinators"))
            data.setCoordinators(List.of(one, fixture.coordinatorEntry(Errors.NONE).setKey("other-group")));
        else
            data.setCoordinators(List.of(one));
        return new FindCoordinatorResponse(data);
    }

    private static AbstractResponse committed(Cell cell, Errors error) {
        OffsetCommitResponseData data = new OffsetCommitResponseData();
        if (!cell.is("auto_assigned_empty_response"))
            data.topics().add(new OffsetCommitResponseTopic().setName(Fixture.TOPIC).setPartitions(List.of(
                new OffsetCommitResponsePartition().setPartitionIndex(cell.is("auto_assigned_unknown_partition") ? 7 : 0)
                    .setErrorCode(error.code()))));
        return new OffsetCommitResponse(data);
    }
}
