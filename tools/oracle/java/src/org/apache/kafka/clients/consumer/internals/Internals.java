package org.apache.kafka.clients.consumer.internals;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Private fields of Kafka's classes, by their names. */
final class Internals {
    private static final Map<String, Field> FIELDS = new ConcurrentHashMap<>();

    private Internals() {
    }

    static Object get(Class<?> c, Object target, String name) {
        try {
            return field(c, name).get(target);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    static void set(Class<?> c, Object target, String name, Object value) {
        try {
            field(c, name).set(target, value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the program where what it has set up is not what it says. */
    static void must(boolean holds, String what) {
        if (!holds)
            throw new IllegalStateException("the oracle's set-up is wrong: " + what);
    }

    private static Field field(Class<?> c, String name) {
        return FIELDS.computeIfAbsent(c.getName() + "#" + name, k -> {
            try {
                Field f = c.getDeclaredField(name);
                f.setAccessible(true);
                return f;
            } catch (NoSuchFieldException | InaccessibleObjectException e) {
                throw new IllegalStateException("this version of Kafka has no field " + c.getSimpleName() + "." + name, e);
            }
        });
    }
}
