package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.common.protocol.ApiKeys;

import java.util.List;

/** What comes of callbacks that throw, and of an onJoinPrepare that is not ready yet. */
final class CallersCallbacks {
    private static final long LONG_MS = 90_000;

    private CallersCallbacks() {
    }

    static void facts(Callers all) {
        List<String> where = List.of("first", "rejoin", "lost", "left");
        for (boolean isStatic : Callers.BOTH) {
            for (boolean leader : Callers.BOTH)
                for (int times = 1; times <= 3; times++)
                    for (String as : where) {
                        for (String told : List.of("join_prepare", "leader_elected", "join_complete"))
                            if (leader || !told.equals("leader_elected"))
                                scene(all, told, "throws", times, as, isStatic, leader, false);
                        scene(all, "join_prepare", "false", times, as, isStatic, leader, false);
                        // Apache Kafka's consumer, whose application is told what it owns.
                        for (String told : List.of("revoked", "lost", "assigned"))
                            scene(all, told, "throws", times, as, isStatic, leader, true);
                    }
            // Wherever a member is that owns something.
            for (String state : List.of("member", "rejoining", "recompleting", "no_generation", "no_member", "join_refused"))
                for (String how : List.of("unsubscribe", "close")) {
                    Json of = new Json().with("api", "leave_prepare").with("code", "throws").with("as", state + "_" + how);
                    all.scene(new CallersScene.Setting("callback", of, isStatic, false, false, false), s -> {
                        CallersLeaves.reach(s, state).callback("leave_prepare", "throws");
                        if (how.equals("close"))
                            s.close(GroupMembershipOperation.DEFAULT, LONG_MS);
                        else
                            s.unsubscribe(GroupMembershipOperation.DEFAULT, LONG_MS).poll(LONG_MS);
                    });
                }
        }
    }

    private static void scene(Callers all, String told, String does, int times, String as, boolean isStatic, boolean leader, boolean consumer) {
        Json of = new Json().with("api", told).with("code", does).with("as", as + (times > 1 ? "_" + times + "_times" : ""));
        all.scene(new CallersScene.Setting("callback", of, isStatic, leader, consumer, false), s -> {
            if (!as.equals("first")) {
                s.poll(LONG_MS);
                switch (as) {
                    case "rejoin" -> s.rejoin();
                    case "lost" -> s.answers(ApiKeys.HEARTBEAT, "UNKNOWN_MEMBER_ID").heartbeat();
                    default -> { }
                }
            }
            s.callback(told, Callers.times(does, times));
            if (as.equals("left"))
                s.unsubscribe(GroupMembershipOperation.DEFAULT, LONG_MS);
            s.polls(LONG_MS, times + 2);
        });
    }
}
