package org.apache.kafka.clients.consumer.internals;

import java.util.List;

/** What a life starts with, and how its world behaves. */
final class LifeConfig {
    static final String GROUP = "g";
    static final String PROTOCOL_TYPE = "consumer";
    static final int NODES = 3;
    static final long BACKOFF_MS = 100;
    static final long BACKOFF_MAX_MS = 1000;
    static final int REQUEST_TIMEOUT_MS = 30_000;

    LifeFamily family;
    String instance;
    int sessionMs;
    int heartbeatMs;
    int maxPollMs;
    List<String> protocols;
    /** The heartbeat thread wakes at each end of its timed wait, or once at the end of each advance. */
    boolean wakesEach;

    Json json() {
        return new Json().with("group", GROUP).with("instance", instance)
            .with("session_timeout", sessionMs).with("heartbeat_interval", heartbeatMs).with("max_poll_interval", maxPollMs)
            .with("retry_backoff", BACKOFF_MS).with("retry_backoff_max", BACKOFF_MAX_MS).with("request_timeout", REQUEST_TIMEOUT_MS)
            .with("protocol_type", PROTOCOL_TYPE).with("protocols", protocols)
            .with("patient", family.patient).with("wake", wakesEach ? "each" : "once");
    }
}
