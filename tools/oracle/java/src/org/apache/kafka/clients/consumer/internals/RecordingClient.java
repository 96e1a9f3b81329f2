package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.MockClient;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.utils.MockTime;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Kafka's MockClient, which also keeps each request that was made through it, in order. */
final class RecordingClient extends MockClient {
    private final List<ClientRequest> made = Collections.synchronizedList(new ArrayList<>());
    private final MockTime time;

    RecordingClient(MockTime time, ConsumerMetadata metadata) {
        super(time, metadata);
        this.time = time;
    }

    @Override
    public ClientRequest newClientRequest(String node, AbstractRequest.Builder<?> builder, long createdMs, boolean expectResponse,
                                          int timeoutMs, RequestCompletionHandler callback) {
        ClientRequest request = super.newClientRequest(node, builder, createdMs, expectResponse, timeoutMs, callback);
        made.add(request);
        return request;
    }

    /** How many requests there were so far; for madeSince. */
    int mark() {
        return made.size();
    }

    List<ClientRequest> madeSince(int mark) {
        return new ArrayList<>(made.subList(mark, made.size()));
    }

    ClientRequest lastMade() {
        return made.get(made.size() - 1);
    }

    /** Ends the oldest request as NetworkClient does when it cannot encode it for the broker. */
    void failVersion(UnsupportedVersionException why) {
        complete(false, why, null);
    }

    /** Ends the oldest request as NetworkClient does when its connection fails to authenticate. */
    void failAuthentication(AuthenticationException why) {
        complete(true, null, why);
    }

    private void complete(boolean disconnected, UnsupportedVersionException version, AuthenticationException authentication) {
        ClientRequest r = requests().poll();
        responses().add(new ClientResponse(r.makeHeader(r.requestBuilder().latestAllowedVersion()), r.callback(), r.destination(),
            r.createdTimeMs(), time.milliseconds(), disconnected, version, authentication, null));
    }
}
