package org.apache.kafka.clients.consumer.internals;

import java.util.Locale;

/**
 * Lives of a group member: SEED COUNT [FIRST]. The facts are a line for each life, and one for each of its steps. A life does
 * not depend on those before it.
 */
public final class LifeFacts {
    private static final int STEPS = 60;

    private LifeFacts() {
    }

    public static void main(String[] args) throws Exception {
        long seed = Long.parseLong(args[0]);
        int count = Integer.parseInt(args[1]);
        int first = args.length > 2 ? Integer.parseInt(args[2]) : 1;
        Facts facts = new Facts();
        for (int number = first; number < first + count; number++)
            live(facts, seed, number);
        facts.print(new Json().with("seed", seed));
    }

    private static void live(Facts facts, long seed, int number) {
        LifeFate fate = new LifeFate(seed, number);
        try (Life life = new Life(fate.config())) {
            fate.live(life, STEPS);
            facts.add(new Json().with("life", number).with("step", 0)
                .with("family", fate.config().family.name().toLowerCase(Locale.ROOT)).with("config", fate.config().json()));
            int step = 0;
            for (Json seen : life.steps) {
                Json fact = new Json().with("life", number).with("step", ++step);
                fact.putAll(seen);
                facts.add(fact);
            }
        } catch (RuntimeException e) {
            throw new IllegalStateException("seed " + seed + ", life " + number + ": " + e, e);
        }
    }
}
