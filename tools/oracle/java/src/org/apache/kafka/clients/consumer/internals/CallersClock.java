package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.utils.MockTime;

/** Kafka's mock clock, started at a fixed moment. Whoever waits moves it. */
final class CallersClock extends MockTime {
    private static final long START = 1_000_000L;

    CallersClock() {
        super(0, START, START * 1_000_000L);
    }

    long sinceStart() {
        return milliseconds() - START;
    }
}
