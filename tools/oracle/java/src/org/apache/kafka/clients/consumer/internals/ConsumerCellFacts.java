package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.AbstractMembershipManager.LocalAssignment;
import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

import java.util.List;

/** One answer handled by a member of the consumer protocol: every code, to a heartbeat and to a lookup, in every state. */
public final class ConsumerCellFacts {
    /** Of a leave, of a join, and of a member. */
    private static final List<Integer> EPOCHS = List.of(-1, 0, 7);
    /** Unchanged; the target once more; another; nothing at all. */
    private static final List<String> ASSIGNMENTS = List.of("unchanged", "same", "other", "empty");
    /** Longer than the backoff before a lookup. */
    private static final long LOOKUP_AFTER_MS = 3_000;

    private final Facts facts = new Facts();

    private ConsumerCellFacts() {
    }

    public static void main(String[] args) throws Exception {
        ConsumerCellFacts cells = new ConsumerCellFacts();
        for (boolean isStatic : new boolean[] {false, true})
            for (boolean partitions : new boolean[] {true, false})
                for (MemberState state : MemberState.values())
                    cells.heartbeats(isStatic, partitions, state);
        for (MemberState state : MemberState.values())
            for (Outcome outcome : Outcome.all())
                cells.lookup(state, outcome);
        cells.facts.print(new Json().with("codes", Errors.values().length));
    }

    private void heartbeats(boolean isStatic, boolean partitions, MemberState state) {
        for (Outcome outcome : Outcome.all()) {
            if (outcome.error() == Errors.NONE) {
                for (int epoch : EPOCHS)
                    for (String assignment : ASSIGNMENTS)
                        success(isStatic, partitions, state, outcome, epoch, assignment);
                continue;
            }
            Cell cell = Cell.of(isStatic, partitions, state);
            if (cell != null)
                add(cell, cell.asked(outcome), () -> ConsumerAnswers.end(cell.f, cell.heartbeat, outcome, null));
        }
        Cell late = Cell.of(isStatic, partitions, state);
        if (late != null)
            add(late, late.asked(new Outcome(null, Outcome.Unanswered.DISCONNECT)).with("variant", "request_timeout"), () -> ConsumerAnswers.timeOut(late.f, late.heartbeat));
    }

    private void success(boolean isStatic, boolean partitions, MemberState state, Outcome none, int epoch, String assignment) {
        Cell cell = Cell.of(isStatic, partitions, state);
        if (cell == null)
            return;
        Integer[] target = ConsumerAnswers.partitions((LocalAssignment) cell.f.memberField("currentTargetAssignment"));
        if (assignment.equals("same") && target == null)
            return; // there is no target yet that could be the same
        Integer[] assigned = switch (assignment) {
            case "unchanged" -> null;
            case "same" -> target;
            case "other" -> new Integer[] {0, 3};
            default -> new Integer[0];
        };
        ConsumerGroupHeartbeatResponseData answer = assigned == null ? ConsumerAnswers.success(epoch) : ConsumerAnswers.assigned(epoch, assigned);
        Json asked = cell.asked(none).with("answer_epoch", epoch).with("assignment", assignment)
            .with("assigned", assigned == null ? null : List.of(assigned));
        add(cell, asked, () -> ConsumerAnswers.end(cell.f, cell.heartbeat, none, answer));
    }

    /** A member with a heartbeat in flight. */
    private record Cell(ConsumerFixture f, UnsentRequest heartbeat, MemberState state, boolean partitions) {
        /** Null where there is none: partitions says whether it has been assigned some before. */
        static Cell of(boolean isStatic, boolean partitions, MemberState state) {
            ConsumerFixture f = new ConsumerFixture(isStatic, false, true);
            if (partitions && state == MemberState.JOINING)
                return null;
            UnsentRequest heartbeat = partitions ? ConsumerStates.owning(f, state) : ConsumerStates.empty(f, state);
            return heartbeat == null ? null : new Cell(f, heartbeat, state, partitions);
        }

        Json asked(Outcome outcome) {
            return new Json().with("api", ApiKeys.CONSUMER_GROUP_HEARTBEAT.name).with("code", outcome.label()).with("errno", outcome.number())
                .with("state", state.name()).with("static", f.isStatic).with("partitions", partitions);
        }
    }

    private void add(Cell cell, Json asked, Runnable answer) {
        ConsumerSight sight = new ConsumerSight(cell.f);
        asked.with("before", sight.before());
        answer.run();
        facts.add(asked.with("after", sight.after()));
    }

    private void lookup(MemberState state, Outcome outcome) {
        ConsumerFixture f = new ConsumerFixture(false, false, true);
        ConsumerStates.owning(f, state);
        f.coordinator.markCoordinatorUnknown("oracle", f.time.milliseconds());
        f.time.sleep(LOOKUP_AFTER_MS);
        UnsentRequest lookup = f.coordinator.poll(f.time.milliseconds()).unsentRequests.get(0);
        ConsumerSight sight = new ConsumerSight(f);
        Json fact = new Json().with("api", ApiKeys.FIND_COORDINATOR.name).with("code", outcome.label()).with("errno", outcome.number())
            .with("state", state.name()).with("static", false).with("partitions", state != MemberState.JOINING).with("before", sight.before());
        ConsumerAnswers.endLookup(f, lookup, outcome);
        Json after = sight.after().with("lookup_error", f.coordinator.fatalError().map(e -> e.getClass().getSimpleName()).orElse(null));
        facts.add(fact.with("after", after.with("looks_up", !f.coordinator.poll(f.time.milliseconds()).unsentRequests.isEmpty())));
    }
}
