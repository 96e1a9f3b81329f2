package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.ClientRequest;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.SyncGroupRequest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** A client in which the response of a cell is handled by one poll, and what is in its fields before and after. */
final class CellRun {
    boolean natural;
    boolean naturalIdentity;
    Generation before;
    boolean beforeRejoinNeeded;
    String beforeRejoinReason;
    boolean beforeNeedsJoinPrepare;
    boolean beforeCoordinatorKnown;

    MemberState state;
    Generation generation;
    boolean rejoinNeeded;
    String rejoinReason;
    boolean needsJoinPrepare;
    boolean heartbeatEnabled;
    boolean coordinatorKnown;
    boolean disconnectRequested;
    boolean sessionTimerReset;
    String lookupFuture;
    RuntimeException fatal;
    final List<String> nextRequests = new ArrayList<>();
    Json syncRequest;
    String future;
    Boolean retriable;
    String thrown;

    /** Inverted: the flags that a handler may assign have the other value, so that it shows whether it does. */
    CellRun(Cell cell, boolean inverted) {
        try (Fixture fixture = new Fixture(cell.isStatic())) {
            CellRequest request = CellRequest.send(cell, fixture);
            fixture.time.sleep(cell.outcome().neverSent() ? 70_000 : 500);
            place(cell, fixture, request, inverted);
            must(!request.future().isDone(), "the request is open before the response");
            long deadline = fixture.sessionDeadline();
            int mark = fixture.mock.mark();

            cell.outcome().deliver(fixture.mock, error -> CellResponse.of(cell, fixture, error));
            try {
                fixture.client.pollNoWakeup();
            } catch (Throwable t) {
                thrown = Facts.describe(t);
            }

            look(fixture, mark, deadline);
            look(request.future());
            must(coordinatorKnown != fixture.coordinator.coordinatorUnknown(), "coordinatorUnknown() says what the field says");
            must(fixture.client.pendingRequestCount() == nextRequests.size(), "no other request is pending in " + cell);
        }
    }

    /** Sets the state and the identity that the handler finds. */
    private void place(Cell cell, Fixture fixture, CellRequest request, boolean inverted) {
        natural = fixture.coordinator.state == cell.state();
        Generation now = cell.identity().after(request.sent());
        naturalIdentity = now.equals(fixture.generation());
        fixture.coordinator.setNewGeneration(now);
        fixture.coordinator.setNewState(cell.state());
        if (inverted) {
            fixture.set("rejoinNeeded", !fixture.rejoinNeeded());
            fixture.set("needsJoinPrepare", !fixture.needsJoinPrepare());
            fixture.set("rejoinReason", "oracle: inverted");
            fixture.set("fatalFindCoordinatorException", new Preset());
            fixture.inert.enable();
        } else {
            fixture.inert.disable();
        }
        before = fixture.generation();
        beforeRejoinNeeded = fixture.rejoinNeeded();
        beforeRejoinReason = fixture.coordinator.rejoinReason();
        beforeNeedsJoinPrepare = fixture.needsJoinPrepare();
        beforeCoordinatorKnown = fixture.coordinatorKnown();
    }

    private void look(Fixture fixture, int mark, long deadline) {
        state = fixture.coordinator.state;
        generation = fixture.generation();
        rejoinNeeded = fixture.rejoinNeeded();
        rejoinReason = fixture.coordinator.rejoinReason();
        needsJoinPrepare = fixture.needsJoinPrepare();
        heartbeatEnabled = fixture.inert.isEnabled();
        coordinatorKnown = fixture.coordinatorKnown();
        disconnectRequested = fixture.disconnectRequested();
        lookupFuture = fixture.lookupFuture();
        sessionTimerReset = fixture.sessionDeadline() != deadline;
        fatal = (RuntimeException) fixture.get("fatalFindCoordinatorException");
        for (ClientRequest r : fixture.mock.madeSince(mark)) {
            nextRequests.add(r.apiKey().name);
            if (r.apiKey() == ApiKeys.SYNC_GROUP)
                syncRequest = describe(((SyncGroupRequest) r.requestBuilder().build()).data());
        }
    }

    private void look(RequestFuture<?> request) {
        if (!request.isDone()) {
            future = "pending";
        } else if (request.succeeded()) {
            future = "success";
        } else {
            future = "failure:" + Facts.describe(request.exception());
            retriable = request.exception() instanceof RetriableException;
            must(retriable == request.isRetriable(), "isRetriable() is about the exception's class");
        }
    }

    private static Json describe(SyncGroupRequestData sync) {
        List<String> members = new ArrayList<>();
        sync.assignments().forEach(assignment -> members.add(assignment.memberId()));
        Collections.sort(members);
        return new Json().with("generation", sync.generationId()).with("member_id", sync.memberId())
            .with("group_instance_id", sync.groupInstanceId()).with("protocol_type", sync.protocolType())
            .with("protocol", sync.protocolName()).with("assignments_for", members);
    }

    boolean generationAssigned() {
        return generation != before;
    }

    /** What must not depend on the flags that are inverted. */
    List<String> apartFromFlags() {
        return List.of("" + state, "" + generation, "" + coordinatorKnown, "" + disconnectRequested, lookupFuture, "" + sessionTimerReset,
            "" + nextRequests, "" + syncRequest, future, "" + retriable, "" + thrown, "" + natural, "" + naturalIdentity, "" + before,
            "" + generationAssigned());
    }

    /** What an inverted run has in place of the failure of a lookup. */
    private static final class Preset extends RuntimeException {
        Preset() {
            super("preset by the oracle", null, false, false);
        }
    }
}
