package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.ClientResponse;
import org.apache.kafka.clients.Metadata;
import org.apache.kafka.clients.MockClient;
import org.apache.kafka.clients.RequestCompletionHandler;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Kafka's MockClient as a network in which time passes. Each request ends as the scene says, a while after it was sent;
 * whoever polls with time to wait moves the clock to what comes next.
 *
 * The time-outs of MockClient are taken out, because it drops a request too many when one is over. Here they do what those
 * of NetworkClient do: they cut the connection.
 */
final class CallersWire extends MockClient {
    /** The pause between two looks at a request that cannot be sent. */
    private static final long LOOK_MS = 100;

    private record Due(ClientRequest request, long at, String with) {
    }

    private final CallersClock clock;
    private final Metadata metadata;
    private final CallersAnswers answers;
    private final Map<ApiKeys, Deque<String>> script = new EnumMap<>(ApiKeys.class);
    private final Map<ClientRequest, Integer> timeouts = new IdentityHashMap<>();
    private final Map<ClientRequest, String> ends = new IdentityHashMap<>();
    private final List<Due> due = new ArrayList<>();
    private final List<ClientRequest> stuck = new ArrayList<>();
    /** Is told of what happens, in the words of the facts. */
    private final Consumer<Json> log;
    /** What the heartbeat thread's next poll throws; with an InterruptedException it is interrupted there. */
    volatile Throwable threadThrows;

    CallersWire(CallersClock clock, Metadata metadata, CallersAnswers answers, Consumer<Json> log) {
        super(clock, metadata);
        this.clock = clock;
        this.metadata = metadata;
        this.answers = answers;
        this.log = log;
    }

    /** How many requests of an API there have been. */
    int count(ApiKeys api) {
        return (int) ends.keySet().stream().filter(r -> r.apiKey() == api).count();
    }

    /** How the next requests of an API end; those after them succeed. */
    void script(ApiKeys api, List<String> with) {
        script.computeIfAbsent(api, k -> new ArrayDeque<>()).addAll(with);
    }

    static long latency(ApiKeys api) {
        return api == ApiKeys.FIND_COORDINATOR ? 0 : 10;
    }

    @Override
    public ClientRequest newClientRequest(String nodeId, AbstractRequest.Builder<?> builder, long createdTimeMs, boolean expectResponse,
                                          int requestTimeoutMs, RequestCompletionHandler callback) {
        Deque<String> next = script.get(builder.apiKey());
        String with = next == null || next.isEmpty() ? "NONE" : next.poll();
        int limit = with.equals("SEND_TIMEOUT") ? requestTimeoutMs : Integer.MAX_VALUE;
        ClientRequest r = super.newClientRequest(nodeId, builder, createdTimeMs, expectResponse, limit, callback);
        timeouts.put(r, requestTimeoutMs);
        ends.put(r, with);
        log.accept(CallersAnswers.sent(r).with("timeout", requestTimeoutMs));
        if (with.equals("SEND_TIMEOUT"))
            stuck.add(r);
        return r;
    }

    @Override
    public void send(ClientRequest request, long now) {
        super.send(request, now);
        String with = ends.get(request);
        boolean silent = with.equals("SILENCE");
        long after = silent ? timeouts.get(request) : latency(request.apiKey());
        due.add(new Due(request, clock.milliseconds() + after, silent ? "DISCONNECT" : with));
    }

    @Override
    public boolean ready(Node node, long now) {
        return !blocked(node) && super.ready(node, now);
    }

    @Override
    public boolean isReady(Node node, long now) {
        return !blocked(node) && super.isReady(node, now);
    }

    @Override
    public long pollDelayMs(Node node, long now) {
        return blocked(node) ? LOOK_MS : super.pollDelayMs(node, now);
    }

    private boolean blocked(Node node) {
        for (Iterator<ClientRequest> i = stuck.iterator(); i.hasNext(); ) {
            ClientRequest r = i.next();
            if (((RequestFuture<?>) Internals.get(r.callback().getClass(), r.callback(), "future")).isDone())
                i.remove();
        }
        return stuck.stream().anyMatch(r -> r.destination().equals(node.idString()));
    }

    @Override
    public List<ClientResponse> poll(long timeoutMs, long now) {
        Throwable thrown = threadThrows;
        if (thrown != null && Thread.currentThread() instanceof BaseHeartbeatThread) {
            threadThrows = null;
            if (thrown instanceof InterruptedException)
                Thread.currentThread().interrupt();
            else
                CallersWire.<RuntimeException>raise(thrown);
        }
        answer();
        int version = metadata.updateVersion();
        List<ClientResponse> got = super.poll(0, clock.milliseconds());
        if (!got.isEmpty() || timeoutMs <= 0 || metadata.updateVersion() != version)
            return got;
        long until = due.stream().mapToLong(Due::at).reduce(clock.milliseconds() + timeoutMs, Math::min);
        clock.sleep(until - clock.milliseconds());
        answer();
        return super.poll(0, clock.milliseconds());
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable t) throws T {
        throw (T) t;
    }

    /** Ends the requests whose time has come. */
    private void answer() {
        for (Due d = first(); d != null && d.at <= clock.milliseconds(); d = first()) {
            due.remove(d);
            if (!requests().contains(d.request))
                continue; // it went with its connection
            switch (d.with) {
                case "DISCONNECT" -> disconnect(d.request.destination());
                case "VERSION_MISMATCH" -> end(d, new UnsupportedVersionException("oracle"), null);
                case "AUTHENTICATION_EXCEPTION" -> end(d, null, new SaslAuthenticationException("oracle"));
                default -> {
                    answered(d.request, d.with);
                    respondToRequest(d.request, answers.to(d.request, d.with));
                }
            }
        }
    }

    private Due first() {
        return due.stream().reduce((a, b) -> b.at < a.at ? b : a).orElse(null);
    }

    private void answered(ClientRequest r, String with) {
        log.accept(new Json().with("answered", CallersAnswers.name(r.apiKey())).with("with", with));
    }

    /** As NetworkClient ends a request that it could not encode, or whose connection was refused. */
    private void end(Due d, UnsupportedVersionException version, AuthenticationException refused) {
        ClientRequest r = d.request;
        answered(r, d.with);
        requests().remove(r);
        responses().add(new ClientResponse(r.makeHeader(r.requestBuilder().latestAllowedVersion()), r.callback(), r.destination(),
            r.createdTimeMs(), clock.milliseconds(), refused != null, version, refused, null));
    }

    /** Also called by the client itself, for a coordinator that it has lost. */
    @Override
    public void disconnect(String node) {
        for (ClientRequest r : requests())
            if (r.destination().equals(node))
                answered(r, "DISCONNECT");
        super.disconnect(node, false);
    }
}
