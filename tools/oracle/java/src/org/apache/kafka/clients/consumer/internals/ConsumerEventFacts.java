package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.clients.consumer.internals.events.CompletableBackgroundEvent;
import org.apache.kafka.common.protocol.Errors;

import java.util.List;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** What the application does, and its callbacks, to a member of the consumer protocol, in every state. */
public final class ConsumerEventFacts {
    private ConsumerEventFacts() {
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        for (boolean isStatic : new boolean[] {false, true})
            for (MemberState state : MemberState.values())
                new Events(facts, isStatic, state).all();
        facts.print();
    }

    private interface Happens {
        void to(ConsumerFixture f, ConsumerSight sight);
    }

    private record Events(Facts facts, boolean isStatic, MemberState state) {
        void all() {
            leaving();
            polls();
            add(new Json().with("event", "subscribe"), member(), (f, sight) -> f.member.onSubscriptionUpdated());
            for (boolean well : new boolean[] {true, false})
                callbacks(well);
        }

        private ConsumerFixture member() {
            ConsumerFixture f = new ConsumerFixture(isStatic, false, true);
            ConsumerStates.owning(f, state);
            return f;
        }

        private void leaving() {
            add(new Json().with("event", "unsubscribe"), member(), (f, sight) -> sight.leave(f.member.leaveGroup()));
            for (String operation : ConsumerClose.operations())
                add(new Json().with("event", "close").with("operation", operation), member(),
                    (f, sight) -> sight.leave(ConsumerClose.leave(f.member, operation)));
        }

        private void polls() {
            for (boolean marked : new boolean[] {false, true})
                for (boolean expired : new boolean[] {false, true})
                    for (boolean released : new boolean[] {false, true}) {
                        if (released && state != MemberState.STALE)
                            continue;
                        ConsumerFixture f = member();
                        if (marked)
                            f.member.onSubscriptionUpdated();
                        if (released)
                            f.callbacks.end(true);
                        f.pollTimer(expired);
                        add(new Json().with("event", "poll").with("marked", marked).with("poll_expired", expired).with("released", released), f,
                            (x, sight) -> x.pollOnly());
                    }
        }

        private void callbacks(boolean well) {
            Json released = new Json().with("event", "release_ended").with("ok", well), lost = new Json().with("event", "lost_ended").with("ok", well);
            switch (state) {
                case PREPARE_LEAVING -> add(released, member(), (f, sight) -> f.callbacks.end(well));
                case FENCED -> add(lost, member(), (f, sight) -> f.callbacks.end(well));
                case STALE -> {
                    add(lost.with("rejoins", false), member(), (f, sight) -> f.callbacks.end(well));
                    ConsumerFixture polled = member();
                    polled.pollTimer(true);
                    polled.pollOnly();
                    add(new Json().with("event", "lost_ended").with("ok", well).with("rejoins", true), polled, (f, sight) -> f.callbacks.end(well));
                }
                default -> { }
            }
            if (state != MemberState.PREPARE_LEAVING)
                late(released, well, MemberState.PREPARE_LEAVING);
            if (state != MemberState.FENCED && state != MemberState.STALE)
                late(lost, well, MemberState.FENCED);
            if (state == MemberState.RECONCILING)
                add(new Json().with("event", "reconciled").with("ok", well), member(), (f, sight) -> {
                    f.callbacks.end(true);
                    f.callbacks.end(well);
                });
        }

        /** The callback began in the other state. Since then the member was out of the group, and has come to this state anew. */
        private void late(Json asked, boolean well, MemberState began) {
            ConsumerFixture f = new ConsumerFixture(isStatic, false, true);
            UnsentRequest heartbeat = ConsumerStates.owning(f, began);
            CompletableBackgroundEvent<Void> callback = running(f, began);
            if (began == MemberState.FENCED) {
                ConsumerAnswers.answer(f, heartbeat, ConsumerAnswers.success(ConsumerStates.EPOCH)); // is ignored
                f.member.leaveGroup();
            } else {
                ConsumerAnswers.fail(f, heartbeat, Errors.FENCED_MEMBER_EPOCH);
            }
            must(f.member.state() == MemberState.UNSUBSCRIBED, "the member is out of the group, and " + f.member.state());
            if (state != MemberState.UNSUBSCRIBED)
                ConsumerStates.owning(f, state);
            add(asked.with("late", true), f, (x, sight) -> ConsumerCallbacks.end(callback, well));
        }

        /** A second one would be told apart by nothing. */
        private static CompletableBackgroundEvent<Void> running(ConsumerFixture f, MemberState state) {
            List<CompletableBackgroundEvent<Void>> all = f.callbacks.takeAll();
            must(all.size() == 1, "one callback goes on in " + state);
            return all.get(0);
        }

        private void add(Json asked, ConsumerFixture f, Happens event) {
            must(f.member.state() == state, "the member is " + f.member.state() + ", not " + state);
            ConsumerSight sight = new ConsumerSight(f);
            asked.with("state", state.name()).with("static", isStatic).with("before", sight.before());
            event.to(f, sight);
            facts.add(asked.with("after", sight.after()));
        }
    }
}
