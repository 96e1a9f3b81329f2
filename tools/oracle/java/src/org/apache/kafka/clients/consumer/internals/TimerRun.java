package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.utils.ExponentialBackoff;
import org.apache.kafka.common.utils.MockTime;
import org.apache.kafka.common.utils.Timer;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** Kafka's Heartbeat on a mock of the clock, told one thing after the other; each is a fact. */
final class TimerRun {
    private final Facts facts;
    private final int sequence;
    private final MockTime time = new MockTime(0, 1_000_000L, 1_000_000_000_000L);
    private final Heartbeat heartbeat;
    private int step;

    /** The member has just joined, which is when the heartbeat thread is enabled; before that nobody looks at the timers. */
    TimerRun(Facts facts, int sequence, String kind, Settings settings) {
        this.facts = facts;
        this.sequence = sequence;
        heartbeat = new Heartbeat(settings.config(), time);
        ExponentialBackoff own = (ExponentialBackoff) Internals.get(Heartbeat.class, heartbeat, "retryBackoff");
        must(Internals.get(ExponentialBackoff.class, own, "jitter").equals(BackoffFacts.CLIENT_JITTER)
            && Internals.get(ExponentialBackoff.class, own, "multiplier").equals(BackoffFacts.CLIENT_MULTIPLIER), "the backoff is the client's");
        Internals.set(Heartbeat.class, heartbeat, "retryBackoff",
            new ExponentialBackoff(settings.backoffMs(), BackoffFacts.CLIENT_MULTIPLIER, settings.backoffMaxMs(), 0.0));
        heartbeat.resetTimeouts();
        fact(new Json().with("do", "joined").with("kind", kind).with("session", settings.sessionMs()).with("max_poll", settings.maxPollMs())
            .with("interval", settings.heartbeatMs()).with("backoff", settings.backoffMs()).with("backoff_max", settings.backoffMaxMs()));
    }

    boolean sessionExpired() {
        return heartbeat.sessionTimeoutExpired(time.milliseconds());
    }

    boolean pollExpired() {
        return heartbeat.pollTimeoutExpired(time.milliseconds());
    }

    boolean due() {
        return heartbeat.shouldHeartbeat(time.milliseconds());
    }

    /** What a timer has to go. */
    long left(String timer) {
        return ((Timer) Internals.get(Heartbeat.class, heartbeat, timer)).remainingMs();
    }

    void pass(long ms) {
        time.sleep(ms);
        fact(new Json().with("do", "pass").with("ms", ms));
    }

    void joined() {
        heartbeat.resetTimeouts();
        fact(new Json().with("do", "joined"));
    }

    void polled() {
        heartbeat.poll(time.milliseconds());
        fact(new Json().with("do", "polled"));
    }

    /** The application's poll began earlier, and gets to say so only now. */
    void polledLate(long ms) {
        heartbeat.poll(time.milliseconds() - ms);
        fact(new Json().with("do", "polled").with("late_ms", ms));
    }

    void sent() {
        heartbeat.sentHeartbeat(time.milliseconds());
        fact(new Json().with("do", "sent"));
    }

    void received() {
        heartbeat.receiveHeartbeat();
        fact(new Json().with("do", "received"));
    }

    void failed() {
        heartbeat.failHeartbeat();
        fact(new Json().with("do", "failed"));
    }

    /** A lookup has found the coordinator. */
    void found() {
        heartbeat.resetSessionTimeout();
        fact(new Json().with("do", "found"));
    }

    private void fact(Json told) {
        long now = time.milliseconds();
        Json fact = new Json().with("sequence", sequence).with("step", step++);
        fact.putAll(told);
        facts.add(fact.with("due", due()).with("session_expired", sessionExpired()).with("poll_expired", pollExpired())
            .with("next_ms", heartbeat.timeToNextHeartbeat(now)).with("session_ms", left("sessionTimer")).with("poll_ms", left("pollTimer"))
            .with("attempts", Internals.get(Heartbeat.class, heartbeat, "heartbeatAttempts")).with("in_flight", heartbeat.hasInflight()));
    }
}
