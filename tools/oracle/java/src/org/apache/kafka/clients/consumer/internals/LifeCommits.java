package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.internals.ClusterResourceListeners;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.utils.LogContext;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Commits of a member. Who sends an OffsetCommit and handles its answer is Kafka's ConsumerCoordinator, which is final: a
 * second coordinator does it here. Whenever its code runs, it is first given what the member is, and the member is
 * afterwards what it has become.
 */
final class LifeCommits {
    static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final List<String> SHARED = List.of("state", "generation", "rejoinNeeded", "rejoinReason", "needsJoinPrepare", "coordinator");

    private final LifeMember member;
    private final ConsumerCoordinator committer;
    private int count;
    /** Those that have ended. */
    List<Json> ended = new ArrayList<>();

    LifeCommits(LifeMember member, GroupRebalanceConfig rebalance, ConsumerNetworkClient client, LifeWire wire, Metrics metrics, LifeClock clock) {
        this.member = member;
        LogContext log = new LogContext();
        SubscriptionState subscription = new SubscriptionState(log, AutoOffsetResetStrategy.EARLIEST);
        ConsumerMetadata metadata = new ConsumerMetadata(LifeConfig.BACKOFF_MS, LifeConfig.BACKOFF_MAX_MS, 60 * 60 * 1000L, false, false,
            subscription, log, new ClusterResourceListeners());
        subscription.subscribe(Set.of(PARTITION.topic()), Optional.empty());
        ConsumerNetworkClient relay = new ConsumerNetworkClient(log, wire, metadata, clock, LifeConfig.BACKOFF_MS, LifeConfig.REQUEST_TIMEOUT_MS, Integer.MAX_VALUE) {
            @Override
            public RequestFuture<org.apache.kafka.clients.ClientResponse> send(Node node, AbstractRequest.Builder<?> request) {
                return asTheMember(client.send(node, request));
            }

            @Override
            public boolean isUnavailable(Node node) {
                return client.isUnavailable(node);
            }

            @Override
            public void disconnectAsync(Node node) {
                client.disconnectAsync(node);
            }
        };
        committer = new ConsumerCoordinator(rebalance, log, relay, List.of(new RangeAssignor()), metadata, subscription, metrics, "commits",
            clock, false, 5000, new ConsumerInterceptors<>(List.of(), metrics), false, Optional.empty());
    }

    /** KafkaConsumer.commitAsync with a coordinator that is known. */
    void commit() {
        int number = ++count;
        borrow();
        RequestFuture<Void> outcome = committer.sendOffsetCommitRequest(Map.of(PARTITION, new OffsetAndMetadata(number)));
        giveBack();
        outcome.addListener(new RequestFutureListener<Void>() {
            @Override
            public void onSuccess(Void nothing) {
                ended.add(new Json().with("commit", number).with("error", null));
            }

            @Override
            public void onFailure(RuntimeException e) {
                Json end = new Json().with("commit", number).with("error", e.getClass().getSimpleName());
                Errors code = Errors.forException(e);
                if (code != Errors.UNKNOWN_SERVER_ERROR)
                    end.with("error_code", code.code());
                ended.add(end.with("retriable", outcome.isRetriable()));
            }
        });
    }

    int last() {
        return count;
    }

    /** What the committer hears of an answer, it hears as the member. */
    private <T> RequestFuture<T> asTheMember(RequestFuture<T> answer) {
        RequestFuture<T> heard = new RequestFuture<>();
        answer.addListener(new RequestFutureListener<T>() {
            @Override
            public void onSuccess(T value) {
                borrow();
                heard.complete(value);
                giveBack();
            }

            @Override
            public void onFailure(RuntimeException e) {
                borrow();
                heard.raise(e);
                giveBack();
            }
        });
        return heard;
    }

    private void borrow() {
        copy(member, committer);
    }

    private void giveBack() {
        copy(committer, member);
    }

    private static void copy(AbstractCoordinator from, AbstractCoordinator to) {
        for (String field : SHARED)
            Internals.set(AbstractCoordinator.class, to, field, Internals.get(AbstractCoordinator.class, from, field));
    }
}
