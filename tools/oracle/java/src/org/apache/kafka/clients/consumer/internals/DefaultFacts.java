package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.ConsumerConfig;

import java.util.List;

/** How long the times of a member of a group are where its configuration does not say, in milliseconds. */
public final class DefaultFacts {
    private static final List<String> SETTINGS = List.of(
        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG,
        ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG);

    private DefaultFacts() {
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        for (String setting : SETTINGS)
            facts.add(new Json().with("setting", setting).with("default", ConsumerConfig.configDef().defaultValues().get(setting)));
        facts.print(new Json());
    }
}
