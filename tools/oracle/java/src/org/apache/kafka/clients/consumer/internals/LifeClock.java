package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.utils.MockTime;

/** Kafka's mock clock, started at a fixed moment. */
final class LifeClock extends MockTime {
    static final long START = 1_000_000L;

    LifeClock() {
        super(0, START, START * 1_000_000L);
    }

    long sinceStart() {
        return milliseconds() - START;
    }
}
