package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;

/** The generation when a response is handled, against the one that its request was sent with. */
enum Identity {
    SAME, GENERATION_CHANGED, MEMBER_CHANGED, RESET;

    String label() {
        return name().toLowerCase();
    }

    /** Always a new object, so that it shows when the client assigns an equal one. */
    Generation after(Generation sent) {
        Generation none = Generation.NO_GENERATION;
        return switch (this) {
            case SAME -> new Generation(sent.generationId, sent.memberId, sent.protocolName);
            case GENERATION_CHANGED -> new Generation(sent.generationId + 1, sent.memberId, sent.protocolName);
            case MEMBER_CHANGED -> new Generation(sent.generationId, Fixture.OTHER_MEMBER, sent.protocolName);
            case RESET -> new Generation(none.generationId, none.memberId, none.protocolName);
        };
    }
}
