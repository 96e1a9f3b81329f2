package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.RequestTestUtils;
import org.apache.kafka.common.utils.ExponentialBackoff;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Timer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One fact: a member, what the application calls, how each request and each callback ends, and what was seen. The calls have
 * time to wait, and the clock moves while they do.
 */
final class CallersScene implements AutoCloseable {
    static final int SESSION_MS = 1_800_000;
    static final int HEARTBEAT_MS = 600_000;
    static final int MAX_POLL_MS = 60_000;
    static final int REQUEST_TIMEOUT_MS = 30_000;
    private static final int BACKOFF_MS = 100;
    private static final int BACKOFF_MAX_MS = 1_000;
    /** In real time: the heartbeat thread, where there is one, moves only when it is woken. */
    private static final int NEVER_MS = 3_600_000;

    /** What a scene is about, and how the member is set up. */
    record Setting(String about, Json of, boolean isStatic, boolean leader, boolean consumer, boolean thread) {
    }

    private final CallersClock clock = new CallersClock();
    private final CallersWire wire;
    private final ConsumerNetworkClient client;
    private final Metrics metrics = new Metrics(clock);
    private final SubscriptionState subscriptions = new SubscriptionState(new LogContext(), AutoOffsetResetStrategy.EARLIEST);
    private final AbstractCoordinator coordinator;
    private final Setting setting;
    private final Node node;
    private final Json fact;
    private final Json script = new Json();
    private final Map<String, Deque<String>> callbacks = new HashMap<>();
    private final Map<String, Integer> tellings = new HashMap<>();
    private final List<Json> calls = new ArrayList<>();
    private List<Json> saw = new ArrayList<>();
    private Object lastReturned;
    private Thread interrupted; // a heartbeat thread that was

    CallersScene(Setting setting) {
        this.setting = setting;
        fact = new Json().with("about", setting.about);
        fact.putAll(setting.of);
        fact.with("static", setting.isStatic).with("leader", setting.leader);
        ConsumerMetadata metadata = new ConsumerMetadata(BACKOFF_MS, BACKOFF_MAX_MS, NEVER_MS, false, false, subscriptions, new LogContext(),
            new ClusterResourceListeners());
        subscriptions.subscribe(Set.of(CallersAnswers.PARTITION.topic()), Optional.of(new Listener()));
        CallersAnswers answers = new CallersAnswers(setting.leader);
        wire = new CallersWire(clock, metadata, answers, this::note);
        wire.updateMetadata(RequestTestUtils.metadataUpdateWith(1, Map.of(CallersAnswers.PARTITION.topic(), 1)));
        node = metadata.fetch().nodes().get(0);
        answers.coordinator(node);
        client = new ConsumerNetworkClient(new LogContext(), wire, metadata, clock, BACKOFF_MS, REQUEST_TIMEOUT_MS, HEARTBEAT_MS);
        GroupRebalanceConfig config = new Settings(CallersAnswers.GROUP, setting.isStatic ? "instance-1" : null,
            SESSION_MS, MAX_POLL_MS, HEARTBEAT_MS, BACKOFF_MS, BACKOFF_MAX_MS).config();
        Optional<java.util.function.Supplier<BaseHeartbeatThread>> thread = setting.thread ? Optional.empty() : Optional.of(Inert::new);
        coordinator = setting.consumer
            ? new ConsumerCoordinator(config, new LogContext(), client, List.of(new RangeAssignor()), metadata, subscriptions, metrics, "oracle",
                clock, false, NEVER_MS, new ConsumerInterceptors<>(List.of(), metrics), false, Optional.empty(), thread)
            : new CallersMember(config, client, metrics, clock, this::told, thread);
        // The real one is 0.2, from a generator without a seed.
        Internals.set(ExponentialBackoff.class, Internals.get(AbstractCoordinator.class, coordinator, "retryBackoff"), "jitter", 0.0);
        Internals.set(ExponentialBackoff.class, Internals.get(Metadata.class, metadata, "refreshBackoff"), "jitter", 0.0);
        if (setting.thread)
            Internals.set(GroupRebalanceConfig.class, config, "retryBackoffMs", (long) NEVER_MS);
    }

    /** A heartbeat thread that never runs; whether it is enabled is the base class's doing. */
    private static final class Inert extends BaseHeartbeatThread {
        Inert() {
            super("oracle-inert", true);
        }

        @Override
        public void start() {
        }
    }

    private final class Listener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            told(new Json().with("told", "revoked").with("partitions", partitions.size()));
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            told(new Json().with("told", "lost").with("partitions", partitions.size()));
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            told(new Json().with("told", "assigned").with("partitions", partitions.size()));
        }
    }

    // ------------------------------------------------------------------ how it goes

    /** How the next requests of an API end, before all others succeed. */
    CallersScene answers(ApiKeys api, String... with) {
        wire.script(api, List.of(with));
        append(CallersAnswers.name(api), wire.count(api), "NONE", with);
        return this;
    }

    /** How the next callbacks of a kind end: "ok", "throws" or, for join_prepare, "false". */
    CallersScene callback(String told, String... does) {
        callbacks.computeIfAbsent(told, k -> new ArrayDeque<>()).addAll(List.of(does));
        append(told, tellings.getOrDefault(told, 0), "ok", does);
        return this;
    }

    /** The script of the fact counts from the first request or callback of its kind. */
    @SuppressWarnings("unchecked")
    private void append(String kind, int before, String otherwise, String... ends) {
        List<String> all = (List<String>) script.computeIfAbsent(kind, k -> new ArrayList<String>());
        while (all.size() < before)
            all.add(otherwise);
        all.addAll(List.of(ends));
    }

    private boolean told(Json what) {
        note(what);
        tellings.merge((String) what.get("told"), 1, Integer::sum);
        Deque<String> next = callbacks.get((String) what.get("told"));
        String does = next == null || next.isEmpty() ? "ok" : next.poll();
        if (does.equals("throws"))
            throw new IllegalStateException("oracle");
        return !does.equals("false");
    }

    private void note(Json what) {
        Json at = new Json().with("t", clock.sinceStart());
        at.putAll(what);
        saw.add(at);
    }

    // ------------------------------------------------------------------ what the application calls

    private interface Call {
        Object run();
    }

    private CallersScene call(Json what, Call call) {
        saw = new ArrayList<>();
        what.with("at", clock.sinceStart());
        Json ended = new Json();
        Throwable thrown = null;
        Object returned = null;
        synchronized (coordinator) {
            try {
                returned = call.run();
            } catch (RuntimeException | Error e) {
                thrown = e;
            }
        }
        settle();
        ended.with("t", clock.sinceStart());
        lastReturned = returned;
        if (returned instanceof Throwable failed)
            ended.with("failed", describe(failed));
        else if (returned != null)
            ended.with("returned", returned.toString());
        if (thrown != null)
            ended.with("thrown", describe(thrown));
        synchronized (coordinator) {
            calls.add(what.with("saw", saw).with("ended", state(ended)));
        }
        return this;
    }

    static Json describe(Throwable t) {
        Json d = new Json().with("class", t.getClass().getSimpleName()).with("message", t.getMessage());
        if (t.getCause() != null)
            d.with("cause", t.getCause().getClass().getSimpleName());
        return d;
    }

    CallersScene poll(long waitMs) {
        return call(new Json().with("call", "poll").with("wait", waitMs), () -> {
            Timer timer = clock.timer(waitMs);
            return coordinator instanceof CallersMember m ? m.poll(timer) : ((ConsumerCoordinator) coordinator).poll(timer, true);
        });
    }

    /** Polls until there is nothing more to do, and once more; at most so often. */
    CallersScene polls(long waitMs, int most) {
        for (int n = 0, rested = 0; n < most && rested < 2; n++) {
            poll(waitMs);
            rested = Boolean.TRUE.equals(lastReturned) ? rested + 1 : 0;
        }
        return this;
    }

    CallersScene rejoin() {
        return call(new Json().with("call", "rejoin"), () -> {
            coordinator.requestRejoin("rebalance enforced by user");
            return null;
        });
    }

    /** The coordinator is forgotten, as if its connection had been lost while nothing was under way. */
    CallersScene forgetCoordinator() {
        return call(new Json().with("call", "forget_coordinator"), () -> {
            Internals.set(AbstractCoordinator.class, coordinator, "coordinator", null);
            return null;
        });
    }

    /** No connection to the coordinator comes about for a while. */
    CallersScene unavailable(long ms) {
        return call(new Json().with("call", "unavailable").with("for", ms), () -> {
            wire.backoff(new Node(Integer.MAX_VALUE - node.id(), node.host(), node.port()), ms);
            return null;
        });
    }

    /** The member sends a heartbeat, and its end is waited for. */
    CallersScene heartbeat() {
        return call(new Json().with("call", "heartbeat"), () -> {
            RequestFuture<Void> sent = coordinator.sendHeartbeatRequest();
            client.poll(sent, clock.timer(MAX_POLL_MS));
            return sent.succeeded() ? "ok" : sent.exception();
        });
    }

    /** The member sends a heartbeat, whose end comes while something else is called. */
    CallersScene sendHeartbeat() {
        return call(new Json().with("call", "send_heartbeat"), () -> {
            coordinator.sendHeartbeatRequest();
            client.pollNoWakeup();
            return null;
        });
    }

    CallersScene unsubscribe(GroupMembershipOperation mode, long waitMs) {
        return call(new Json().with("call", "unsubscribe").with("mode", mode.name()).with("wait", waitMs), () -> {
            coordinator.onLeavePrepare();
            RequestFuture<Void> sent = coordinator.maybeLeaveGroup(mode, "the consumer unsubscribed from all topics");
            if (sent == null)
                return "nothing sent";
            client.poll(sent, clock.timer(waitMs));
            return !sent.isDone() ? "pending" : sent.succeeded() ? "ok" : sent.exception();
        });
    }

    CallersScene close(GroupMembershipOperation mode, long waitMs) {
        return call(new Json().with("call", "close").with("mode", mode.name()).with("wait", waitMs), () -> {
            coordinator.close(clock.timer(waitMs), mode);
            return null;
        });
    }

    CallersScene commitSync(long waitMs) {
        return call(new Json().with("call", "commit_sync").with("wait", waitMs), () ->
            ((ConsumerCoordinator) coordinator).commitOffsetsSync(Map.of(CallersAnswers.PARTITION, new OffsetAndMetadata(1)), clock.timer(waitMs)));
    }

    CallersScene commitAsync(long waitMs) {
        return call(new Json().with("call", "commit_async").with("wait", waitMs), () -> {
            ConsumerCoordinator c = (ConsumerCoordinator) coordinator;
            List<Object> told = new ArrayList<>();
            RequestFuture<Void> sent = c.commitOffsetsAsync(Map.of(CallersAnswers.PARTITION, new OffsetAndMetadata(1)),
                (offsets, e) -> told.add(e == null ? "ok" : e));
            client.poll(sent, clock.timer(waitMs));
            c.invokeCompletedOffsetCommitCallbacks();
            return told.isEmpty() ? "pending" : told.get(0);
        });
    }

    /** The heartbeat thread is interrupted while it waits, where t is null; else its next look at the network throws t. */
    CallersScene threadThrows(Throwable t) {
        BaseHeartbeatThread thread = coordinator.heartbeatThread();
        return call(new Json().with("call", "thread_throws").with("what", t == null ? "interrupt" : t.getClass().getSimpleName()), () -> {
            if (t == null) {
                interrupted = thread;
                thread.interrupt();
            } else {
                wire.threadThrows = t;
                coordinator.notifyAll();
            }
            return null;
        });
    }

    /**
     * Waits until the heartbeat thread, where there is one, has ended, or waits again, and has taken what it was given. One
     * that is interrupted ends; for a moment before that it still looks as if it waited, and had not been interrupted.
     */
    private void settle() {
        Thread thread = setting.thread ? coordinator.heartbeatThread() : null;
        if (thread == null)
            return;
        for (Thread.State s = thread.getState(); s != Thread.State.TERMINATED; s = thread.getState()) {
            boolean waits = s == Thread.State.WAITING || s == Thread.State.TIMED_WAITING;
            if (waits && wire.threadThrows == null && thread != interrupted)
                return;
            Thread.onSpinWait();
            Thread.yield();
        }
    }

    // ------------------------------------------------------------------ what is seen of the member

    private Object field(String name) {
        return Internals.get(AbstractCoordinator.class, coordinator, name);
    }

    private Json state(Json j) {
        AbstractCoordinator.Generation g = coordinator.generation();
        RequestFuture<?> lookup = (RequestFuture<?>) field("findCoordinatorFuture");
        Object fatal = field("fatalFindCoordinatorException");
        j.with("state", coordinator.state.name()).with("member", g.memberId).with("generation", g.generationId)
            .with("rejoin_needed", field("rejoinNeeded")).with("reason", coordinator.rejoinReason())
            .with("prepare_needed", field("needsJoinPrepare")).with("join_pending", field("joinFuture") != null)
            .with("coordinator_known", field("coordinator") != null)
            .with("lookup", lookup == null ? "none" : lookup.isDone() ? "done" : "pending");
        if (fatal != null)
            j.with("fatal_lookup", fatal.getClass().getSimpleName());
        if (setting.thread) {
            BaseHeartbeatThread t = coordinator.heartbeatThread();
            j.with("thread", t == null ? "none" : t.isFailed() ? "failed" : t.isClosed() ? "closed" : t.isEnabled() ? "enabled" : "disabled");
        }
        return j;
    }

    Json fact() {
        Internals.must(calls.size() > 0, "nothing was called");
        return fact.with("script", script).with("calls", calls);
    }

    @Override
    public void close() {
        metrics.close();
        BaseHeartbeatThread t = coordinator.heartbeatThread();
        if (!setting.thread || t == null)
            return;
        synchronized (coordinator) {
            t.close();
            coordinator.notifyAll();
        }
    }
}
