package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.utils.ExponentialBackoff;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** The pauses of Kafka's ExponentialBackoff: exactly without jitter, and with it for known draws and between which bounds. */
public final class BackoffFacts {
    /** What the client gives its own backoffs beside the settings. */
    static final double CLIENT_JITTER = CommonClientConfigs.RETRY_BACKOFF_JITTER;
    static final int CLIENT_MULTIPLIER = CommonClientConfigs.RETRY_BACKOFF_EXP_BASE;

    private static final long[] INTERVALS = {0, 1, 2, 3, 7, 50, 100, 150, 1_000, 1_001, 60_000, 86_400_000, Integer.MAX_VALUE};
    private static final int[] MULTIPLIERS = {CLIENT_MULTIPLIER, 3};
    private static final double[] JITTERS = {0, CLIENT_JITTER, 0.5, 1};
    private static final long[] ATTEMPTS = {0, 1, 2, 3, 4, 5, 10, 29, 30, 31, 32, 62, 63, 64, 1_000, Long.MAX_VALUE};
    private static final int KNOWN_DRAWS = 2;
    private static final int DRAWS = 2_000;

    private long seed; // of the last known draw

    private BackoffFacts() {
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        BackoffFacts backoffs = new BackoffFacts();
        ThreadLocalRandom.current(); // seeds itself on its first call
        for (int multiplier : MULTIPLIERS)
            for (double jitter : JITTERS)
                for (long initial : INTERVALS)
                    for (long max : INTERVALS)
                        for (long attempts : ATTEMPTS)
                            if (jitter == 0 || multiplier == CLIENT_MULTIPLIER && 0 < initial && initial <= max)
                                facts.add(backoffs.fact(initial, multiplier, max, jitter, attempts));
        facts.print(new Json().with("multiplier", CLIENT_MULTIPLIER).with("jitter", CLIENT_JITTER));
    }

    private Json fact(long initial, int multiplier, long max, double jitter, long attempts) {
        ExponentialBackoff backoff = new ExponentialBackoff(initial, multiplier, max, jitter);
        Json fact = new Json().with("initial", initial).with("multiplier", multiplier).with("max", max).with("jitter", jitter).with("attempts", attempts);
        if (jitter == 0)
            return fact.with("pause", backoff.backoff(attempts));
        List<Long> draws = new ArrayList<>();
        List<Long> pauses = new ArrayList<>();
        for (int i = 0; i < KNOWN_DRAWS; i++) {
            seed(++seed);
            draws.add((long) (ThreadLocalRandom.current().nextDouble() * (1L << 53)));
            seed(seed);
            pauses.add(backoff.backoff(attempts));
        }
        long least = Long.MAX_VALUE;
        long most = 0;
        for (int i = 0; i < DRAWS; i++) {
            long pause = backoff.backoff(attempts);
            least = Math.min(least, pause);
            most = Math.max(most, pause);
        }
        return fact.with("draws", draws).with("pauses", pauses).with("least", least).with("most", most);
    }

    /** Makes the next draws of this thread the same on each run. */
    private static void seed(long seed) {
        Internals.set(Thread.class, Thread.currentThread(), "threadLocalRandomSeed", seed);
    }
}
