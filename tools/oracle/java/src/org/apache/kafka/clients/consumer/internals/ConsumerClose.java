package org.apache.kafka.clients.consumer.internals;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Future;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** What a member can be told at close about its membership; in Kafka 4.0 nothing, for which this names no type of it. */
final class ConsumerClose {
    private static final String REMAIN = "REMAIN_IN_GROUP";

    private ConsumerClose() {
    }

    static boolean hasOperations() {
        return leaves().getParameterCount() > 0;
    }

    static List<String> operations() {
        return hasOperations() ? Arrays.stream(leaves().getParameterTypes()[0].getEnumConstants()).map(Object::toString).toList() : List.of("DEFAULT");
    }

    static Future<?> leave(ConsumerMembershipManager member, String operation) {
        return (Future<?>) (hasOperations() ? Internals.call(member, leaves().getName(), constant(operation)) : Internals.call(member, leaves().getName()));
    }

    /** The member was told to remain in the group. */
    static void remain(ConsumerMembershipManager member) {
        Internals.set(AbstractMembershipManager.class, member, "leaveGroupOperation", constant(REMAIN));
    }

    private static Object constant(String operation) {
        Object[] found = Arrays.stream(leaves().getParameterTypes()[0].getEnumConstants()).filter(o -> o.toString().equals(operation)).toArray();
        must(found.length == 1, "there is one operation " + operation);
        return found[0];
    }

    private static Method leaves() {
        return Arrays.stream(AbstractMembershipManager.class.getMethods()).filter(m -> m.getName().equals("leaveGroupOnClose")).findFirst().orElseThrow();
    }
}
