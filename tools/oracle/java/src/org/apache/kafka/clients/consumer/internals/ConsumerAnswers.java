package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.Assignment;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData.TopicPartitions;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseBroker;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponsePartition;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatResponse;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.RequestHeader;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;

/** What a broker answers a member of the consumer protocol, and how a request ends without an answer. */
final class ConsumerAnswers {
    private static final Uuid TOPIC_ID = new Uuid(1, 1);
    private static final int PARTITIONS = 4;
    private static final String HOST = "127.0.0.1";
    private static final int PORT = 9092;

    private ConsumerAnswers() {
    }

    /** A success; what is assigned has not changed. */
    static ConsumerGroupHeartbeatResponseData success(int epoch) {
        return new ConsumerGroupHeartbeatResponseData().setMemberEpoch(epoch).setHeartbeatIntervalMs(ConsumerFixture.INTERVAL_MS);
    }

    /** A success with an assignment. */
    static ConsumerGroupHeartbeatResponseData assigned(int epoch, Integer... partitions) {
        Assignment assignment = new Assignment();
        if (partitions.length > 0)
            assignment.topicPartitions().add(new TopicPartitions().setTopicId(TOPIC_ID).setPartitions(Arrays.asList(partitions)));
        return success(epoch).setAssignment(assignment);
    }

    /** The partitions of the topic in an assignment; null where it is none. */
    static Integer[] partitions(AbstractMembershipManager.LocalAssignment assignment) {
        return assignment.isNone() ? null : assignment.partitions.getOrDefault(TOPIC_ID, new TreeSet<>()).toArray(new Integer[0]);
    }

    static void answer(ConsumerFixture fixture, UnsentRequest request, ConsumerGroupHeartbeatResponseData response) {
        complete(fixture, request, ApiKeys.CONSUMER_GROUP_HEARTBEAT, new ConsumerGroupHeartbeatResponse(response));
    }

    static void fail(ConsumerFixture fixture, UnsentRequest request, Errors error) {
        answer(fixture, request, new ConsumerGroupHeartbeatResponseData().setErrorCode(error.code()).setErrorMessage("oracle"));
    }

    /** The lookup finds the coordinator. */
    static void found(ConsumerFixture fixture, UnsentRequest lookup) {
        complete(fixture, lookup, ApiKeys.FIND_COORDINATOR, lookedUp(Errors.NONE));
    }

    /** The heartbeat ends in that way; success says what it answers with. */
    static void end(ConsumerFixture fixture, UnsentRequest heartbeat, Outcome outcome, ConsumerGroupHeartbeatResponseData success) {
        end(fixture, heartbeat, ApiKeys.CONSUMER_GROUP_HEARTBEAT, outcome, error -> new ConsumerGroupHeartbeatResponse(error == Errors.NONE
            ? success : new ConsumerGroupHeartbeatResponseData().setErrorCode(error.code()).setErrorMessage("oracle")));
    }

    /** The lookup ends in that way. */
    static void endLookup(ConsumerFixture fixture, UnsentRequest lookup, Outcome outcome) {
        end(fixture, lookup, ApiKeys.FIND_COORDINATOR, outcome, ConsumerAnswers::lookedUp);
    }

    private static void end(ConsumerFixture fixture, UnsentRequest request, ApiKeys api, Outcome outcome, Function<Errors, AbstractResponse> response) {
        if (outcome.error() != null) {
            complete(fixture, request, api, response.apply(outcome.error()));
            return;
        }
        switch (outcome.unanswered()) {
            case DISCONNECT -> complete(fixture, request, api, true, false, null, null, null);
            case VERSION_MISMATCH -> complete(fixture, request, api, false, false, new UnsupportedVersionException("oracle"), null, null);
            case AUTHENTICATION_EXCEPTION -> complete(fixture, request, api, false, false, null, new SaslAuthenticationException("oracle"), null);
            case SEND_TIMEOUT -> request.handler().onFailure(fixture.time.milliseconds(), new TimeoutException("oracle"));
        }
    }

    /** The request was not answered in time, for which the network client closes the connection. */
    static void timeOut(ConsumerFixture fixture, UnsentRequest request) {
        complete(fixture, request, ApiKeys.CONSUMER_GROUP_HEARTBEAT, true, true, null, null, null);
    }

    private static void complete(ConsumerFixture fixture, UnsentRequest request, ApiKeys api, AbstractResponse response) {
        complete(fixture, request, api, false, false, null, null, response);
    }

    private static void complete(ConsumerFixture fixture, UnsentRequest request, ApiKeys api, boolean disconnected, boolean timedOut,
                                 UnsupportedVersionException version, SaslAuthenticationException authentication, AbstractResponse response) {
        long now = fixture.time.milliseconds();
        request.handler().onComplete(new ClientResponse(new RequestHeader(api, api.latestVersion(), "oracle", 1), request.handler(), "0",
            now, now, disconnected, timedOut, version, authentication, response));
    }

    private static FindCoordinatorResponse lookedUp(Errors error) {
        FindCoordinatorResponseData data = new FindCoordinatorResponseData();
        data.coordinators().add(new FindCoordinatorResponseData.Coordinator().setKey(ConsumerFixture.GROUP).setNodeId(0).setHost(HOST).setPort(PORT)
            .setErrorCode(error.code()));
        return new FindCoordinatorResponse(data);
    }

    /** One broker, and the topic with its partitions. */
    static MetadataResponse metadata() {
        MetadataResponseData data = new MetadataResponseData().setClusterId("oracle").setControllerId(0);
        data.brokers().add(new MetadataResponseBroker().setNodeId(0).setHost(HOST).setPort(PORT));
        MetadataResponseTopic topic = new MetadataResponseTopic().setName(ConsumerFixture.TOPIC).setTopicId(TOPIC_ID);
        for (int i = 0; i < PARTITIONS; i++)
            topic.partitions().add(new MetadataResponsePartition().setPartitionIndex(i).setLeaderId(0).setReplicaNodes(List.of(0)).setIsrNodes(List.of(0)));
        data.topics().add(topic);
        return new MetadataResponse(data, ApiKeys.METADATA.latestVersion());
    }
}
