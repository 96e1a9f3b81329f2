package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.protocol.ApiKeys;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What joinGroupIfNeeded and ensureActiveGroup make of each end of JoinGroup and SyncGroup. */
final class CallersJoins {
    private static final long LONG_MS = 90_000;

    private CallersJoins() {
    }

    static void facts(Callers all) {
        for (ApiKeys api : List.of(ApiKeys.JOIN_GROUP, ApiKeys.SYNC_GROUP)) {
            List<String> ends = new ArrayList<>(Callers.failures());
            ends.addAll(List.of("NONE", "NONE:other_type", "NONE:null_type"));
            if (api == ApiKeys.SYNC_GROUP)
                ends.addAll(List.of("NONE:other_name", "NONE:null_name"));
            for (String end : ends)
                for (boolean rejoin : Callers.BOTH)
                    for (boolean leader : Callers.BOTH)
                        for (boolean isStatic : Callers.BOTH) {
                            int most = end.equals("SILENCE") || end.equals("SEND_TIMEOUT") ? 1 : 5;
                            for (int times : most == 1 ? new int[] {1} : new int[] {1, most})
                                scene(all, api, end, rejoin, leader, isStatic, times, "");
                            scene(all, api, end, rejoin, leader, isStatic, 1, "short_polls");
                        }
        }
    }

    /** The polls wait for the end of the join; short ones end at every stage of it. */
    private static void scene(Callers all, ApiKeys api, String end, boolean rejoin, boolean leader, boolean isStatic, int times, String how) {
        String as = (rejoin ? "rejoin" : "first") + (times > 1 ? "_" + times + "_times" : "") + (how.isEmpty() ? "" : "_" + how);
        all.scene(new CallersScene.Setting("join", Callers.of(api, end, as), isStatic, leader, false, false), s -> {
            if (rejoin)
                s.poll(LONG_MS).rejoin();
            s.answers(api, Callers.times(end, times));
            if (how.isEmpty()) {
                s.polls(LONG_MS, times + 2);
            } else {
                long[] waits = {0, 5, 5, 5, 5, 50, 100, 200, LONG_MS};
                Arrays.stream(waits).forEach(s::poll);
            }
        });
    }
}
