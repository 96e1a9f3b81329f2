package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.clients.consumer.internals.events.CompletableBackgroundEvent;

import java.util.List;

/** When a member of the consumer protocol begins to reconcile, and how it goes on when a callback has ended, whatever has happened meanwhile. */
public final class ConsumerReconciliationFacts {
    private static final int EPOCH = ConsumerStates.NEXT_EPOCH;
    private static final Integer[] TARGET = {1, 2}; // of 0 and 1

    private final Facts facts = new Facts();

    private ConsumerReconciliationFacts() {
    }

    public static void main(String[] args) throws Exception {
        ConsumerReconciliationFacts all = new ConsumerReconciliationFacts();
        boolean[] both = {false, true};
        for (boolean autoCommit : both)
            for (boolean toRevoke : both)
                for (boolean atPoll : both)
                    for (boolean reconciling : both)
                        for (boolean targetIsOwned : both)
                            all.begins(autoCommit, toRevoke, atPoll, reconciling, targetIsOwned);
        for (String callback : List.of("onPartitionsRevoked", "onPartitionsAssigned"))
            for (String meanwhile : List.of("nothing", "new_target", "fenced", "left", "fatal", "rejoined"))
                for (boolean well : both)
                    all.ended(callback, meanwhile, well);
        all.facts.print();
    }

    private static ConsumerFixture owner(boolean autoCommit) {
        ConsumerFixture f = new ConsumerFixture(false, autoCommit, true);
        ConsumerStates.settled(f, 0, 1);
        return f;
    }

    private void begins(boolean autoCommit, boolean toRevoke, boolean atPoll, boolean reconciling, boolean targetIsOwned) {
        ConsumerFixture f = owner(autoCommit);
        UnsentRequest heartbeat = f.turnWhenDue();
        if (!targetIsOwned)
            ConsumerAnswers.answer(f, heartbeat, toRevoke ? ConsumerAnswers.assigned(EPOCH, TARGET) : ConsumerAnswers.assigned(EPOCH, 0, 1, 2));
        if (reconciling)
            f.member.maybeReconcile(true);
        ConsumerSight sight = new ConsumerSight(f);
        Json fact = new Json().with("about", "begin").with("auto_commit", autoCommit).with("to_revoke", toRevoke).with("at_poll", atPoll)
            .with("reconciling", reconciling).with("target_is_owned", targetIsOwned).with("before", sight.before());
        f.member.maybeReconcile(atPoll);
        facts.add(fact.with("after", sight.after()));
    }

    private void ended(String callback, String meanwhile, boolean well) {
        ConsumerFixture f = owner(false);
        ConsumerAnswers.answer(f, f.turnWhenDue(), ConsumerAnswers.assigned(EPOCH, TARGET));
        f.member.maybeReconcile(true);
        if (callback.equals("onPartitionsAssigned"))
            ConsumerCallbacks.end(f.callbacks.takeOne(), true); // that of the revoked ones, before it
        CompletableBackgroundEvent<Void> running = f.callbacks.takeOne();
        f.callbacks.apply(running);
        happens(f, meanwhile);
        ConsumerSight sight = new ConsumerSight(f);
        Json fact = new Json().with("about", "callback").with("callback", callback).with("meanwhile", meanwhile).with("ok", well)
            .with("resolved", List.of(TARGET)).with("before", sight.before());
        ConsumerCallbacks.end(running, well);
        facts.add(fact.with("after", sight.after()));
    }

    private static void happens(ConsumerFixture f, String meanwhile) {
        switch (meanwhile) {
            case "new_target" -> ConsumerAnswers.answer(f, f.turnWhenDue(), ConsumerAnswers.assigned(EPOCH + 1, 3));
            case "fenced" -> f.member.transitionToFenced();
            case "left" -> f.member.leaveGroup();
            case "fatal" -> f.member.transitionToFatal();
            case "rejoined" -> {
                f.member.transitionToFenced();
                f.callbacks.end(true);
                ConsumerAnswers.answer(f, f.turn(), ConsumerAnswers.assigned(EPOCH + 3, 0));
            }
            default -> { }
        }
    }
}
