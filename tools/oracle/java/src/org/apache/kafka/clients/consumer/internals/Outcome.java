package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractResponse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** How a request ends: with an error code of the broker, or, where error is null, without a response. */
record Outcome(Errors error, Unanswered unanswered) {
    enum Unanswered {
        DISCONNECT,
        /** The client cannot encode the request for that broker. */
        VERSION_MISMATCH,
        AUTHENTICATION_EXCEPTION,
        /** It never left. */
        SEND_TIMEOUT
    }

    /** All error codes, by number, and then the ends without a response. */
    static List<Outcome> all() {
        List<Outcome> all = new ArrayList<>();
        Errors[] errors = Errors.values();
        Arrays.sort(errors, Comparator.comparingInt(Errors::code));
        for (Errors e : errors)
            all.add(new Outcome(e, null));
        for (Unanswered u : Unanswered.values())
            all.add(new Outcome(null, u));
        return all;
    }

    String label() {
        return error != null ? error.name() : unanswered.name();
    }

    Integer number() {
        return error != null ? (int) error.code() : null;
    }

    boolean neverSent() {
        return unanswered == Unanswered.SEND_TIMEOUT;
    }

    /** Has the client's next poll find that its oldest request has ended so. */
    void deliver(RecordingClient mock, Function<Errors, AbstractResponse> response) {
        if (error != null) {
            mock.respond(response.apply(error));
            return;
        }
        switch (unanswered) {
            case DISCONNECT -> mock.respond(null, true);
            case VERSION_MISMATCH -> mock.failVersion(new UnsupportedVersionException("oracle"));
            case AUTHENTICATION_EXCEPTION -> mock.failAuthentication(new SaslAuthenticationException("oracle"));
            case SEND_TIMEOUT -> { } // the poll itself ends what could not be sent in time
        }
    }
}
