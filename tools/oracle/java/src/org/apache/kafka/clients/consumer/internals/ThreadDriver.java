package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.utils.ExponentialBackoff;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** A member that has joined, with Kafka's own heartbeat thread, which moves only when the driver wakes it. */
final class ThreadDriver implements AutoCloseable {
    /** How long the thread waits in real time between iterations by itself: longer than any run of the oracle. */
    private static final long WAIT_MS = 3_600_000;
    private static final long PATIENCE_NS = 20_000_000_000L;

    final Fixture fixture;
    final ConsumerCoordinator coordinator;
    final BaseHeartbeatThread thread;

    ThreadDriver(boolean isStatic, int requestTimeoutMs) {
        fixture = new Fixture(isStatic, true, WAIT_MS, WAIT_MS, requestTimeoutMs);
        coordinator = fixture.coordinator;
        // Heartbeat's backoff is made of the same setting as that wait. It gets the usual one back, without the jitter.
        Internals.set(Heartbeat.class, fixture.heartbeat(), "retryBackoff",
            new ExponentialBackoff(Fixture.BACKOFF_MS, 2, Fixture.BACKOFF_MAX_MS, 0.0));
        synchronized (coordinator) {
            fixture.join(); // starts the thread, which blocks on the monitor
            thread = coordinator.heartbeatThread();
            must(thread.getClass().getName().endsWith("AbstractCoordinator$HeartbeatThread"), "the thread is Kafka's");
            must(thread.isEnabled() && !thread.isFailed() && !thread.isClosed(), "the join enables the thread");
            fixture.time.watched = thread;
        }
        settle();
        must(ended().equals("waits_backoff"), "a thread with nothing to do waits");
    }

    /** Wakes the thread, which runs once the caller lets go of the monitor. */
    void wake() {
        must(Thread.holdsLock(coordinator), "who wakes the thread holds the monitor");
        coordinator.notifyAll();
        Thread.State s = thread.getState();
        must(s == Thread.State.BLOCKED || s == Thread.State.TERMINATED, "a thread that was woken blocks on the monitor; it is " + s);
    }

    /** Returns when the thread has ended, is held where an iteration begins, or waits to be woken. */
    void settle() {
        must(!Thread.holdsLock(coordinator), "the thread can have the monitor");
        long end = System.nanoTime() + PATIENCE_NS;
        while (true) {
            Thread.State s = thread.getState();
            boolean held = fixture.time.held;
            if (s == Thread.State.TERMINATED)
                return;
            if ((s == Thread.State.WAITING || s == Thread.State.TIMED_WAITING) && (held || waitsInRun()))
                return;
            must(System.nanoTime() < end, "the thread does not settle; it is " + s);
            Thread.yield();
        }
    }

    private boolean waitsInRun() {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().equals("java.lang.Object") && frame.getMethodName().startsWith("wait"))
                continue;
            return frame.getMethodName().equals("run") && frame.getClassName().endsWith("AbstractCoordinator$HeartbeatThread");
        }
        return false;
    }

    /** How the iteration ended; to be asked after settle. */
    String ended() {
        if (thread.getState() == Thread.State.TERMINATED)
            return "exited";
        if (fixture.time.held)
            return "next_iteration";
        return switch (thread.getState()) {
            case WAITING -> "waits";
            case TIMED_WAITING -> "waits_backoff";
            default -> throw new IllegalStateException("the thread has not settled; it is " + thread.getState());
        };
    }

    /** Waits until the thread is no more. */
    void awaitEnd() {
        try {
            thread.join(PATIENCE_NS / 1_000_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        must(!thread.isAlive(), "the thread ends");
    }

    @Override
    public void close() {
        if (fixture.time.held) {
            fixture.time.stopHeld();
        } else if (thread.isAlive()) {
            synchronized (coordinator) {
                thread.close();
                coordinator.notifyAll();
            }
        }
        awaitEnd();
        fixture.close();
    }
}
