package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What an application sets of a member. Instance is null for a dynamic one. */
record Settings(String group, String instance, int sessionMs, int maxPollMs, int heartbeatMs, long backoffMs, long backoffMaxMs) {
    private static final Map<Settings, ConsumerConfig> READ = new ConcurrentHashMap<>(); // to read one takes as long as a few cells

    /** A new one, made as a consumer makes it: its constructor with numbers is another in each version of Kafka. */
    GroupRebalanceConfig config() {
        return new GroupRebalanceConfig(READ.computeIfAbsent(this, Settings::read), GroupRebalanceConfig.ProtocolType.CONSUMER);
    }

    private ConsumerConfig read() {
        Map<String, Object> properties = new HashMap<>();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:9092");
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        if (instance != null)
            properties.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, instance);
        properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, sessionMs);
        properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, maxPollMs);
        properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, heartbeatMs);
        properties.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, backoffMs);
        properties.put(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, backoffMaxMs);
        return new ConsumerConfig(properties);
    }
}
