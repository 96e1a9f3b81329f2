package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.protocol.ApiKeys;

import java.util.Map;
import java.util.Set;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** The request of a cell, which the client's own code has sent and waits for, with the generation that it went out with. */
record CellRequest(RequestFuture<?> future, Generation sent) {
    static CellRequest send(Cell cell, Fixture fixture) {
        CellRequest request = switch (cell.api()) {
            case HEARTBEAT -> {
                fixture.join();
                hold(cell, fixture, fixture.coordinatorNode);
                Generation sent = fixture.generation();
                yield new CellRequest(fixture.coordinator.sendHeartbeatRequest(), sent);
            }
            case JOIN_GROUP -> join(cell, fixture, cell.variant().name().startsWith("first_join"), cell.outcome().neverSent());
            case SYNC_GROUP -> sync(cell, fixture);
            case LEAVE_GROUP -> {
                fixture.join();
                hold(cell, fixture, fixture.coordinatorNode);
                Generation sent = fixture.generation();
                yield new CellRequest(fixture.coordinator.maybeLeaveGroup(
                    cell.isStatic() ? GroupMembershipOperation.LEAVE_GROUP : GroupMembershipOperation.DEFAULT, "oracle"), sent);
            }
            case FIND_COORDINATOR -> {
                if (!cell.is("first_lookup")) {
                    fixture.join();
                    fixture.coordinator.markCoordinatorUnknown("oracle");
                    fixture.client.pollNoWakeup(); // cuts the connection
                    must(!fixture.disconnectRequested() && fixture.lookupFuture().equals("none"), "nothing is left of the former coordinator");
                }
                hold(cell, fixture, fixture.node);
                Generation sent = fixture.generation();
                yield new CellRequest(fixture.coordinator.lookupCoordinator(), sent);
            }
            case OFFSET_COMMIT -> commit(cell, fixture);
            default -> throw new IllegalArgumentException(cell.api().name);
        };
        fixture.client.transmitSends();
        must(fixture.mock.requests().size() == (cell.outcome().neverSent() ? 0 : 1), "one request is in flight");
        must(cell.outcome().neverSent() || fixture.mock.requests().peek().apiKey() == cell.api(), "it is " + cell.api());
        must(fixture.client.pendingRequestCount() == 1, "one request is pending");
        return request;
    }

    private static CellRequest join(Cell cell, Fixture fixture, boolean first, boolean neverSent) {
        if (first) {
            fixture.lookUp();
        } else {
            fixture.join();
            fixture.coordinator.requestRejoin("oracle: setup");
        }
        if (neverSent)
            hold(cell, fixture, fixture.coordinatorNode);
        Generation sent = fixture.generation();
        must(!fixture.coordinator.ensureActiveGroup(fixture.time.timer(0)), "the join is under way when its time is up");
        RequestFuture<?> future = (RequestFuture<?>) fixture.get("joinFuture");
        must(future != null && fixture.generation().equals(sent), "the join was sent, and the generation is as before");
        return new CellRequest(future, sent);
    }

    private static CellRequest sync(Cell cell, Fixture fixture) {
        RequestFuture<?> future = join(cell, fixture, false, false).future;
        hold(cell, fixture, fixture.coordinatorNode);
        fixture.mock.respond(fixture.joined(Fixture.NEXT_GENERATION, Fixture.MEMBER, cell.is("leader")));
        fixture.client.pollNoWakeup();
        must(!future.isDone(), "the join waits for SyncGroup");
        must(fixture.generation().generationId == Fixture.NEXT_GENERATION, "the next generation is joined");
        return new CellRequest(future, fixture.generation());
    }

    private static CellRequest commit(Cell cell, Fixture fixture) {
        Generation sent = Generation.NO_GENERATION;
        if (cell.is("manual_assignment")) {
            fixture.subscription.unsubscribe();
            fixture.subscription.assignFromUser(Set.of(Fixture.PARTITION));
            fixture.lookUp();
        } else {
            fixture.join();
            sent = fixture.generation();
        }
        hold(cell, fixture, fixture.coordinatorNode);
        return new CellRequest(fixture.coordinator.sendOffsetCommitRequest(Map.of(Fixture.PARTITION, new OffsetAndMetadata(10))), sent);
    }

    /** Keeps what is sent to the node from leaving, where that is how the request ends. */
    private static void hold(Cell cell, Fixture fixture, Node node) {
        if (cell.outcome().neverSent())
            fixture.mock.throttle(node, 10_000_000L);
    }
}
