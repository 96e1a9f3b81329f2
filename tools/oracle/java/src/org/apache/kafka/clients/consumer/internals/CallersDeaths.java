package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;

import java.util.ArrayList;
import java.util.List;

/** What the application's polls make of the end of the heartbeat thread. */
final class CallersDeaths {
    private static final long LONG_MS = 90_000;

    private CallersDeaths() {
    }

    static void facts(Callers all) {
        List<Throwable> causes = new ArrayList<>(List.of(new SaslAuthenticationException("oracle"), new GroupAuthorizationException("oracle"),
            new TopicAuthorizationException("oracle"), new KafkaException("oracle"), new IllegalStateException("oracle"), new StackOverflowError("oracle")));
        causes.add(new InterruptedException());
        causes.add(null);
        for (Throwable t : causes)
            for (boolean isStatic : Callers.BOTH)
                for (String then : List.of("polls", "rejoins", "leaves")) {
                    String name = t == null ? "interrupt" : t.getClass().getSimpleName();
                    Json of = new Json().with("api", "Heartbeat").with("code", name).with("as", then);
                    all.scene(new CallersScene.Setting("death", of, isStatic, false, false, true), s -> {
                        s.poll(LONG_MS).threadThrows(t);
                        switch (then) {
                            case "polls" -> s.poll(LONG_MS).poll(LONG_MS).poll(LONG_MS);
                            case "rejoins" -> s.rejoin().poll(LONG_MS).poll(LONG_MS).poll(LONG_MS);
                            default -> s.unsubscribe(org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation.DEFAULT, LONG_MS)
                                .poll(LONG_MS).poll(LONG_MS);
                        }
                    });
                }
    }
}
