package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.protocol.ApiKeys;

import java.util.List;

/** What a heartbeat brings that is sent while nobody polls, and what the polls after it make of that. */
final class CallersHeartbeats {
    private static final long LONG_MS = 90_000;

    private CallersHeartbeats() {
    }

    static void facts(Callers all) {
        for (boolean isStatic : Callers.BOTH) {
            for (String end : List.of("NONE", "SILENCE", "DISCONNECT", "SEND_TIMEOUT"))
                all.scene(setting(ApiKeys.HEARTBEAT, end, "member", isStatic, false), s ->
                    s.answers(ApiKeys.HEARTBEAT, end).poll(LONG_MS).heartbeat().poll(LONG_MS));
            // SyncGroup succeeds meanwhile, and no poll has seen it.
            for (String end : List.of("NONE", "REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID"))
                for (String state : List.of("completing", "recompleting"))
                    for (boolean leader : Callers.BOTH)
                        all.scene(setting(ApiKeys.HEARTBEAT, end, state, isStatic, leader), s ->
                            CallersLeaves.reach(s.answers(ApiKeys.HEARTBEAT, end), state).heartbeat().polls(LONG_MS, 3));
            // The coordinator is lost, and found again, before a request to it fails.
            for (String end : List.of("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "DISCONNECT")) {
                all.scene(setting(ApiKeys.HEARTBEAT, end, "former", isStatic, false), s ->
                    s.answers(ApiKeys.HEARTBEAT, end).poll(LONG_MS).sendHeartbeat().forgetCoordinator().rejoin().poll(0).polls(LONG_MS, 3));
                all.scene(setting(ApiKeys.JOIN_GROUP, end, "former", isStatic, false), s ->
                    s.answers(ApiKeys.JOIN_GROUP, end).poll(5).forgetCoordinator().poll(0).polls(LONG_MS, 3));
                all.scene(setting(ApiKeys.SYNC_GROUP, end, "former", isStatic, false), s ->
                    s.answers(ApiKeys.SYNC_GROUP, end).poll(15).forgetCoordinator().poll(0).polls(LONG_MS, 3));
            }
        }
    }

    private static CallersScene.Setting setting(ApiKeys api, String end, String as, boolean isStatic, boolean leader) {
        return new CallersScene.Setting("heartbeat", Callers.of(api, end, as), isStatic, leader, false, false);
    }
}
