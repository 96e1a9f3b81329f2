package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.IllegalGenerationException;
import org.apache.kafka.common.errors.MemberIdRequiredException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocol;
import org.apache.kafka.common.message.JoinGroupRequestData.JoinGroupRequestProtocolCollection;
import org.apache.kafka.common.message.JoinGroupResponseData.JoinGroupResponseMember;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.ExponentialBackoff;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Timer;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Kafka's AbstractCoordinator with the five methods that it leaves to its users, and overrides that only watch: each calls
 * the original and returns its result.
 */
final class LifeMember extends AbstractCoordinator {
    /** The real time that the heartbeat thread sleeps between two passes when nobody wakes it: for ever. */
    private static final long NEVER_MS = 3_600_000L;
    private static final StackWalker STACK = StackWalker.getInstance();

    private final LifeConfig config;
    private final LifeClock clock;
    /** What the application's thread is doing: "poll", "network", "leave", … */
    String phase = "network";
    List<Json> callbacks = new ArrayList<>();
    List<String> loop = new ArrayList<>();
    private boolean passOpen;
    private long lastPass = Long.MIN_VALUE / 2;
    private RequestFuture<ByteBuffer> lastJoin;
    private RequestFuture<Void> lastLookup;
    private long joinFailedAt;
    private long lookupFailedAt;
    private boolean joinBackoff;
    private boolean lookupBackoff;
    /** How many coordinators have been found. */
    int found;
    /** When something last showed that the coordinator counts the member in, without what only finding it says. */
    long aliveAt;

    LifeMember(LifeConfig config, GroupRebalanceConfig rebalance, ConsumerNetworkClient client, Metrics metrics, LifeClock clock) {
        super(rebalance, new LogContext(), client, metrics, "oracle", clock, Optional.empty(), Optional.empty());
        this.config = config;
        this.clock = clock;
        // No jitter (it comes from a generator without a seed), and no real time: the thread moves when it is woken.
        Internals.set(ExponentialBackoff.class, retryBackoff, "jitter", 0.0);
        Internals.set(ExponentialBackoff.class, Internals.get(Heartbeat.class, heartbeat(), "retryBackoff"), "jitter", 0.0);
        Internals.set(GroupRebalanceConfig.class, rebalance, "retryBackoffMs", NEVER_MS);
    }

    // What AbstractCoordinator leaves to its users.

    @Override
    protected String protocolType() {
        return LifeConfig.PROTOCOL_TYPE;
    }

    @Override
    protected JoinGroupRequestProtocolCollection metadata() {
        JoinGroupRequestProtocolCollection all = new JoinGroupRequestProtocolCollection();
        for (String p : config.protocols)
            all.add(new JoinGroupRequestProtocol().setName(p).setMetadata("meta".getBytes(StandardCharsets.UTF_8)));
        return all;
    }

    @Override
    protected boolean onJoinPrepare(Timer timer, int generation, String memberId) {
        callbacks.add(new Json().with("call", "join_prepare").with("generation", generation).with("member", memberId));
        return true;
    }

    @Override
    protected Map<String, ByteBuffer> onLeaderElected(String leaderId, String protocol, List<JoinGroupResponseMember> members, boolean skipAssignment) {
        Json call = new Json().with("call", "leader_elected").with("leader", leaderId).with("protocol", protocol)
            .with("members", members.stream().map(JoinGroupResponseMember::memberId).toList());
        callbacks.add(skipAssignment ? call.with("skip_assignment", true) : call);
        Map<String, ByteBuffer> assignments = new LinkedHashMap<>();
        if (!skipAssignment)
            for (JoinGroupResponseMember m : members)
                assignments.put(m.memberId(), ByteBuffer.wrap(("to " + m.memberId()).getBytes(StandardCharsets.UTF_8)));
        return assignments;
    }

    @Override
    protected void onJoinComplete(int generation, String memberId, String protocol, ByteBuffer assignment) {
        callbacks.add(new Json().with("call", "join_complete").with("generation", generation).with("member", memberId)
            .with("protocol", protocol).with("assignment", StandardCharsets.UTF_8.decode(assignment.duplicate()).toString()));
    }

    @Override
    protected void onLeavePrepare() {
        Generation g = generation();
        callbacks.add(new Json().with("call", "leave_prepare").with("generation", g.generationId).with("member", g.memberId));
    }

    // Watching.

    /** The client makes a request. */
    void describe(LifeWire.Sent s) {
        Generation g = generation();
        s.generation = g.generationId;
        s.member = g.memberId;
        s.found = found;
        s.by = Thread.currentThread() instanceof BaseHeartbeatThread ? "heartbeat" : phase;
        s.backoff = switch (s.api()) {
            case FIND_COORDINATOR -> lookupBackoff;
            case JOIN_GROUP -> joinBackoff;
            case HEARTBEAT -> heartbeatAttempts() > 0;
            default -> false;
        };
    }

    @Override
    RequestFuture<ByteBuffer> sendJoinGroupRequest() {
        joinBackoff = joinRetryPending(false);
        RequestFuture<ByteBuffer> f = super.sendJoinGroupRequest();
        lastJoin = f;
        onFailure(f, t -> joinFailedAt = t);
        return f;
    }

    @Override
    protected synchronized RequestFuture<Void> lookupCoordinator() {
        lookupBackoff = lastLookup != null && !(lastLookup.isDone() && (lastLookup.succeeded() || !lastLookup.isRetriable()));
        RequestFuture<Void> f = super.lookupCoordinator();
        if (f != lastLookup)
            onFailure(f, t -> lookupFailedAt = t);
        lastLookup = f;
        return f;
    }

    private <T> void onFailure(RequestFuture<T> f, LongConsumer note) {
        f.addListener(new RequestFutureListener<T>() {
            @Override
            public void onSuccess(T value) {
            }

            @Override
            public void onFailure(RuntimeException e) {
                note.accept(clock.milliseconds());
            }
        });
    }

    /** True when the caller of the caller is the loop of the heartbeat thread itself, not a handler that runs on it. */
    private static boolean fromLoop() {
        return Thread.currentThread() instanceof BaseHeartbeatThread
            && STACK.walk(s -> s.skip(2).findFirst().map(f -> f.getClassName().endsWith("$HeartbeatThread")).orElse(false));
    }

    @Override
    public boolean coordinatorUnknown() {
        if (!fromLoop())
            return super.coordinatorUnknown();
        closePass();
        lastPass = clock.milliseconds();
        boolean unknown = super.coordinatorUnknown();
        if (unknown)
            loop.add(lookupPending() ? "coordinator_unknown:forget_lookup" : "coordinator_unknown:lookup");
        passOpen = !unknown;
        return unknown;
    }

    @Override
    protected synchronized void markCoordinatorUnknown(String cause) {
        if (fromLoop())
            branch("session_expired");
        super.markCoordinatorUnknown(cause);
    }

    @Override
    protected void handlePollTimeoutExpiry() {
        if (fromLoop())
            branch("poll_expired");
        super.handlePollTimeoutExpiry();
    }

    @Override
    synchronized RequestFuture<Void> sendHeartbeatRequest() {
        if (fromLoop())
            branch("heartbeat");
        return super.sendHeartbeatRequest();
    }

    private void branch(String name) {
        loop.add(name);
        passOpen = false;
    }

    /** A pass that knew its coordinator and did nothing else: the heartbeat was not due. */
    void closePass() {
        if (passOpen)
            loop.add("not_due");
        passOpen = false;
    }

    // What is asked of the member.

    /** When the heartbeat thread last began to wait. */
    long lastPassMs() {
        return lastPass;
    }

    /** The last JoinGroup or SyncGroup failed, and the next has to wait: for Kafka's backoff, or with thrown errors for ours too. */
    boolean joinRetryPending(boolean alsoThrown) {
        if (lastJoin == null || !lastJoin.failed() || !alsoThrown && !lastJoin.isRetriable())
            return false;
        RuntimeException e = lastJoin.exception();
        return !(e instanceof UnknownMemberIdException || e instanceof IllegalGenerationException
            || e instanceof RebalanceInProgressException || e instanceof MemberIdRequiredException);
    }

    boolean joinFailureUnread() {
        return joinPending() && lastJoin != null && lastJoin.failed();
    }

    boolean joinSuccessUnread() {
        return joinPending() && lastJoin != null && lastJoin.succeeded();
    }

    boolean lookupFailureFatal() {
        return !coordinatorKnown() && lookupPending() && lastLookup.failed() && !lastLookup.isRetriable();
    }

    boolean lookupRetryPending(boolean alsoThrown) {
        return !coordinatorKnown() && lastLookup != null && lastLookup.failed() && (alsoThrown || lastLookup.isRetriable());
    }

    long joinFailedAt() {
        return joinFailedAt;
    }

    long lookupFailedAt() {
        return lookupFailedAt;
    }

    /** A heartbeat has failed and its retry is not due yet. */
    boolean heartbeatRetryPending() {
        return heartbeatAttempts() > 0 && !heartbeat().hasInflight() && deadline("heartbeatTimer") > clock.milliseconds();
    }

    boolean heartbeatDue() {
        BaseHeartbeatThread t = heartbeatThread();
        return t != null && t.isEnabled() && deadline("heartbeatTimer") <= clock.milliseconds();
    }

    /** The heartbeat thread has a deadline after one moment, up to another. */
    boolean deadlineIn(long after, long upTo) {
        return List.of("heartbeatTimer", "sessionTimer", "pollTimer").stream().mapToLong(this::deadline).anyMatch(d -> d > after && d <= upTo);
    }

    boolean waitsForLookup() {
        return !coordinatorKnown() && pending("findCoordinatorFuture");
    }

    boolean waitsForJoin() {
        return pending("joinFuture");
    }

    boolean lookupPending() {
        return get("findCoordinatorFuture") != null;
    }

    boolean joinPending() {
        return get("joinFuture") != null;
    }

    boolean coordinatorKnown() {
        return get("coordinator") != null;
    }

    boolean joined() {
        return state == MemberState.STABLE || state == MemberState.COMPLETING_REBALANCE;
    }

    private boolean pending(String future) {
        RequestFuture<?> f = (RequestFuture<?>) get(future);
        return f != null && !f.isDone();
    }

    private long heartbeatAttempts() {
        return (long) Internals.get(Heartbeat.class, heartbeat(), "heartbeatAttempts");
    }

    private long deadline(String timer) {
        return (long) Internals.get(Timer.class, Internals.get(Heartbeat.class, heartbeat(), timer), "deadlineMs");
    }

    private Object get(String field) {
        return Internals.get(AbstractCoordinator.class, this, field);
    }

    /** What is seen of it after a step. */
    void seen(Json saw, String thread) {
        Generation g = generation();
        Node c = (Node) get("coordinator");
        saw.with("state", state.name()).with("member", g.memberId).with("generation", g.generationId).with("protocol", g.protocolName)
            .with("rejoin_needed", get("rejoinNeeded")).with("join_pending", joinPending()).with("prepare_needed", get("needsJoinPrepare"))
            .with("coordinator_known", c != null);
        if (c != null)
            saw.with("coordinator", Integer.MAX_VALUE - c.id());
        saw.with("heartbeat_thread", thread).with("deadlines", List.of(deadline("heartbeatTimer") - LifeClock.START,
            deadline("sessionTimer") - LifeClock.START, deadline("pollTimer") - LifeClock.START));
    }
}
