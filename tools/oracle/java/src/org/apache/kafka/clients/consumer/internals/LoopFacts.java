package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorResponse;

import java.util.ArrayList;
import java.util.List;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** One iteration of the heartbeat thread's loop, for the whole product of its conditions. */
public final class LoopFacts {
    private static final boolean[] BOTH = {false, true};

    private LoopFacts() {
    }

    private record Case(boolean closed, boolean enabled, MemberState state, boolean failed, String coordinator, String lookup,
                        boolean sessionExpired, boolean pollExpired, boolean due, boolean isStatic, boolean inFlight) {
        Json json() {
            return new Json().with("closed", closed).with("enabled", enabled).with("state", state.name())
                .with("failed", failed).with("coordinator", coordinator).with("lookup", lookup)
                .with("session_expired", sessionExpired).with("poll_expired", pollExpired).with("heartbeat_due", due)
                .with("static", isStatic);
        }

        boolean coordinatorKnown() {
            return !coordinator.equals("unknown");
        }
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        for (boolean isStatic : BOTH)
            for (boolean closed : BOTH)
                for (boolean enabled : new boolean[] {true, false})
                    for (MemberState state : MemberState.values())
                        for (boolean failed : BOTH)
                            for (String coordinator : List.of("known", "unknown", "connection_failed"))
                                for (String lookup : List.of("none", "pending", "done"))
                                    for (Case times : times(isStatic, false))
                                        facts.add(fact(new Case(closed, enabled, state, failed, coordinator, lookup,
                                            times.sessionExpired, times.pollExpired, times.due, isStatic, false)));
        // Whether a heartbeat is in flight is no condition of the loop, so that a few of these are enough.
        for (Case inFlight : times(false, true))
            facts.add(fact(inFlight));
        facts.add(pollThrows(new SaslAuthenticationException("oracle")));
        facts.add(pollThrows(new GroupAuthorizationException("oracle")));
        facts.add(pollThrows(new TopicAuthorizationException("oracle")));
        facts.add(pollThrows(new KafkaException("oracle")));
        facts.add(pollThrows(null));
        facts.print();
    }

    /** Every combination of what has expired, for a member with which all is well. */
    private static List<Case> times(boolean isStatic, boolean inFlight) {
        List<Case> cases = new ArrayList<>();
        for (boolean sessionExpired : BOTH)
            for (boolean pollExpired : BOTH)
                for (boolean due : BOTH)
                    cases.add(new Case(false, true, MemberState.STABLE, false, "known", "none", sessionExpired, pollExpired, due, isStatic, inFlight));
        return cases;
    }

    private static Json fact(Case c) {
        try (ThreadDriver driver = new ThreadDriver(c.isStatic, Fixture.REQUEST_TIMEOUT_MS)) {
            if (c.inFlight) {
                synchronized (driver.coordinator) {
                    driver.fixture.time.sleep(Fixture.HEARTBEAT_MS);
                    driver.wake();
                }
                driver.settle();
                must(driver.fixture.heartbeat().hasInflight() && driver.fixture.mock.requests().size() == 1, "a heartbeat is in flight");
            }
            int mark;
            synchronized (driver.coordinator) {
                place(c, driver);
                mark = oneIteration(driver);
                driver.wake();
            }
            driver.settle();
            Json fact = c.json();
            if (c.inFlight)
                fact.with("variant", "heartbeat_in_flight");
            return fact.with("did", look(driver, mark, c));
        }
    }

    /** Makes the conditions true. */
    private static void place(Case c, ThreadDriver driver) {
        Fixture fixture = driver.fixture;
        if (!c.lookup.equals("none")) {
            fixture.coordinator.lookupCoordinator();
            fixture.client.transmitSends();
            must(fixture.mock.requests().size() == 1 && fixture.mock.requests().peek().apiKey() == ApiKeys.FIND_COORDINATOR, "a lookup is in flight");
            if (c.lookup.equals("done")) {
                fixture.mock.respond(new FindCoordinatorResponse(new FindCoordinatorResponseData()
                    .setCoordinators(List.of(fixture.coordinatorEntry(Errors.COORDINATOR_NOT_AVAILABLE)))));
                fixture.client.pollNoWakeup();
            }
        }
        must(fixture.lookupFuture().equals(c.lookup), "the lookup is " + c.lookup);
        if (c.coordinator.equals("unknown"))
            fixture.set("coordinator", null);
        else if (c.coordinator.equals("connection_failed"))
            fixture.mock.backoff(fixture.coordinatorNode, 1_000_000L);
        fixture.coordinator.setNewState(c.state);
        fixture.timer("sessionTimer").updateAndReset(c.sessionExpired ? 0 : Fixture.SESSION_MS);
        fixture.timer("pollTimer").updateAndReset(c.pollExpired ? 0 : Fixture.MAX_POLL_MS);
        fixture.timer("heartbeatTimer").updateAndReset(c.due ? 0 : Fixture.HEARTBEAT_MS);
        if (!c.enabled)
            driver.thread.disable();
        if (c.failed)
            driver.thread.setFailureCause(new FencedInstanceIdException("oracle"));
        if (c.closed)
            driver.thread.close();
        long now = fixture.time.milliseconds();
        Heartbeat heartbeat = fixture.heartbeat();
        must(heartbeat.sessionTimeoutExpired(now) == c.sessionExpired && heartbeat.pollTimeoutExpired(now) == c.pollExpired
            && heartbeat.shouldHeartbeat(now) == c.due, "the timers have expired as they should");
        must(driver.thread.isClosed() == c.closed && driver.thread.isEnabled() == c.enabled && driver.thread.isFailed() == c.failed, "the flags are set");
        must(!fixture.disconnectRequested() && heartbeat.hasInflight() == c.inFlight, "nothing else is under way");
    }

    /** Lets the thread begin one iteration, and holds it where the next begins. */
    private static int oneIteration(ThreadDriver driver) {
        driver.fixture.time.iterations.set(0);
        driver.fixture.time.allowedIterations = 1;
        return driver.fixture.mock.mark();
    }

    /** What the iteration did. A thread that is held has the monitor, so nothing synchronized may be called then. */
    private static Json look(ThreadDriver driver, int mark, Case c) {
        if (driver.fixture.time.held) // volatile, and written after all else that the thread did
            return did(driver, mark, c);
        synchronized (driver.coordinator) {
            return did(driver, mark, c);
        }
    }

    private static Json did(ThreadDriver driver, int mark, Case c) {
        Fixture fixture = driver.fixture;
        List<String> sent = new ArrayList<>();
        for (ClientRequest request : fixture.mock.madeSince(mark))
            sent.add(request.apiKey().name);
        Generation generation = fixture.generation();
        Json did = new Json()
            .with("polled", fixture.time.iterations.get() >= 1)
            .with("disabled", c.enabled && !driver.thread.isEnabled())
            .with("sent", sent)
            .with("coordinator_lost", c.coordinatorKnown() && !fixture.coordinatorKnown())
            .with("disconnect_requested", fixture.disconnectRequested())
            .with("lookup_after", fixture.lookupFuture())
            .with("heartbeat_in_flight", fixture.heartbeat().hasInflight())
            .with("heartbeat_timer_ms", fixture.timer("heartbeatTimer").remainingMs())
            .with("state", fixture.coordinator.state.name())
            .with("member_id", generation.memberId).with("generation", generation.generationId)
            .with("rejoin_needed", fixture.rejoinNeeded());
        if (!fixture.coordinator.rejoinReason().isEmpty())
            did.with("rejoin_reason", fixture.coordinator.rejoinReason());
        Throwable failure = driver.thread.failureCause();
        return did.with("failure", failure == null ? null : Facts.describe(failure))
            .with("closed", driver.thread.isClosed())
            .with("ended", driver.ended());
    }

    /** The poll that begins the iteration throws what is fatal to all of the client; null: the thread is interrupted. */
    private static Json pollThrows(KafkaException fatal) {
        Case c = times(false, false).get(0);
        try (ThreadDriver driver = new ThreadDriver(false, Fixture.REQUEST_TIMEOUT_MS)) {
            int mark;
            synchronized (driver.coordinator) {
                mark = oneIteration(driver);
                if (fatal != null) {
                    driver.fixture.metadata.fatalError(fatal);
                    driver.wake();
                } else {
                    driver.thread.interrupt();
                }
            }
            driver.awaitEnd();
            return c.json().with("variant", fatal == null ? "interrupted" : "poll_throws_" + fatal.getClass().getSimpleName())
                .with("did", look(driver, mark, c));
        }
    }
}
