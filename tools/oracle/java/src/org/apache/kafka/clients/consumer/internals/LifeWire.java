package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.MockClient;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.LeaveGroupRequest;
import org.apache.kafka.common.requests.OffsetCommitRequest;
import org.apache.kafka.common.requests.SyncGroupRequest;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.LeaveGroupRequestData.MemberIdentity;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupRequestData.SyncGroupRequestAssignment;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Kafka's MockClient, which also writes down what the client does with it: each request when it is transmitted, and those
 * that are lost because the client itself cuts a connection. The mock's own time-outs are out of use, as it loses an
 * unrelated request with each: Life cuts the connection when the time is over, as Kafka's NetworkClient does.
 */
final class LifeWire extends MockClient {
    /** One request, with what was true when the client made it. */
    static final class Sent {
        ClientRequest request;
        int id;
        long t;
        int timeoutMs;
        String by;
        boolean backoff;
        int generation;
        String member;
        /** How many coordinators had been found. */
        int found;

        ApiKeys api() {
            return request.apiKey();
        }

        /** Its time is over after this moment. */
        long ends() {
            return t + timeoutMs;
        }

        Json json() {
            AbstractRequest body = request.requestBuilder().build();
            Json j = new Json().with("id", id).with("api", LifeWire.name(api()));
            if (body instanceof JoinGroupRequest join) {
                JoinGroupRequestData d = join.data();
                j.with("member", d.memberId()).with("generation", generation).with("instance", d.groupInstanceId()).with("reason", d.reason());
            } else if (body instanceof SyncGroupRequest sync) {
                SyncGroupRequestData d = sync.data();
                j.with("member", d.memberId()).with("generation", d.generationId()).with("instance", d.groupInstanceId())
                    .with("protocol", d.protocolName()).with("assignments", d.assignments().stream().map(SyncGroupRequestAssignment::memberId).toList());
            } else if (body instanceof HeartbeatRequest heartbeat) {
                HeartbeatRequestData d = heartbeat.data();
                j.with("member", d.memberId()).with("generation", d.generationId()).with("instance", d.groupInstanceId());
            } else if (body instanceof OffsetCommitRequest commit) {
                OffsetCommitRequestData d = commit.data();
                j.with("member", d.memberId()).with("generation", d.generationIdOrMemberEpoch()).with("instance", d.groupInstanceId());
            } else if (body instanceof LeaveGroupRequest leave) {
                MemberIdentity m = leave.data().members().get(0);
                j.with("member", m.memberId()).with("generation", generation).with("instance", m.groupInstanceId()).with("reason", m.reason());
            }
            int node = Integer.parseInt(request.destination());
            j.with("to", api() == ApiKeys.FIND_COORDINATOR ? node : Integer.MAX_VALUE - node).with("by", by).with("backoff", backoff).with("t", t);
            return timeoutMs == LifeConfig.REQUEST_TIMEOUT_MS ? j : j.with("timeout", timeoutMs);
        }
    }

    private final LifeClock clock;
    private final Map<ClientRequest, Sent> made = new IdentityHashMap<>();
    private int count;
    LifeMember member;
    List<Sent> fresh = new ArrayList<>();
    List<Integer> dropped = new ArrayList<>();

    LifeWire(LifeClock clock, Metadata metadata) {
        super(clock, metadata);
        this.clock = clock;
    }

    @Override
    public ClientRequest newClientRequest(String nodeId, AbstractRequest.Builder<?> builder, long createdTimeMs, boolean expectResponse,
                                          int requestTimeoutMs, RequestCompletionHandler callback) {
        ClientRequest r = super.newClientRequest(nodeId, builder, createdTimeMs, expectResponse, Integer.MAX_VALUE, callback);
        Sent s = new Sent();
        s.request = r;
        s.timeoutMs = requestTimeoutMs;
        member.describe(s);
        made.put(r, s);
        return r;
    }

    @Override
    public void send(ClientRequest request, long now) {
        super.send(request, now);
        Sent s = made.get(request);
        s.id = ++count;
        s.t = clock.sinceStart();
        fresh.add(s);
    }

    /** Called by ConsumerNetworkClient when the coordinator has been marked unknown. */
    @Override
    public void disconnect(String node) {
        for (Sent s : on(node))
            dropped.add(s.id);
        super.disconnect(node, false);
    }

    /** The world cuts the connection. */
    void cut(String node) {
        super.disconnect(node, false);
    }

    List<Sent> inFlight() {
        return requests().stream().map(made::get).toList();
    }

    /** What is in flight on the connection to a node. */
    List<Sent> on(String node) {
        return inFlight().stream().filter(s -> s.request.destination().equals(node)).toList();
    }

    static String name(ApiKeys api) {
        return switch (api) {
            case FIND_COORDINATOR -> "FindCoordinator";
            case JOIN_GROUP -> "JoinGroup";
            case SYNC_GROUP -> "SyncGroup";
            case HEARTBEAT -> "Heartbeat";
            case LEAVE_GROUP -> "LeaveGroup";
            case OFFSET_COMMIT -> "OffsetCommit";
            default -> throw new IllegalArgumentException(api.name);
        };
    }
}
