package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.protocol.ApiKeys;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** What commitOffsetsSync and commitOffsetsAsync make of each end of OffsetCommit, and of each state that they are called in. */
final class CallersCommits {
    private static final long LONG_MS = 90_000;

    private CallersCommits() {
    }

    static void facts(Callers all) {
        List<String> ends = new ArrayList<>(Callers.failures());
        ends.add("NONE");
        for (boolean sync : Callers.BOTH)
            for (boolean isStatic : Callers.BOTH) {
                for (String end : ends) {
                    boolean slow = end.equals("SILENCE") || end.equals("SEND_TIMEOUT");
                    for (int times : !sync || slow ? new int[] {1} : new int[] {1, 5})
                        scene(all, end, times > 1 ? times + "_times" : "known", sync, isStatic, s ->
                            commit(s.answers(ApiKeys.OFFSET_COMMIT, Callers.times(end, times)), sync, LONG_MS).poll(LONG_MS));
                    scene(all, end, "unknown", sync, isStatic, s ->
                        commit(s.answers(ApiKeys.OFFSET_COMMIT, end).forgetCoordinator(), sync, LONG_MS).poll(LONG_MS));
                }
                for (String state : List.of("new", "joining", "completing", "rejoining", "recompleting", "no_generation", "no_member"))
                    all.scene(setting("NONE", state, sync, isStatic), s -> commit(CallersLeaves.reach(s, state), sync, LONG_MS).poll(LONG_MS));
                for (String end : List.of("COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "SILENCE", "SEND_TIMEOUT"))
                    scene(all, end, "no_time", sync, isStatic, s ->
                        commit(commit(s.answers(ApiKeys.OFFSET_COMMIT, Callers.times(end, 3)), sync, 250), sync, LONG_MS));
            }
        // The coordinator is lost, and found again, before a commit fails.
        for (String end : List.of("COORDINATOR_NOT_AVAILABLE", "NOT_COORDINATOR", "DISCONNECT"))
            for (boolean isStatic : Callers.BOTH)
                scene(all, end, "former", false, isStatic, s ->
                    commit(s.answers(ApiKeys.OFFSET_COMMIT, end), false, 0).forgetCoordinator().rejoin().poll(0).poll(LONG_MS));
        // The lookup before a commit: each end of it.
        for (String end : Callers.failures())
            for (boolean isStatic : Callers.BOTH)
                all.scene(new CallersScene.Setting("commit", Callers.of(ApiKeys.FIND_COORDINATOR, end, "commit_sync"), isStatic, false, true, false), s ->
                    commit(s.poll(LONG_MS).forgetCoordinator().answers(ApiKeys.FIND_COORDINATOR, end), true, LONG_MS).poll(LONG_MS));
    }

    private static CallersScene commit(CallersScene s, boolean sync, long waitMs) {
        return sync ? s.commitSync(waitMs) : s.commitAsync(waitMs);
    }

    private static void scene(Callers all, String end, String as, boolean sync, boolean isStatic, Consumer<CallersScene> run) {
        all.scene(setting(end, as, sync, isStatic), s -> run.accept(s.poll(LONG_MS)));
    }

    private static CallersScene.Setting setting(String end, String as, boolean sync, boolean isStatic) {
        return new CallersScene.Setting("commit", Callers.of(ApiKeys.OFFSET_COMMIT, end, (sync ? "sync_" : "async_") + as), isStatic, false, true, false);
    }
}
