package org.apache.kafka.clients.consumer.internals;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * The two threads of a client: the application's (this one) and the heartbeat thread (Kafka's own). They never run at the
 * same time here: the application's holds the coordinator's monitor while it acts; then it lets go, and waits until the
 * heartbeat thread waits again. That one moves when Kafka notifies it, and when it is woken at the end of its timed wait
 * (one backoff of the mock clock); never because real time passes.
 */
final class LifeThreads {
    private static final long STUCK_MS = 30_000;
    private static final int RESTLESS = 100;

    private final LifeMember member;
    private final LifeWire wire;
    private final ConsumerNetworkClient client;
    private boolean wasEnabled;
    private Thread resting;
    private Thread.State rest;
    RuntimeException failure;

    LifeThreads(LifeMember member, LifeWire wire, ConsumerNetworkClient client) {
        this.member = member;
        this.wire = wire;
        this.client = client;
    }

    /** The application acts; what it is thrown is in failure. */
    void act(String phase, Runnable action) {
        synchronized (member) {
            member.phase = phase;
            try {
                action.run();
            } catch (RuntimeException e) {
                failure = e;
            } finally {
                member.phase = "network";
                noteEnabled();
            }
        }
    }

    /** The heartbeat thread is in its timed wait. */
    boolean napping() {
        BaseHeartbeatThread t = member.heartbeatThread();
        return t != null && t.getState() == Thread.State.TIMED_WAITING;
    }

    long napEnds() {
        return member.lastPassMs() + LifeConfig.BACKOFF_MS;
    }

    void wake() {
        synchronized (member) {
            noteEnabled();
            member.notify();
        }
        settle();
    }

    /** Lets the heartbeat thread and the network run until neither has anything to do. */
    void settle() {
        for (int i = 0; ; i++) {
            letHeartbeatThreadRun();
            synchronized (member) {
                if (!busy())
                    return;
                drain();
                noteEnabled();
            }
            if (i > RESTLESS)
                throw new IllegalStateException("life does not settle");
        }
    }

    /** The network moves until it is quiet: what KafkaConsumer.poll does after the coordinator's poll. */
    void drain() {
        for (int i = 0; busy(); i++) {
            client.pollNoWakeup();
            if (i > RESTLESS)
                throw new IllegalStateException("network does not become quiet");
        }
    }

    private boolean busy() {
        return !wire.responses().isEmpty() || filled("pendingCompletion") || filled("pendingDisconnects") || unsent();
    }

    private boolean filled(String queue) {
        return !((Collection<?>) Internals.get(ConsumerNetworkClient.class, client, queue)).isEmpty();
    }

    private boolean unsent() {
        return client.pendingRequestCount() > wire.inFlightRequestCount();
    }

    private void letHeartbeatThreadRun() {
        BaseHeartbeatThread t = member.heartbeatThread();
        if (t == null)
            return;
        awaitParked(t);
        synchronized (member) {
            if (!parked(t))
                throw new IllegalStateException("heartbeat thread moved by itself: " + t.getState());
            member.closePass();
            if (wasEnabled && !t.isEnabled())
                member.loop.add(t.isFailed() ? "failed:disable" : "not_joined:disable");
            if (!t.isAlive())
                member.loop.add("died");
            Thread.State now = t.getState();
            if (now == Thread.State.WAITING && (t != resting || now != rest))
                member.loop.add("disabled:wait");
            resting = t;
            rest = now;
            noteEnabled();
        }
    }

    /** To be called before the monitor is given up: what the heartbeat thread finds. */
    private void noteEnabled() {
        BaseHeartbeatThread t = member.heartbeatThread();
        wasEnabled = t != null && t.isEnabled();
    }

    private static void awaitParked(Thread t) {
        long deadline = 0;
        for (int i = 0; !parked(t); i++) {
            if (i < 5000)
                Thread.onSpinWait();
            else if (i < 5050)
                Thread.yield();
            else
                LockSupport.parkNanos(20_000);
            if (i % 10_000 != 9_999)
                continue;
            if (deadline == 0)
                deadline = System.currentTimeMillis() + STUCK_MS;
            else if (System.currentTimeMillis() > deadline)
                throw new IllegalStateException("heartbeat thread does not come to rest: " + t.getState() + " " + List.of(t.getStackTrace()));
        }
    }

    private static boolean parked(Thread t) {
        Thread.State s = t.getState();
        return s == Thread.State.WAITING || s == Thread.State.TIMED_WAITING || s == Thread.State.TERMINATED;
    }

    /** A thread whose failure was thrown: Kafka leaves it waiting, where it takes the notifications meant for its successor. */
    static void end(BaseHeartbeatThread t) {
        t.close();
        try {
            t.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
