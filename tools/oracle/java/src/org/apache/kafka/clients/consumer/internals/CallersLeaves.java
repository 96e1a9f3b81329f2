package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.common.protocol.ApiKeys;

import java.util.ArrayList;
import java.util.List;

/** What a member sends, tells and keeps that unsubscribes or closes, from wherever it is; and what each end of LeaveGroup changes. */
final class CallersLeaves {
    private static final long LONG_MS = 90_000;

    /** Where a member can be; each by calls of its own. */
    private static final List<String> STATES = List.of("new", "joining", "id_given", "completing", "member", "rejoining", "recompleting",
        "no_generation", "no_member", "join_refused");

    private CallersLeaves() {
    }

    static void facts(Callers all) {
        for (String state : STATES)
            for (boolean known : Callers.BOTH)
                for (GroupMembershipOperation mode : GroupMembershipOperation.values())
                    for (String how : List.of("unsubscribe", "close", "close_no_wait"))
                        for (boolean isStatic : Callers.BOTH)
                            scene(all, "NONE", state, known, mode, how, isStatic);
        List<String> ends = new ArrayList<>();
        for (String end : Callers.failures()) {
            ends.add(end);
            if (!Callers.ENDINGS.contains(end))
                ends.add(end + ":of_member");
        }
        ends.addAll(List.of("NONE:no_member", "NONE:two_members", "UNKNOWN_MEMBER_ID:two_members"));
        for (String end : ends)
            for (String how : List.of("unsubscribe", "close"))
                for (boolean isStatic : Callers.BOTH)
                    scene(all, end, "member", true, GroupMembershipOperation.LEAVE_GROUP, how, isStatic);
        // The coordinator is lost before the id is answered that nobody wants any more.
        for (GroupMembershipOperation mode : GroupMembershipOperation.values())
            for (String how : List.of("unsubscribe", "close"))
                for (String lookup : List.of("NONE", "COORDINATOR_NOT_AVAILABLE"))
                    for (boolean isStatic : Callers.BOTH) {
                        String as = "joining_without_coordinator_" + how + "_" + mode + "_lookup_" + lookup;
                        Json of = Callers.of(ApiKeys.JOIN_GROUP, "MEMBER_ID_REQUIRED", as);
                        all.scene(new CallersScene.Setting("leave", of, isStatic, false, false, false), s -> {
                            s.answers(ApiKeys.JOIN_GROUP, "MEMBER_ID_REQUIRED").poll(5).forgetCoordinator();
                            leave(s.answers(ApiKeys.FIND_COORDINATOR, lookup), mode, how);
                        });
                    }
    }

    /** Brings a member there. */
    static CallersScene reach(CallersScene s, String state) {
        switch (state) {
            case "new" -> { }
            case "joining" -> s.poll(5);
            case "id_given" -> s.answers(ApiKeys.JOIN_GROUP, "MEMBER_ID_REQUIRED").poll(15);
            case "completing" -> s.poll(15);
            case "member" -> s.poll(LONG_MS);
            case "rejoining" -> s.poll(LONG_MS).rejoin().poll(5);
            case "recompleting" -> s.poll(LONG_MS).rejoin().poll(15);
            case "no_generation" -> s.answers(ApiKeys.HEARTBEAT, "ILLEGAL_GENERATION").poll(LONG_MS).heartbeat();
            case "no_member" -> s.answers(ApiKeys.HEARTBEAT, "UNKNOWN_MEMBER_ID").poll(LONG_MS).heartbeat();
            case "join_refused" -> s.poll(LONG_MS).rejoin().answers(ApiKeys.JOIN_GROUP, "GROUP_AUTHORIZATION_FAILED").poll(LONG_MS);
            default -> throw new IllegalStateException(state);
        }
        return s;
    }

    private static void scene(Callers all, String end, String state, boolean known, GroupMembershipOperation mode, String how, boolean isStatic) {
        Json of = Callers.of(ApiKeys.LEAVE_GROUP, end, state + (known ? "" : "_without_coordinator") + "_" + how + "_" + mode);
        all.scene(new CallersScene.Setting("leave", of, isStatic, false, false, false), s -> {
            reach(s, state);
            if (!known)
                s.forgetCoordinator();
            leave(s.answers(ApiKeys.LEAVE_GROUP, end), mode, how);
        });
    }

    private static void leave(CallersScene s, GroupMembershipOperation mode, String how) {
        switch (how) {
            case "unsubscribe" -> s.unsubscribe(mode, LONG_MS).poll(LONG_MS);
            case "close" -> s.close(mode, LONG_MS);
            default -> s.close(mode, 0);
        }
    }
}
