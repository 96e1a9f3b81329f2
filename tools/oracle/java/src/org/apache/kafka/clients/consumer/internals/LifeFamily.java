package org.apache.kafka.clients.consumer.internals;

/** What kind of life it is: what happens often, and what never happens. */
enum LifeFamily {
    /** Long quiet times: heartbeats, polls, commits. */
    STEADY(true, true, true),
    /** The application leaves, comes back and asks for rebalances. */
    RESTLESS(true, true, true),
    /** The coordinator moves, connections are cut, requests time out. */
    FAILOVER(true, true, true),
    /** Any code as an answer to anything. */
    CODES(true, true, true),
    /** The same, and what the specification answers otherwise than Kafka. */
    ODD(true, true, false),
    /** Anything at any time; but whatever has failed is tried again only after a rest. */
    WILD(true, false, false),
    /** Anything at any time. */
    HASTY(false, false, false);

    /** No backoff is cut short, and no lookup sent twice: what only the timing of polls without time decides never comes up. */
    final boolean patient;
    /** The session does not end, and what was thrown is followed by a rest. */
    final boolean sound;
    /** What the specification does otherwise than Kafka, on purpose, does not come up, so that lives are equal for long. */
    final boolean plain;

    LifeFamily(boolean patient, boolean sound, boolean plain) {
        this.patient = patient;
        this.sound = sound;
        this.plain = plain;
    }
}
