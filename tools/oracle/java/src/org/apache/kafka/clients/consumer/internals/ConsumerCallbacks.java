package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.events.BackgroundEvent;
import org.apache.kafka.clients.consumer.internals.events.CompletableBackgroundEvent;
import org.apache.kafka.clients.consumer.internals.events.ErrorEvent;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The application's end of the queue in which the member tells it things: which callbacks of the listener are to be called, and
 * which errors are raised. A callback goes on until it is ended here.
 */
final class ConsumerCallbacks {
    private final ConsumerFixture fixture;
    private final BlockingQueue<BackgroundEvent> queue = new LinkedBlockingQueue<>();
    private final List<CompletableBackgroundEvent<Void>> running = new ArrayList<>();

    ConsumerCallbacks(ConsumerFixture fixture) {
        this.fixture = fixture;
    }

    BlockingQueue<BackgroundEvent> queue() {
        return queue;
    }

    /** What the application was told since it was last asked. */
    record Told(List<String> callbacks, List<String> raised) {
    }

    /** Takes what is in the queue. Callbacks begin. */
    Told take() {
        Told told = new Told(new ArrayList<>(), new ArrayList<>());
        for (BackgroundEvent event; (event = queue.poll()) != null; ) {
            if (event instanceof ErrorEvent error) {
                told.raised.add(error.error().getClass().getSimpleName());
            } else if (event instanceof CompletableBackgroundEvent<?> callback) {
                begin(callback);
                told.callbacks.add(name(callback));
            }
        }
        return told;
    }

    @SuppressWarnings("unchecked")
    private void begin(CompletableBackgroundEvent<?> callback) {
        running.add((CompletableBackgroundEvent<Void>) callback);
    }

    /** The listener's method. That of assigned partitions has an event of its own, in versions that apply them in it. */
    private static String name(CompletableBackgroundEvent<?> callback) {
        return applies(callback) ? "onPartitionsAssigned" : ((ConsumerRebalanceListenerMethodName) Internals.call(callback, "methodName")).fullyQualifiedMethodName()
            .replaceFirst(".*\\.", "");
    }

    private static boolean applies(CompletableBackgroundEvent<?> callback) {
        return Internals.has(callback, "addedPartitions");
    }

    /** The callback that began first ends; until it does, it is the caller's. */
    CompletableBackgroundEvent<Void> takeOne() {
        take();
        return running.remove(0);
    }

    /** Those that go on now end no more by themselves. */
    List<CompletableBackgroundEvent<Void>> takeAll() {
        take();
        List<CompletableBackgroundEvent<Void>> taken = new ArrayList<>(running);
        running.clear();
        return taken;
    }

    /** All callbacks that go on end: well, or with an exception. */
    void end(boolean well) {
        for (CompletableBackgroundEvent<Void> callback : takeAll()) {
            apply(callback);
            end(callback, well);
        }
    }

    @SuppressWarnings("unchecked")
    void apply(CompletableBackgroundEvent<Void> callback) {
        if (applies(callback))
            Internals.call(fixture.member, "applyAssignment", (Set<TopicPartition>) Internals.call(callback, "assignedPartitions"),
                (SortedSet<TopicPartition>) Internals.call(callback, "addedPartitions"));
    }

    static void end(CompletableBackgroundEvent<Void> callback, boolean well) {
        if (well)
            callback.future().complete(null);
        else
            callback.future().completeExceptionally(new KafkaException("oracle"));
    }
}
