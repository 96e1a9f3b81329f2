package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.utils.LogContext;
import org.slf4j.Logger;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The changes of a member's state, in order. Kafka's class keeps to itself which it goes through, in most versions; but it logs
 * each with the two states as they are, whatever the words.
 */
final class StateChanges extends LogContext {
    private final List<BiConsumer<MemberState, MemberState>> listeners = new ArrayList<>();

    /** Has the listener told of each from now on: where from, and where to. */
    void listen(BiConsumer<MemberState, MemberState> listener) {
        listeners.add(listener);
    }

    @Override
    public Logger logger(Class<?> of) {
        Logger quiet = super.logger(of);
        return (Logger) Proxy.newProxyInstance(Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, args) -> {
            if (method.getName().equals("info") && args.length == 2 && args[1] instanceof Object[] values)
                logged(values);
            return method.invoke(quiet, args);
        });
    }

    private void logged(Object[] values) {
        List<MemberState> states = new ArrayList<>();
        for (Object value : values)
            if (value instanceof MemberState state)
                states.add(state);
        if (states.size() == 2)
            listeners.forEach(l -> l.accept(states.get(0), states.get(1)));
    }
}
