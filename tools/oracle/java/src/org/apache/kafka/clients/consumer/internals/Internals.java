package org.apache.kafka.clients.consumer.internals;

import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What cannot be named when Kafka's classes are compiled against: private fields, and what only some versions have. */
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

    /** Made with the first of these lists of arguments that a constructor takes: it is another in some versions of Kafka. */
    static <T> T make(Class<T> c, Object[]... choices) {
        for (Object[] arguments : choices)
            for (Constructor<?> made : c.getDeclaredConstructors())
                if (takes(made.getParameterTypes(), arguments))
                    try {
                        return c.cast(made.newInstance(arguments));
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
        throw new IllegalStateException("this version of Kafka has no such constructor of " + c.getSimpleName());
    }

    private static boolean takes(Class<?>[] parameters, Object[] arguments) {
        if (parameters.length != arguments.length)
            return false;
        for (int i = 0; i < parameters.length; i++)
            if (!MethodType.methodType(parameters[i]).wrap().returnType().isInstance(arguments[i]))
                return false;
        return true;
    }

    /** Whether the target's class has a method of that name. */
    static boolean has(Object target, String method) {
        return Arrays.stream(target.getClass().getMethods()).anyMatch(m -> m.getName().equals(method));
    }

    /** Calls a public method that not each version of Kafka has, and whose name is no other's. */
    static Object call(Object target, String method, Object... arguments) {
        Method m = Arrays.stream(target.getClass().getMethods()).filter(x -> x.getName().equals(method)).findFirst()
            .orElseThrow(() -> new IllegalStateException("this version of Kafka has no method " + target.getClass().getSimpleName() + "." + method));
        try {
            return m.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof RuntimeException thrown)
                throw thrown;
            throw new IllegalStateException(e.getCause());
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
