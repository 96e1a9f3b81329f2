package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.protocol.ApiKeys;

import java.util.ArrayList;
import java.util.List;

/** What ensureCoordinatorReady makes of each end of FindCoordinator, and of a coordinator that cannot be reached. */
final class CallersLookups {
    private static final long LONG_MS = 90_000;

    private CallersLookups() {
    }

    static void facts(Callers all) {
        List<String> ends = new ArrayList<>(Callers.failures());
        ends.addAll(List.of("NONE", "NONE:no_coordinator", "NONE:two_coordinators"));
        for (String end : ends)
            for (String as : List.of("first", "rejoin", "member"))
                for (boolean isStatic : Callers.BOTH) {
                    boolean slow = end.equals("SILENCE") || end.equals("SEND_TIMEOUT");
                    for (int times : slow ? new int[] {1} : new int[] {1, 5})
                        scene(all, end, as, isStatic, times, "", LONG_MS);
                    scene(all, end, as, isStatic, 2, "no_wait", 0);
                }
        for (String end : List.of("NONE", "COORDINATOR_NOT_AVAILABLE", "GROUP_AUTHORIZATION_FAILED", "DISCONNECT", "SILENCE"))
            for (String state : List.of("no_generation", "no_member"))
                for (boolean isStatic : Callers.BOTH)
                    lost(all, end, state, isStatic);
        for (long ms : new long[] {50, 250, 650})
            for (String as : List.of("first", "rejoin", "member"))
                for (boolean isStatic : Callers.BOTH)
                    all.scene(setting("unavailable", Callers.of(ApiKeys.FIND_COORDINATOR, "NONE", as + "_" + ms), isStatic), s -> {
                        if (as.equals("first")) {
                            s.unavailable(ms);
                        } else {
                            s.poll(LONG_MS).unavailable(ms);
                            if (as.equals("rejoin"))
                                s.rejoin();
                        }
                        s.poll(LONG_MS).poll(LONG_MS);
                    });
    }

    /** The coordinator is not known: to who was never a member, who is about to join again, or who has what it should have. */
    private static void scene(Callers all, String end, String as, boolean isStatic, int times, String how, long waitMs) {
        String name = as + (times > 1 ? "_" + times + "_times" : "") + (how.isEmpty() ? "" : "_" + how);
        all.scene(setting("lookup", Callers.of(ApiKeys.FIND_COORDINATOR, end, name), isStatic), s -> {
            if (!as.equals("first")) {
                s.poll(LONG_MS);
                if (as.equals("rejoin"))
                    s.rejoin();
                s.forgetCoordinator();
            }
            s.answers(ApiKeys.FIND_COORDINATOR, Callers.times(end, times));
            s.polls(waitMs, times + 2);
            if (waitMs == 0)
                s.poll(LONG_MS);
        });
    }

    /** The coordinator is not known to who was reset, and has yet to be told that it has lost what it owned. */
    private static void lost(Callers all, String end, String state, boolean isStatic) {
        all.scene(setting("lookup", Callers.of(ApiKeys.FIND_COORDINATOR, end, state), isStatic), s ->
            CallersLeaves.reach(s, state).forgetCoordinator().answers(ApiKeys.FIND_COORDINATOR, end).poll(0).polls(LONG_MS, 3));
    }

    private static CallersScene.Setting setting(String about, Json of, boolean isStatic) {
        return new CallersScene.Setting(about, of, isStatic, false, false, false);
    }
}
