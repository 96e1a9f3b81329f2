package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.clients.consumer.internals.events.BackgroundEventHandler;
import org.apache.kafka.clients.consumer.internals.metrics.AsyncConsumerMetrics;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.utils.ExponentialBackoff;
import org.apache.kafka.common.utils.MockTime;
import org.apache.kafka.common.utils.Timer;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/**
 * One member of the consumer protocol (KIP-848), of the classes that Kafka's consumer has for it. Clock, network and the
 * application's thread are moved by hand. Backoffs have no jitter.
 */
final class ConsumerFixture {
    static final String GROUP = "oracle-group";
    static final String INSTANCE = "instance-1";
    static final String TOPIC = "t";
    static final int MAX_POLL_MS = 300_000;
    /** What each answer says. */
    static final int INTERVAL_MS = 5_000;
    static final int BACKOFF_MS = 100;
    static final int BACKOFF_MAX_MS = 1_000;

    private static final long START_MS = 1_000_000_000; // backoffs count from -1 where there was no answer yet
    private static final Map<List<Boolean>, ConsumerConfig> READ = new ConcurrentHashMap<>(); // to read one takes as long as some facts

    final MockTime time = new MockTime(0, START_MS, 0);
    final StateChanges changes = new StateChanges();
    final boolean isStatic;
    final SubscriptionState subscriptions = new SubscriptionState(changes, AutoOffsetResetStrategy.EARLIEST);
    final ConsumerMetadata metadata;
    final CoordinatorRequestManager coordinator;
    final ConsumerMembershipManager member;
    final ConsumerHeartbeatRequestManager heartbeats;
    final ConsumerCallbacks callbacks;
    private final ConsumerRebalanceListener listener = new ConsumerRebalanceListener() {
        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        }
    };

    /** A member that has not subscribed; it knows its coordinator, and the topic where it is told to. */
    ConsumerFixture(boolean isStatic, boolean autoCommit, boolean topicKnown) {
        this.isStatic = isStatic;
        ConsumerConfig config = config(isStatic, autoCommit);
        Optional<String> instance = Optional.ofNullable(isStatic ? INSTANCE : null);
        Metrics metrics = new Metrics(time);
        metadata = new ConsumerMetadata(config, subscriptions, changes, new ClusterResourceListeners());
        coordinator = new CoordinatorRequestManager(changes, BACKOFF_MS, BACKOFF_MAX_MS, GROUP);
        callbacks = new ConsumerCallbacks(this);
        BackgroundEventHandler events = new BackgroundEventHandler(callbacks.queue(), time, Internals.make(AsyncConsumerMetrics.class,
            new Object[] {metrics, "consumer-metrics"}, new Object[] {metrics}));
        ConsumerInterceptors<?, ?> interceptors = Internals.make(ConsumerInterceptors.class, new Object[] {List.of(), metrics}, new Object[] {List.of()});
        CommitRequestManager commits = new CommitRequestManager(time, changes, subscriptions, config, coordinator,
            new OffsetCommitCallbackInvoker(interceptors), GROUP, instance, metrics, metadata);
        Optional<String> rack = Optional.empty(), assignor = Optional.empty();
        member = Internals.make(ConsumerMembershipManager.class,
            new Object[] {GROUP, instance, rack, MAX_POLL_MS, assignor, subscriptions, commits, metadata, changes, events, time, metrics, autoCommit},
            new Object[] {GROUP, instance, MAX_POLL_MS, assignor, subscriptions, commits, metadata, changes, events, time, metrics, autoCommit});
        member.registerStateListener(commits);
        heartbeats = new ConsumerHeartbeatRequestManager(changes, time, config, coordinator, subscriptions, member, events, metrics);
        for (RequestState backsOff : List.of(heartbeat(), (RequestState) Internals.get(CoordinatorRequestManager.class, coordinator, "coordinatorRequestState")))
            Internals.set(ExponentialBackoff.class, Internals.get(RequestState.class, backsOff, "exponentialBackoff"), "jitter", 0.0);
        if (topicKnown)
            learnTopic();
        lookUp();
    }

    private static ConsumerConfig config(boolean isStatic, boolean autoCommit) {
        return READ.computeIfAbsent(List.of(isStatic, autoCommit), asked -> {
            Map<String, Object> properties = new HashMap<>();
            properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:9092");
            properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
            properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
            properties.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "consumer");
            properties.put(ConsumerConfig.GROUP_ID_CONFIG, GROUP);
            properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_MS);
            properties.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, BACKOFF_MS);
            properties.put(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, BACKOFF_MAX_MS);
            properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, autoCommit);
            if (isStatic)
                properties.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, INSTANCE);
            return new ConsumerConfig(properties);
        });
    }

    // ------------------------------------------------------------------ what happens

    /** Metadata arrives that has the topic. */
    void learnTopic() {
        subscriptions.subscribe(Set.of(TOPIC), Optional.of(listener));
        metadata.requestUpdate(true);
        metadata.updateWithCurrentRequestVersion(ConsumerAnswers.metadata(), false, time.milliseconds());
    }

    /** The coordinator is looked up, after the backoff, and found. */
    void lookUp() {
        List<UnsentRequest> sent = coordinator.poll(time.milliseconds()).unsentRequests;
        if (sent.isEmpty()) {
            time.sleep(BACKOFF_MAX_MS);
            sent = coordinator.poll(time.milliseconds()).unsentRequests;
        }
        ConsumerAnswers.found(this, sent.get(0));
        must(coordinatorKnown(), "the coordinator is found");
    }

    void subscribe() {
        subscriptions.subscribe(Set.of(TOPIC), Optional.of(listener));
        member.onSubscriptionUpdated();
    }

    /** The application polls: a reconciliation begins where one is due. */
    void poll() {
        member.maybeReconcile(true);
        pollOnly();
    }

    /** The application polls, and nothing is reconciled. */
    void pollOnly() {
        member.onConsumerPoll();
        heartbeats.resetPollTimer(time.milliseconds());
    }

    /** One turn of the heartbeat loop: what it sends, or null. */
    UnsentRequest turn() {
        List<UnsentRequest> sent = heartbeats.poll(time.milliseconds()).unsentRequests;
        must(sent.size() <= 1, "a turn sends one heartbeat at most");
        return sent.isEmpty() ? null : sent.get(0);
    }

    /** One turn when the interval is over. */
    UnsentRequest turnWhenDue() {
        time.sleep(INTERVAL_MS);
        return turn();
    }

    // ------------------------------------------------------------------ what is in the fields

    boolean coordinatorKnown() {
        return coordinator.coordinator().isPresent();
    }

    RequestState heartbeat() {
        return (RequestState) Internals.get(AbstractHeartbeatRequestManager.class, heartbeats, "heartbeatRequestState");
    }

    /** Ends the poll timer now, or lets it begin anew. */
    void pollTimer(boolean over) {
        reset((Timer) Internals.get(AbstractHeartbeatRequestManager.class, heartbeats, "pollTimer"), over ? 0 : MAX_POLL_MS);
    }

    /** Ends the heartbeat interval now, or lets it begin anew. */
    void interval(boolean over) {
        reset((Timer) Internals.get(heartbeat().getClass(), heartbeat(), "heartbeatTimer"), over ? 0 : INTERVAL_MS);
    }

    private void reset(Timer timer, long ms) {
        timer.update(time.milliseconds());
        timer.reset(ms);
    }

    Object memberField(String name) {
        return Internals.get(AbstractMembershipManager.class, member, name);
    }
}
