package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.RequestTestUtils;
import org.apache.kafka.common.requests.SyncGroupResponse;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Timer;
import org.apache.kafka.common.utils.Utils;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.function.Supplier;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** Kafka's ConsumerCoordinator on a mock of the network and of the clock, and what is in its fields. */
final class Fixture implements AutoCloseable {
    static final String GROUP = "oracle-group";
    static final String INSTANCE = "instance-1";
    static final String TOPIC = "t";
    static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
    static final String MEMBER = "member-1";
    static final String OTHER_MEMBER = "member-2";
    static final String ASSIGNED_MEMBER = "member-assigned";
    static final String PROTOCOL_TYPE = "consumer";
    static final String PROTOCOL = "range";
    /** The generation that join comes to. */
    static final int JOINED_GENERATION = 5;
    /** The generation in a JoinGroup response whose handling is a fact. */
    static final int NEXT_GENERATION = 6;
    static final int SESSION_MS = 10_000;
    static final int MAX_POLL_MS = 60_000;
    static final int HEARTBEAT_MS = 3_000;
    static final int REQUEST_TIMEOUT_MS = 40_000;
    static final long BACKOFF_MS = 100;
    static final long BACKOFF_MAX_MS = 1_000;

    final GatedTime time = new GatedTime();
    final RecordingClient mock;
    final ConsumerNetworkClient client;
    final ConsumerMetadata metadata;
    final SubscriptionState subscription;
    final Metrics metrics;
    final ConsumerCoordinator coordinator;
    final Node node;
    final Node coordinatorNode;
    /** Stands in for Kafka's heartbeat thread; null where that runs. */
    final InertThread inert;
    final boolean isStatic;

    /** A coordinator whose heartbeat thread never runs. */
    Fixture(boolean isStatic) {
        this(isStatic, false, BACKOFF_MS, BACKOFF_MAX_MS, REQUEST_TIMEOUT_MS);
    }

    Fixture(boolean isStatic, boolean threadRuns, long backoffMs, long backoffMaxMs, int requestTimeoutMs) {
        this.isStatic = isStatic;
        LogContext log = new LogContext();
        subscription = new SubscriptionState(log, AutoOffsetResetStrategy.EARLIEST);
        metadata = new ConsumerMetadata(100, 1000, 60 * 60 * 1000L, false, false, subscription, log, new ClusterResourceListeners());
        mock = new RecordingClient(time, metadata);
        client = new ConsumerNetworkClient(log, mock, metadata, time, 100, requestTimeoutMs, HEARTBEAT_MS);
        metrics = new Metrics(time);
        subscription.subscribe(Set.of(TOPIC), Optional.empty());
        mock.updateMetadata(RequestTestUtils.metadataUpdateWith(1, Map.of(TOPIC, 1)));
        node = metadata.fetch().nodes().get(0);
        coordinatorNode = new Node(Integer.MAX_VALUE - node.id(), node.host(), node.port());
        Settings settings = new Settings(GROUP, isStatic ? INSTANCE : null, SESSION_MS, MAX_POLL_MS, HEARTBEAT_MS, backoffMs, backoffMaxMs);
        inert = threadRuns ? null : new InertThread();
        Optional<Supplier<BaseHeartbeatThread>> thread = threadRuns ? Optional.empty() : Optional.of(() -> inert);
        coordinator = new ConsumerCoordinator(settings.config(), log, client, List.of(new RangeAssignor()), metadata, subscription, metrics,
            "consumer", time, false, 5000, new ConsumerInterceptors<>(Collections.emptyList(), metrics), false, Optional.empty(), thread);
    }

    @Override
    public void close() {
        metrics.close();
    }

    /** The client's own lookup finds the coordinator. */
    void lookUp() {
        mock.prepareResponse(coordinatorFound());
        must(coordinator.ensureCoordinatorReady(time.timer(1000)), "the coordinator is found");
        must(mock.requests().isEmpty(), "no request is left of the lookup");
    }

    /** The client's own join makes it a follower: STABLE, generation 5, member-1, range. */
    void join() {
        lookUp();
        mock.prepareResponse(joined(JOINED_GENERATION, MEMBER, false));
        mock.prepareResponse(synced());
        must(coordinator.ensureActiveGroup(time.timer(1000)), "the member has joined");
        must(mock.requests().isEmpty(), "no request is left of the join");
        must(coordinator.state == MemberState.STABLE, "who has joined is STABLE");
        Generation g = generation();
        must(g.generationId == JOINED_GENERATION && g.memberId.equals(MEMBER) && PROTOCOL.equals(g.protocolName), "the generation is the one joined");
        must(subscription.assignedPartitions().equals(Set.of(PARTITION)), "the partition is assigned");
    }

    FindCoordinatorResponse coordinatorFound() {
        return new FindCoordinatorResponse(new FindCoordinatorResponseData().setCoordinators(List.of(coordinatorEntry(Errors.NONE))));
    }

    FindCoordinatorResponseData.Coordinator coordinatorEntry(Errors error) {
        FindCoordinatorResponseData.Coordinator entry = new FindCoordinatorResponseData.Coordinator()
            .setKey(GROUP).setErrorCode(error.code());
        return error == Errors.NONE
            ? entry.setNodeId(node.id()).setHost(node.host()).setPort(node.port())
            : entry.setNodeId(-1).setHost("").setPort(-1).setErrorMessage(error.message());
    }

    JoinGroupResponse joined(int generation, String memberId, boolean leader) {
        JoinGroupResponseData data = new JoinGroupResponseData()
            .setErrorCode(Errors.NONE.code()).setGenerationId(generation)
            .setProtocolType(PROTOCOL_TYPE).setProtocolName(PROTOCOL)
            .setMemberId(memberId).setLeader(leader ? memberId : "leader-9");
        if (leader)
            data.setMembers(List.of(member(memberId, subscriptionBytes()), member("member-3", subscriptionBytes())));
        return new JoinGroupResponse(data, ApiKeys.JOIN_GROUP.latestVersion());
    }

    JoinGroupResponseMember member(String id, byte[] metadataBytes) {
        return new JoinGroupResponseMember().setMemberId(id)
            .setGroupInstanceId(isStatic ? INSTANCE + "/" + id : null).setMetadata(metadataBytes);
    }

    SyncGroupResponse synced() {
        return new SyncGroupResponse(new SyncGroupResponseData().setErrorCode(Errors.NONE.code())
            .setProtocolType(PROTOCOL_TYPE).setProtocolName(PROTOCOL).setAssignment(assignmentBytes()));
    }

    private static byte[] subscriptionBytes() {
        return Utils.toArray(ConsumerProtocol.serializeSubscription(new ConsumerPartitionAssignor.Subscription(List.of(TOPIC))));
    }

    private static byte[] assignmentBytes() {
        return Utils.toArray(ConsumerProtocol.serializeAssignment(new ConsumerPartitionAssignor.Assignment(List.of(PARTITION))));
    }

    /** A private field of AbstractCoordinator. */
    Object get(String name) {
        return Internals.get(AbstractCoordinator.class, coordinator, name);
    }

    void set(String name, Object value) {
        Internals.set(AbstractCoordinator.class, coordinator, name, value);
    }

    Generation generation() {
        return (Generation) get("generation");
    }

    boolean rejoinNeeded() {
        return (Boolean) get("rejoinNeeded");
    }

    boolean needsJoinPrepare() {
        return (Boolean) get("needsJoinPrepare");
    }

    boolean coordinatorKnown() {
        return get("coordinator") != null;
    }

    /** The connection to the coordinator is to be cut. */
    boolean disconnectRequested() {
        return !((Queue<?>) Internals.get(ConsumerNetworkClient.class, client, "pendingDisconnects")).isEmpty();
    }

    String lookupFuture() {
        RequestFuture<?> f = (RequestFuture<?>) get("findCoordinatorFuture");
        return f == null ? "none" : f.isDone() ? "done" : "pending";
    }

    Heartbeat heartbeat() {
        return coordinator.heartbeat();
    }

    Timer timer(String name) {
        return (Timer) Internals.get(Heartbeat.class, heartbeat(), name);
    }

    long sessionDeadline() {
        return (Long) Internals.get(Timer.class, timer("sessionTimer"), "deadlineMs");
    }

    long heartbeatAttempts() {
        return (Long) Internals.get(Heartbeat.class, heartbeat(), "heartbeatAttempts");
    }

    /** A heartbeat thread that never runs; what enables and disables it is Kafka's. */
    static final class InertThread extends BaseHeartbeatThread {
        InertThread() {
            super("oracle-inert", true);
        }

        @Override
        public void start() {
        }
    }
}
