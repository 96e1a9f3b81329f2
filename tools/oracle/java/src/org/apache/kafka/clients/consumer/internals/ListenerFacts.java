package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.HeartbeatRequest;
import org.apache.kafka.common.requests.HeartbeatResponse;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** What Kafka's heartbeat thread makes of each outcome of the heartbeat that it has sent. */
public final class ListenerFacts {
    /** What these do depends on the state and the identity. */
    private static final Set<Errors> BY_STATE = Set.of(Errors.NONE, Errors.REBALANCE_IN_PROGRESS, Errors.ILLEGAL_GENERATION,
        Errors.UNKNOWN_MEMBER_ID, Errors.FENCED_INSTANCE_ID);
    /** Failures before, so that it shows whether they are forgotten. */
    private static final int ATTEMPTS_BEFORE = 2;

    private ListenerFacts() {
    }

    /** Due: the outcome comes an interval late, when the next heartbeat is due. */
    private record Case(Outcome outcome, MemberState state, Identity identity, boolean isStatic, boolean due) {
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        for (Outcome outcome : Outcome.all()) {
            for (MemberState state : MemberState.values())
                for (Identity identity : Identity.values())
                    if (outcome.error() != null && BY_STATE.contains(outcome.error()) || state == MemberState.STABLE && identity == Identity.SAME)
                        for (boolean isStatic : new boolean[] {false, true})
                            facts.add(fact(new Case(outcome, state, identity, isStatic, false)));
            if (!outcome.neverSent())
                for (boolean isStatic : new boolean[] {false, true})
                    facts.add(fact(new Case(outcome, MemberState.STABLE, Identity.SAME, isStatic, true)));
        }
        addConsecutive(facts);
        facts.print();
    }

    private static Json fact(Case c) {
        Json polled = new Json();
        Json settled = settle(c, polled);
        Json settledAlone = settle(c, null);
        Json fact = new Json().with("code", c.outcome.label()).with("errno", c.outcome.number()).with("state", c.state.name())
            .with("identity", c.identity.label()).with("static", c.isStatic);
        if (c.due)
            fact.with("variant", "due_when_handled");
        return fact.with("attempts_before", ATTEMPTS_BEFORE)
            .with("handled", polled).with("settled", settled)
            .with("settled_if_thread_polls", settled.equals(settledAlone) ? "same" : settledAlone);
    }

    /**
     * How things stand when the thread has dealt with the outcome. Into handled goes how they stand before, when a poll of the
     * application has handled the response; where handled is null it is the thread that polls.
     */
    private static Json settle(Case c, Json handled) {
        boolean neverSent = c.outcome.neverSent();
        int timeout = neverSent ? 5_000 : Fixture.REQUEST_TIMEOUT_MS;
        try (ThreadDriver driver = new ThreadDriver(c.isStatic, timeout)) {
            Fixture fixture = driver.fixture;
            synchronized (driver.coordinator) {
                for (int i = 0; i < ATTEMPTS_BEFORE; i++)
                    fixture.heartbeat().failHeartbeat();
                must(fixture.heartbeatAttempts() == ATTEMPTS_BEFORE, "heartbeats have failed before");
                if (neverSent)
                    fixture.mock.throttle(fixture.coordinatorNode, 10_000_000L);
                fixture.time.sleep(Fixture.HEARTBEAT_MS);
                driver.wake();
            }
            driver.settle();
            int mark;
            long deadline;
            synchronized (driver.coordinator) {
                must(fixture.heartbeat().hasInflight() && fixture.client.pendingRequestCount() == 1, "a heartbeat is in flight");
                must(fixture.mock.requests().size() == (neverSent ? 0 : 1), "the heartbeat has left");
                must(fixture.mock.lastMade().apiKey() == ApiKeys.HEARTBEAT, "it is a heartbeat");
                fixture.time.sleep(neverSent ? timeout + 1 : c.due ? Fixture.HEARTBEAT_MS : 500);
                fixture.coordinator.setNewGeneration(c.identity.after(fixture.generation()));
                fixture.coordinator.setNewState(c.state);
                mark = fixture.mock.mark();
                deadline = fixture.sessionDeadline();
                c.outcome.deliver(fixture.mock, ListenerFacts::response);
                if (handled != null) {
                    fixture.client.pollNoWakeup();
                    handled.putAll(look(driver, deadline, mark));
                }
                driver.wake();
            }
            driver.settle();
            synchronized (driver.coordinator) {
                return look(driver, deadline, mark).with("thread", driver.ended()).with("poll_heartbeat", pollHeartbeat(fixture));
            }
        }
    }

    private static AbstractResponse response(Errors error) {
        return new HeartbeatResponse(new HeartbeatResponseData().setErrorCode(error.code()));
    }

    private static Json look(ThreadDriver driver, long deadlineBefore, int mark) {
        Fixture fixture = driver.fixture;
        long now = fixture.time.milliseconds();
        boolean reset = fixture.sessionDeadline() != deadlineBefore;
        must(!reset || fixture.sessionDeadline() == now + Fixture.SESSION_MS, "a session that is reset has its full length");
        List<String> sent = new ArrayList<>();
        List<Json> heartbeats = new ArrayList<>();
        for (ClientRequest request : fixture.mock.madeSince(mark)) {
            sent.add(request.apiKey().name);
            if (request.apiKey() == ApiKeys.HEARTBEAT) {
                HeartbeatRequestData heartbeat = ((HeartbeatRequest) request.requestBuilder().build()).data();
                heartbeats.add(new Json().with("generation", heartbeat.generationId()).with("member_id", heartbeat.memberId()));
            }
        }
        Throwable failure = driver.thread.failureCause();
        Generation generation = fixture.generation();
        Json look = new Json().with("in_flight", fixture.heartbeat().hasInflight())
            .with("attempts", fixture.heartbeatAttempts())
            .with("session_timer_reset", reset)
            .with("time_to_next_heartbeat_ms", fixture.heartbeat().timeToNextHeartbeat(now))
            .with("coordinator_time_to_next_heartbeat", coordinatorTimeToNext(fixture, now))
            .with("failed", driver.thread.isFailed())
            .with("failure", failure == null ? null : Facts.describe(failure))
            .with("enabled", driver.thread.isEnabled()).with("closed", driver.thread.isClosed())
            .with("state", fixture.coordinator.state.name()).with("member_id", generation.memberId).with("generation", generation.generationId)
            .with("rejoin_needed", fixture.rejoinNeeded()).with("rejoin_reason", fixture.coordinator.rejoinReason())
            .with("coordinator_known", fixture.coordinatorKnown())
            .with("disconnect_requested", fixture.disconnectRequested())
            .with("find_coordinator_future", fixture.lookupFuture()).with("sent", sent);
        if (!heartbeats.isEmpty())
            look.with("sent_heartbeats", heartbeats);
        return look;
    }

    private static Object coordinatorTimeToNext(Fixture fixture, long now) {
        try {
            long left = fixture.coordinator.timeToNextHeartbeat(now);
            return left == Long.MAX_VALUE ? "max" : (Object) left;
        } catch (RuntimeException e) {
            return "throws:" + Facts.describe(e);
        }
    }

    /** What the application gets of its next poll. */
    private static String pollHeartbeat(Fixture fixture) {
        try {
            fixture.coordinator.pollHeartbeat(fixture.time.milliseconds());
            return "ok";
        } catch (RuntimeException e) {
            return "throws:" + Facts.describe(e) + (fixture.get("heartbeatThread") == null ? " (thread dropped)" : "");
        }
    }

    /** Heartbeats that fail one after the other, one that succeeds, and one that fails: how the backoff grows. */
    private static void addConsecutive(Facts facts) {
        try (ThreadDriver driver = new ThreadDriver(false, Fixture.REQUEST_TIMEOUT_MS)) {
            Fixture fixture = driver.fixture;
            long wait = Fixture.HEARTBEAT_MS;
            for (int n = 1; n <= 8; n++) {
                Errors error = n == 7 ? Errors.NONE : Errors.COORDINATOR_LOAD_IN_PROGRESS;
                long before = fixture.heartbeatAttempts();
                synchronized (driver.coordinator) {
                    fixture.time.sleep(wait);
                    driver.wake();
                }
                driver.settle();
                synchronized (driver.coordinator) {
                    must(fixture.mock.requests().size() == 1, "a heartbeat was sent");
                    fixture.mock.respond(response(error));
                    driver.wake();
                }
                driver.settle();
                synchronized (driver.coordinator) {
                    wait = fixture.heartbeat().timeToNextHeartbeat(fixture.time.milliseconds());
                    facts.add(new Json().with("code", error.name()).with("errno", (int) error.code()).with("variant", "consecutive")
                        .with("n", n).with("attempts_before", before).with("attempts", fixture.heartbeatAttempts())
                        .with("in_flight", fixture.heartbeat().hasInflight()).with("time_to_next_heartbeat_ms", wait)
                        .with("failed", driver.thread.isFailed()).with("enabled", driver.thread.isEnabled()));
                }
            }
        }
    }
}
