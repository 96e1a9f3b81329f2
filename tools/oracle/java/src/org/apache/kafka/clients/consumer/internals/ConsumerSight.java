package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** What is seen of a member before something happens to it, and after. */
final class ConsumerSight {
    private static final short HEARTBEAT_VERSION = 1;

    private final ConsumerFixture f;
    private final List<String> path = new ArrayList<>();
    private final MemberState from;
    private final Json before;
    private Future<?> leave;

    /** Begins to look. What has been told until now is told to nobody. */
    ConsumerSight(ConsumerFixture fixture) {
        f = fixture;
        f.callbacks.take();
        from = f.member.state();
        Optional<?> pending = (Optional<?>) f.memberField("leaveGroupInProgress");
        leave = (Future<?>) pending.orElse(null);
        before = fields();
        f.changes.listen((was, is) -> path.add(is.name()));
    }

    /** Whoever asked to leave waits for this. */
    void leave(Future<?> asked) {
        leave = asked;
    }

    Json before() {
        return before;
    }

    Json after() {
        must(path.isEmpty() ? f.member.state() == from : path.get(path.size() - 1).equals(f.member.state().name()),
            "the states that were gone through, " + path + ", do not end in " + f.member.state());
        ConsumerCallbacks.Told told = f.callbacks.take();
        Json after = new Json().with("path", path);
        after.putAll(fields());
        return after.with("raised", told.raised()).with("callbacks", told.callbacks());
    }

    private Json fields() {
        RequestState heartbeat = f.heartbeat();
        return new Json().with("state", f.member.state().name()).with("epoch", f.member.memberEpoch())
            .with("coordinator_known", f.coordinatorKnown())
            .with("in_flight", heartbeat.requestInFlight())
            .with("backing_off", heartbeat.remainingBackoffMs(f.time.milliseconds()) > 0)
            .with("attempts", heartbeat.numAttempts)
            .with("owned", f.subscriptions.assignedPartitions().size())
            .with("applied", partitions("currentAssignment"))
            .with("target", partitions("currentTargetAssignment"))
            .with("subscribed", f.subscriptions.subscription().size())
            .with("reconciling", f.memberField("reconciliationInProgress"))
            .with("leave", leave == null ? "none" : leave.isDone() ? "done" : "pending");
    }

    /** Null where the member has no such assignment. */
    private List<Integer> partitions(String assignment) {
        Integer[] partitions = ConsumerAnswers.partitions((AbstractMembershipManager.LocalAssignment) f.memberField(assignment));
        return partitions == null ? null : List.of(partitions);
    }

    /** What a heartbeat carries; null where there is none. */
    static Json sent(UnsentRequest heartbeat) {
        if (heartbeat == null)
            return null;
        ConsumerGroupHeartbeatRequestData data = ((ConsumerGroupHeartbeatRequest.Builder) heartbeat.requestBuilder()).build(HEARTBEAT_VERSION).data();
        List<Integer> owned = null;
        if (data.topicPartitions() != null) {
            owned = new ArrayList<>();
            for (ConsumerGroupHeartbeatRequestData.TopicPartitions topic : data.topicPartitions())
                owned.addAll(topic.partitions());
        }
        return new Json().with("epoch", data.memberEpoch()).with("instance_id", data.instanceId()).with("rebalance_timeout_ms", data.rebalanceTimeoutMs())
            .with("names", data.subscribedTopicNames()).with("owned", owned);
    }
}
