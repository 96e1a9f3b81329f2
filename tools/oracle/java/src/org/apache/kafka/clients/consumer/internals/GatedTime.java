package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.utils.MockTime;
import org.apache.kafka.common.utils.Timer;

import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Kafka's MockTime from a fixed moment, which can hold a heartbeat thread where an iteration of its loop begins, so that
 * exactly one iteration is seen. Each begins with the network client's pollNoWakeup, called straight from run, and that asks
 * the clock for a timer of 0 before it does anything else.
 */
final class GatedTime extends MockTime {
    volatile Thread watched;
    volatile int allowedIterations = Integer.MAX_VALUE;
    /** The watched thread is held. */
    volatile boolean held;
    final AtomicInteger iterations = new AtomicInteger();
    private final Semaphore gate = new Semaphore(0);

    GatedTime() {
        super(0, 1_000_000L, 1_000_000_000_000L);
    }

    @Override
    public Timer timer(long timeoutMs) {
        if (timeoutMs == 0 && Thread.currentThread() == watched && opensIteration() && iterations.incrementAndGet() > allowedIterations) {
            held = true;
            gate.acquireUninterruptibly();
            throw new Stop();
        }
        return super.timer(timeoutMs);
    }

    /** Ends the thread that is held. */
    void stopHeld() {
        gate.release();
    }

    private static boolean opensIteration() {
        return StackWalker.getInstance().walk(frames -> {
            List<StackWalker.StackFrame> stack = frames.limit(12).toList();
            for (int i = 0; i + 1 < stack.size(); i++)
                if (stack.get(i).getMethodName().equals("pollNoWakeup")) {
                    StackWalker.StackFrame caller = stack.get(i + 1);
                    return caller.getMethodName().equals("run") && caller.getClassName().endsWith("AbstractCoordinator$HeartbeatThread");
                }
            return false;
        });
    }

    private static final class Stop extends RuntimeException {
        Stop() {
            super("the oracle has seen enough", null, false, false);
        }
    }
}
