package org.apache.kafka.clients.consumer.internals;

import java.util.List;
import java.util.Random;

/**
 * What Kafka's Heartbeat says of its timers after each step of sequences: all short ones, long ones by chance, and long ones in
 * which a heartbeat is sent whenever one is due, as the heartbeat thread does. Its backoff is without jitter.
 */
public final class TimerFacts {
    private static final long SEED = 1;
    private static final int SHORT = 3;
    private static final int LONG = 60;
    private static final int MANY = 200;
    /** Kafka's defaults; a backoff above the interval, and a poll below the session; all as short as can be; a backoff that stays. */
    private static final List<Settings> SETTINGS = List.of(
        new Settings("oracle-group", null, 45_000, 300_000, 3_000, 100, 1_000),
        new Settings("oracle-group", null, 6_000, 4_000, 2_500, 3_000, 7_000),
        new Settings("oracle-group", null, 3, 2, 1, 1, 1),
        new Settings("oracle-group", null, 10_000, 60_000, 9_999, 150, 150));

    private final Facts facts = new Facts();
    private int sequences;

    private TimerFacts() {
    }

    public static void main(String[] args) throws Exception {
        TimerFacts timers = new TimerFacts();
        for (Settings settings : SETTINGS)
            timers.enumerate(settings);
        Random random = new Random(SEED);
        for (int i = 0; i < MANY; i++)
            timers.byChance(random, settings(random));
        for (int i = 0; i < MANY; i++)
            timers.asTheThread(random, settings(random));
        timers.facts.print(new Json().with("jitter", BackoffFacts.CLIENT_JITTER));
    }

    private static long[] passes(Settings s) {
        return new long[] {1, s.backoffMs(), s.heartbeatMs() - 1, s.heartbeatMs(), s.sessionMs(), s.maxPollMs()};
    }

    private void enumerate(Settings settings) {
        int choices = 6 + passes(settings).length;
        for (int number = 0; number < Math.pow(choices, SHORT); number++) {
            TimerRun run = new TimerRun(facts, sequences++, "enumerated", settings);
            for (int step = 0, rest = number; step < SHORT; step++, rest /= choices)
                choose(run, rest % choices, settings);
        }
    }

    private static void choose(TimerRun run, int choice, Settings settings) {
        switch (choice) {
            case 0 -> run.polled();
            case 1 -> run.sent();
            case 2 -> run.received();
            case 3 -> run.failed();
            case 4 -> run.joined();
            case 5 -> run.found();
            default -> run.pass(passes(settings)[choice - 6]);
        }
    }

    private static Settings settings(Random random) {
        if (random.nextInt(4) > 0)
            return SETTINGS.get(random.nextInt(SETTINGS.size()));
        int heartbeat = 1 + random.nextInt(5_000);
        int backoff = 1 + random.nextInt(500);
        return new Settings("oracle-group", null, heartbeat + 1 + random.nextInt(20_000), 1 + random.nextInt(30_000), heartbeat, backoff, backoff + random.nextInt(5_000));
    }

    /** Up to the end of one of the timers, or just before or after, or some time. */
    private static long pass(Random random, TimerRun run, Settings settings) {
        long left = run.left(List.of("heartbeatTimer", "sessionTimer", "pollTimer").get(random.nextInt(3)));
        return switch (random.nextInt(6)) {
            case 0 -> left;
            case 1 -> Math.max(left - 1, 0);
            case 2 -> left + 1;
            case 3 -> settings.backoffMs();
            default -> random.nextInt(settings.heartbeatMs() + 1);
        };
    }

    private void byChance(Random random, Settings settings) {
        TimerRun run = new TimerRun(facts, sequences++, "random", settings);
        for (int step = 0; step < LONG; step++) {
            int choice = random.nextInt(24);
            if (choice < 5)
                choose(run, choice < 4 ? choice : 4 + random.nextInt(2), settings);
            else if (choice < 12)
                choose(run, 1 + random.nextInt(3), settings);
            else if (choice == 12)
                run.polledLate(random.nextInt(1_000));
            else
                run.pass(pass(random, run, settings));
        }
    }

    /** Ends when the session or the poll has: then the thread does something else than to go on. */
    private void asTheThread(Random random, Settings settings) {
        TimerRun run = new TimerRun(facts, sequences++, "thread", settings);
        int underWay = 0;
        for (int step = 0; step < LONG; step++) {
            switch (random.nextInt(8)) {
                case 0 -> run.polled();
                case 1 -> run.pass(pass(random, run, settings));
                case 2, 3 -> run.pass(Math.min(run.left("heartbeatTimer"), 1 + random.nextInt(settings.heartbeatMs())));
                default -> {
                    if (underWay == 0) {
                        run.pass(run.left("heartbeatTimer"));
                    } else {
                        underWay--;
                        if (random.nextBoolean())
                            run.received();
                        else
                            run.failed();
                    }
                }
            }
            if (run.sessionExpired() || run.pollExpired())
                return;
            if (run.due()) {
                run.sent();
                underWay++;
            }
        }
    }
}
