package org.apache.kafka.clients.consumer.internals;

import java.util.LinkedHashMap;
import java.util.Map;

/** The ways between the states of a member of the consumer protocol: which are declared, and which random lives have taken. */
public final class ConsumerEdgeFacts {
    private static final long SEED = 1;
    private static final int LIVES = 1_500;
    private static final int STEPS = 150;

    private ConsumerEdgeFacts() {
    }

    public static void main(String[] args) throws Exception {
        Map<Edge, Integer> taken = new LinkedHashMap<>();
        for (MemberState to : MemberState.values())
            for (MemberState from : to.getPreviousValidStates())
                taken.put(new Edge(from, to), 0);
        Map<Edge, Integer> declared = Map.copyOf(taken);
        Json thrown = new Json();
        ConsumerWalk walk = new ConsumerWalk(SEED, (from, to) -> taken.merge(new Edge(from, to), 1, Integer::sum),
            what -> thrown.merge(what, 1, (n, one) -> (Integer) n + (Integer) one));
        for (int life = 0; life < LIVES; life++)
            walk.live(life, STEPS);
        Facts facts = new Facts();
        taken.forEach((edge, times) -> facts.add(new Json().with("from", edge.from.name()).with("to", edge.to.name())
            .with("declared", declared.containsKey(edge)).with("taken", times > 0)));
        facts.print(new Json().with("lives", LIVES).with("steps", STEPS).with("seed", SEED).with("thrown", thrown));
    }

    private record Edge(MemberState from, MemberState to) {
    }
}
