package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestTestUtils;
import org.apache.kafka.common.utils.LogContext;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One member and the hands that move it: a method for each thing that can happen to it, and a step in the record for each. */
final class Life implements AutoCloseable {
    private static final int ENOUGH_REQUESTS = 12;

    final LifeConfig config;
    final LifeClock clock = new LifeClock();
    final LifeWire wire;
    final LifeMember member;
    final LifeCommits commits;
    private final LifeThreads threads;
    private final Metrics metrics;
    final List<Json> steps = new ArrayList<>();
    /** How many requests the last step has sent. */
    int sentInLast;
    private Boolean polled;
    private boolean closed;
    private final List<Long> wakes = new ArrayList<>();

    Life(LifeConfig config) {
        this.config = config;
        Metadata metadata = new Metadata(LifeConfig.BACKOFF_MS, LifeConfig.BACKOFF_MAX_MS, 60 * 60 * 1000L, new LogContext(), new ClusterResourceListeners());
        wire = new LifeWire(clock, metadata);
        ConsumerNetworkClient client = new ConsumerNetworkClient(new LogContext(), wire, metadata, clock, LifeConfig.BACKOFF_MS,
            LifeConfig.REQUEST_TIMEOUT_MS, Integer.MAX_VALUE);
        metrics = new Metrics(clock);
        // One node to ask: with more, Kafka shuffles them by a generator without a seed. The coordinator may be on any node.
        wire.updateMetadata(RequestTestUtils.metadataUpdateWith(1, Map.of()));
        GroupRebalanceConfig rebalance = new Settings(LifeConfig.GROUP, config.instance, config.sessionMs, config.maxPollMs, config.heartbeatMs,
            LifeConfig.BACKOFF_MS, LifeConfig.BACKOFF_MAX_MS).config();
        member = new LifeMember(config, rebalance, client, metrics, clock);
        commits = new LifeCommits(member, rebalance, client, wire, metrics, clock);
        threads = new LifeThreads(member, wire, client);
        wire.member = member;
    }

    List<LifeWire.Sent> inFlight() {
        return wire.inFlight();
    }

    boolean closed() {
        return closed;
    }

    /** The application polls: ConsumerCoordinator.poll of a subscribed consumer, with no time to wait. */
    void poll() {
        BaseHeartbeatThread before = member.heartbeatThread();
        threads.act("poll", () -> polled = pollOnce());
        threads.settle();
        if (before != null && before.isFailed() && member.heartbeatThread() != before)
            LifeThreads.end(before);
        record("poll", new Json());
    }

    private boolean pollOnce() {
        member.pollHeartbeat(clock.timer(0).currentTimeMs());
        if (member.coordinatorUnknown() && !member.ensureCoordinatorReady(clock.timer(0)))
            return false;
        return !member.rejoinNeededOrPending() || member.ensureActiveGroup(clock.timer(0));
    }

    /**
     * Time passes. The heartbeat thread wakes at the end of its timed wait: at each such moment, or once when all the time
     * has passed (a process that was stopped, a clock that jumps). The time ends early with that of a request, and, where the
     * thread wakes at each moment, when enough has been sent.
     */
    void advance(long ms, boolean wakesOnce) {
        long from = clock.milliseconds();
        long target = from + Math.min(ms, untilRequestEnds());
        if (!wakesOnce) {
            while (threads.napping() && threads.napEnds() <= target && !enough())
                sleepUntil(Math.max(threads.napEnds(), clock.milliseconds()));
            if (enough())
                target = clock.milliseconds();
        }
        // In a patient life no deadline of the heartbeat thread passes unseen by it.
        if (config.family.patient && threads.napping() && threads.napEnds() > target && member.deadlineIn(member.lastPassMs(), target))
            target = threads.napEnds();
        sleepUntil(target);
        record("advance", clock.milliseconds() - from);
    }

    private boolean enough() {
        return wire.fresh.size() >= ENOUGH_REQUESTS
            || config.family.patient && wire.fresh.stream().anyMatch(s -> s.api() == ApiKeys.FIND_COORDINATOR);
    }

    private void sleepUntil(long target) {
        clock.sleep(target - clock.milliseconds());
        if (!threads.napping() || threads.napEnds() > target)
            return;
        wakes.add(clock.sinceStart());
        threads.wake();
    }

    /** How long until the first of the requests in flight has waited for longer than its time. */
    private long untilRequestEnds() {
        return inFlight().stream().mapToLong(s -> Math.max(0, s.ends() + 1 - clock.sinceStart())).min().orElse(Long.MAX_VALUE / 2);
    }

    /** A request whose time is over, or null. */
    LifeWire.Sent overdue() {
        return inFlight().stream().filter(s -> clock.sinceStart() > s.ends()).findFirst().orElse(null);
    }

    /** The broker answers. What it says is in the description. With inPoll the application is inside a poll that waits for just this. */
    void respond(ClientRequest request, AbstractResponse response, Json description, boolean inPoll) {
        threads.act(inPoll ? "poll" : "network", () -> {
            wire.respondToRequest(request, response);
            if (inPoll)
                polled = pollOnce();
            else
                threads.drain();
        });
        threads.settle();
        record("respond", inPoll ? description.with("in_poll", true) : description);
    }

    /** Poll would wait for the answer to this request, and read nothing else first. */
    boolean pollWaitsFor(LifeWire.Sent s) {
        BaseHeartbeatThread t = member.heartbeatThread();
        if (t != null && t.isFailed())
            return false;
        return switch (s.api()) {
            case FIND_COORDINATOR -> member.waitsForLookup();
            case JOIN_GROUP, SYNC_GROUP -> member.coordinatorKnown() && member.waitsForJoin();
            default -> false;
        };
    }

    /** The connection that a request was sent on is cut: all requests in flight on it are lost, in order. */
    void disconnect(LifeWire.Sent sent) {
        cut("disconnect", sent);
    }

    /** A request has waited for longer than its time: Kafka's NetworkClient cuts the connection. */
    void timeOut(LifeWire.Sent sent) {
        cut("timeout", sent);
    }

    private void cut(String why, LifeWire.Sent sent) {
        String node = sent.request.destination();
        Json what = new Json().with("request", sent.id).with("lost", wire.on(node).stream().map(s -> s.id).toList());
        threads.act("network", () -> {
            wire.cut(node);
            threads.drain();
        });
        threads.settle();
        record(why, what);
    }

    /** KafkaConsumer.enforceRebalance. */
    void rejoin() {
        threads.act("rejoin", () -> member.requestRejoin("rebalance enforced by user"));
        threads.settle();
        record("rejoin", new Json());
    }

    /** KafkaConsumer.commitAsync. */
    void commit() {
        threads.act("commit", () -> {
            commits.commit();
            threads.drain();
        });
        threads.settle();
        record("commit", commits.last());
    }

    /** KafkaConsumer.unsubscribe; the next poll is that of a consumer that has subscribed again. */
    void leave() {
        threads.act("leave", () -> {
            member.onLeavePrepare();
            member.maybeLeaveGroup(GroupMembershipOperation.DEFAULT, "the consumer unsubscribed from all topics");
        });
        threads.settle();
        record("leave", new Json());
    }

    /** KafkaConsumer.close with no time to wait. It joins the heartbeat thread, so the monitor is not held. */
    void close(GroupMembershipOperation operation) {
        BaseHeartbeatThread before = member.heartbeatThread();
        member.phase = "close";
        member.close(clock.timer(0), operation);
        member.phase = "network";
        closed = true;
        if (before != null && !before.isAlive())
            member.loop.add("closed");
        threads.settle();
        record("close", new Json().with("operation", operation.name()));
    }

    @Override
    public void close() {
        metrics.close();
    }

    // The record.

    private void record(String what, Object with) {
        synchronized (member) {
            Json step = new Json().with("t", clock.sinceStart()).with("do", new Json().with(what, with));
            if (!wakes.isEmpty())
                step.with("wakes", List.copyOf(wakes));
            steps.add(step.with("saw", seen(what.equals("respond") && polled != null ? "poll" : what)));
            sentInLast = wire.fresh.size();
            wakes.clear();
            wire.fresh.clear();
            wire.dropped.clear();
            member.callbacks.clear();
            member.loop.clear();
            commits.ended.clear();
            polled = null;
            threads.failure = null;
        }
    }

    private Json seen(String what) {
        RuntimeException error = threads.failure;
        Json saw = new Json().with("requests", wire.fresh.stream().map(LifeWire.Sent::json).toList());
        if (!wire.dropped.isEmpty())
            saw.with("dropped", List.copyOf(wire.dropped));
        saw.with("callbacks", List.copyOf(member.callbacks));
        if (!commits.ended.isEmpty())
            saw.with("commits", List.copyOf(commits.ended));
        if (polled != null && error == null)
            saw.with("polled", polled);
        saw.with("error", error == null ? null : error.getClass().getSimpleName());
        if (error != null) {
            Errors code = Errors.forException(error);
            if (code != Errors.UNKNOWN_SERVER_ERROR)
                saw.with("error_code", code.code());
            saw.with("error_in", what).with("error_message", error.getMessage());
        }
        saw.with("loop", counted(member.loop));
        member.seen(saw, threadStatus());
        return saw;
    }

    /** Repetitions are counted: x*3. */
    private static List<String> counted(List<String> branches) {
        List<String> all = new ArrayList<>();
        for (int i = 0, n; i < branches.size(); i += n) {
            String b = branches.get(i);
            for (n = 1; i + n < branches.size() && branches.get(i + n).equals(b); n++) ;
            all.add(n == 1 ? b : b + "*" + n);
        }
        return all;
    }

    private String threadStatus() {
        BaseHeartbeatThread t = member.heartbeatThread();
        if (t == null)
            return closed ? "closed" : "none";
        return t.isFailed() ? "failed" : t.isClosed() ? "closed" : t.isEnabled() ? "enabled" : "disabled";
    }
}
