package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.AbstractMembershipManager.LocalAssignment;
import org.apache.kafka.common.errors.GroupAuthorizationException;

import java.util.Map;
import java.util.Optional;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** One turn of the heartbeat loop of a member of the consumer protocol: the whole product of what it goes by. */
public final class ConsumerLoopFacts {
    private static final long RESTED_MS = 100_000;
    private static final int CONDITIONS = 8;

    private ConsumerLoopFacts() {
    }

    public static void main(String[] args) throws Exception {
        Facts facts = new Facts();
        for (boolean isStatic : new boolean[] {false, true})
            for (MemberState state : MemberState.values())
                for (int bits = 0; bits < 1 << CONDITIONS; bits++) {
                    Turn turn = new Turn(isStatic, state, bits);
                    if (turn.possible())
                        facts.add(turn.fact());
                }
        facts.print();
    }

    private record Turn(boolean isStatic, MemberState state, boolean coordinatorKnown, boolean pollExpired, boolean inFlight, boolean intervalOver,
                        boolean backingOff, boolean remains, boolean lookupError, boolean newerTarget) {
        Turn(boolean isStatic, MemberState state, int bits) {
            this(isStatic, state, bit(bits, 0), bit(bits, 1), bit(bits, 2), bit(bits, 3), bit(bits, 4), bit(bits, 5), bit(bits, 6), bit(bits, 7));
        }

        private static boolean bit(int bits, int number) {
            return (bits >> number & 1) == 1;
        }

        /** A lookup's error is kept until the coordinator is known; only who has applied one target can have a newer one. */
        boolean possible() {
            return !(lookupError && coordinatorKnown) && !(newerTarget && state != MemberState.ACKNOWLEDGING) && (!remains || ConsumerClose.hasOperations());
        }

        Json fact() {
            ConsumerFixture f = new ConsumerFixture(isStatic, false, true);
            ConsumerStates.owning(f, state);
            set(f);
            ConsumerSight sight = new ConsumerSight(f);
            Json fact = new Json().with("state", state.name()).with("static", isStatic).with("coordinator_known", coordinatorKnown)
                .with("poll_expired", pollExpired).with("in_flight", inFlight).with("interval_over", intervalOver).with("backing_off", backingOff)
                .with("remains", remains).with("lookup_error", lookupError).with("newer_target", newerTarget).with("before", sight.before());
            Json sent = null;
            String thrown = null;
            try {
                sent = ConsumerSight.sent(f.turn());
            } catch (IllegalStateException e) {
                thrown = Facts.describe(e);
            }
            fact.with("after", sight.after().with("sent", sent));
            return thrown == null ? fact : fact.with("thrown", thrown);
        }

        private void set(ConsumerFixture f) {
            if (remains)
                ConsumerClose.remain(f.member);
            if (newerTarget) {
                LocalAssignment applied = (LocalAssignment) f.memberField("currentTargetAssignment");
                must(applied.equals(f.memberField("currentAssignment")), "what was applied is the target");
                Internals.set(AbstractMembershipManager.class, f.member, "currentTargetAssignment",
                    new LocalAssignment(applied.localEpoch + 1, Map.of()));
            }
            f.pollTimer(pollExpired);
            f.interval(intervalOver);
            RequestState heartbeat = f.heartbeat();
            Internals.set(RequestState.class, heartbeat, "requestInFlight", inFlight);
            heartbeat.lastReceivedMs = f.time.milliseconds() - (backingOff ? 0 : RESTED_MS);
            heartbeat.backoffMs = ConsumerFixture.BACKOFF_MS;
            if (!coordinatorKnown)
                f.coordinator.markCoordinatorUnknown("oracle", f.time.milliseconds());
            if (lookupError)
                Internals.set(CoordinatorRequestManager.class, f.coordinator, "fatalError", Optional.of(new GroupAuthorizationException(ConsumerFixture.GROUP)));
        }
    }
}
