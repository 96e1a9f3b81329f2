package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** One response handled: every API, code, variant, state and identity, static and dynamic. */
public final class CellFacts {
    private CellFacts() {
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        Json leftOut = new Json();
        for (ApiKeys api : Cell.APIS) {
            Map<Cell, Json> behaviours = new HashMap<>();
            for (Cell cell : Cell.of(api)) {
                Json fact = fact(cell);
                if (fact == null)
                    continue;
                Json behaviour = behaviour(fact);
                behaviours.put(cell, behaviour);
                if (cell.variant().like() != null && behaviour.equals(behaviours.get(cell.like())))
                    leftOut.merge(api.name + "/" + cell.variant().name(), 1, (n, one) -> (Integer) n + (Integer) one);
                else
                    facts.add(fact);
            }
        }
        facts.print(new Json().with("codes", Errors.values().length).with("left_out", leftOut));
    }

    private static Json behaviour(Json fact) {
        Json behaviour = new Json();
        behaviour.putAll(fact);
        behaviour.remove("variant");
        return behaviour;
    }

    /** Null where the cell cannot be set up. */
    private static Json fact(Cell cell) {
        CellRun run = new CellRun(cell, false);
        // Who assigns partitions by hand is never a member, so the client is only as sending has left it.
        if (cell.is("manual_assignment") && !(run.natural && cell.identity() == Identity.SAME))
            return null;
        CellRun inverted = new CellRun(cell, true);
        must(run.apartFromFlags().equals(inverted.apartFromFlags()),
            "the inverted flags change what becomes of " + cell + ": " + run.apartFromFlags() + " or " + inverted.apartFromFlags());

        Json fact = new Json().with("api", cell.api().name).with("code", cell.outcome().label()).with("errno", cell.outcome().number())
            .with("state", cell.state().name()).with("identity", cell.identity().label())
            .with("static", cell.isStatic()).with("natural", run.natural).with("natural_identity", run.naturalIdentity);
        if (!cell.is(""))
            fact.with("variant", cell.variant().name());
        fact.with("before", before(run)).with("after", after(run)).with("assigned", assigned(run, inverted)).with("future", run.future);
        if (run.retriable != null)
            fact.with("retriable", run.retriable);
        if (run.thrown != null)
            fact.with("thrown", run.thrown);
        return fact;
    }

    private static Json before(CellRun run) {
        return new Json().with("member_id", run.before.memberId).with("generation", run.before.generationId)
            .with("protocol", run.before.protocolName).with("rejoin_needed", run.beforeRejoinNeeded)
            .with("rejoin_reason", run.beforeRejoinReason).with("needs_join_prepare", run.beforeNeedsJoinPrepare)
            .with("coordinator_known", run.beforeCoordinatorKnown);
    }

    private static Json after(CellRun run) {
        Json after = new Json().with("state", run.state.name()).with("member_id", run.generation.memberId)
            .with("generation", run.generation.generationId).with("protocol", run.generation.protocolName)
            .with("member_id_kept", run.generation.memberId.equals(run.before.memberId))
            .with("generation_kept", run.generation.generationId == run.before.generationId)
            .with("rejoin_needed", run.rejoinNeeded);
        if (!run.rejoinReason.isEmpty())
            after.with("rejoin_reason", run.rejoinReason);
        after.with("needs_join_prepare", run.needsJoinPrepare).with("coordinator_known", run.coordinatorKnown)
            .with("disconnect_requested", run.disconnectRequested)
            .with("find_coordinator_future", run.lookupFuture)
            .with("fatal_find_coordinator", className(run.fatal))
            .with("next_requests", run.nextRequests);
        if (run.syncRequest != null)
            after.with("sync_request", run.syncRequest);
        return after;
    }

    /** A flag that ends alike whatever it was before has been assigned. */
    private static Json assigned(CellRun run, CellRun inverted) {
        Json assigned = new Json();
        if (run.generationAssigned())
            assigned.with("generation", run.generation == Generation.NO_GENERATION ? "NO_GENERATION" : "new");
        if (run.rejoinNeeded == inverted.rejoinNeeded)
            assigned.with("rejoin_needed", run.rejoinNeeded);
        if (run.rejoinReason.equals(inverted.rejoinReason))
            assigned.with("rejoin_reason", run.rejoinReason);
        if (run.needsJoinPrepare == inverted.needsJoinPrepare)
            assigned.with("needs_join_prepare", run.needsJoinPrepare);
        if (run.heartbeatEnabled == inverted.heartbeatEnabled)
            assigned.with("heartbeat_enabled", run.heartbeatEnabled);
        if (Objects.toString(run.fatal).equals(Objects.toString(inverted.fatal)))
            assigned.with("fatal_find_coordinator", className(run.fatal));
        if (run.sessionTimerReset)
            assigned.with("session_timer", "reset");
        return assigned;
    }

    private static String className(Throwable t) {
        return t == null ? null : t.getClass().getSimpleName();
    }
}
