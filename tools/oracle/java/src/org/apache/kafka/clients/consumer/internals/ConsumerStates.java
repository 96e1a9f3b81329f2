package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;

import static org.apache.kafka.clients.consumer.internals.Internals.must;

/** How a member comes into each state, with a heartbeat in flight that was sent before. */
final class ConsumerStates {
    /** The epoch of the first assignment, and that of the second. */
    static final int EPOCH = 5;
    static final int NEXT_EPOCH = 6;

    private ConsumerStates() {
    }

    /** The member has been assigned partitions 0 and 1 at the first epoch; none in JOINING. Returns the heartbeat in flight. */
    static UnsentRequest owning(ConsumerFixture f, MemberState state) {
        UnsentRequest heartbeat = switch (state) {
            case JOINING -> joining(f);
            case STABLE -> stable(f, 0, 1);
            case RECONCILING -> reconciling(f);
            case ACKNOWLEDGING -> {
                UnsentRequest inFlight = reconciling(f);
                f.callbacks.end(true);
                f.callbacks.end(true);
                yield inFlight;
            }
            case FENCED -> {
                UnsentRequest inFlight = stable(f, 0, 1);
                f.member.transitionToFenced();
                yield inFlight;
            }
            case FATAL -> {
                UnsentRequest inFlight = stable(f, 0, 1);
                f.member.transitionToFatal();
                yield inFlight;
            }
            case STALE -> {
                UnsentRequest inFlight = stable(f, 0, 1);
                f.time.sleep(ConsumerFixture.MAX_POLL_MS + 1);
                f.turn();
                yield inFlight;
            }
            case PREPARE_LEAVING -> {
                UnsentRequest inFlight = stable(f, 0, 1);
                f.member.leaveGroup();
                yield inFlight;
            }
            case LEAVING -> {
                UnsentRequest inFlight = stable(f, 0, 1);
                f.member.leaveGroup();
                f.callbacks.end(true);
                yield inFlight;
            }
            case UNSUBSCRIBED -> {
                settled(f, 0, 1);
                f.member.leaveGroup();
                f.callbacks.end(true);
                yield f.turn(); // the leave
            }
        };
        return in(f, state, heartbeat);
    }

    /** Nothing was ever assigned to the member; null where it does not come into the state so, with a heartbeat in flight. */
    static UnsentRequest empty(ConsumerFixture f, MemberState state) {
        UnsentRequest heartbeat = switch (state) {
            case JOINING -> joining(f);
            case RECONCILING -> {
                ConsumerAnswers.answer(f, joining(f), ConsumerAnswers.assigned(EPOCH));
                yield f.turnWhenDue();
            }
            case STABLE -> stable(f);
            case FATAL -> {
                UnsentRequest inFlight = stable(f);
                f.member.transitionToFatal();
                yield inFlight;
            }
            case LEAVING -> {
                UnsentRequest inFlight = stable(f);
                f.member.leaveGroup();
                yield inFlight;
            }
            case UNSUBSCRIBED -> {
                settled(f);
                f.member.leaveGroup();
                yield f.turn();
            }
            // Each callback of these would be about nothing, and be over at once.
            case ACKNOWLEDGING, FENCED, STALE, PREPARE_LEAVING -> null;
        };
        return heartbeat == null ? null : in(f, state, heartbeat);
    }

    private static UnsentRequest in(ConsumerFixture f, MemberState state, UnsentRequest heartbeat) {
        must(f.member.state() == state, "the member is " + f.member.state() + ", not " + state);
        must(heartbeat != null, "a heartbeat is in flight in " + state);
        f.callbacks.take();
        return heartbeat;
    }

    private static UnsentRequest joining(ConsumerFixture f) {
        f.subscribe();
        f.poll();
        return f.turn();
    }

    /** STABLE, with nothing in flight. */
    static void settled(ConsumerFixture f, Integer... partitions) {
        ConsumerAnswers.answer(f, joining(f), ConsumerAnswers.assigned(EPOCH, partitions));
        f.poll();
        f.callbacks.end(true);
        ConsumerAnswers.answer(f, f.turn(), ConsumerAnswers.success(EPOCH));
        must(f.member.state() == MemberState.STABLE, "the member is " + f.member.state() + ", not STABLE");
    }

    private static UnsentRequest stable(ConsumerFixture f, Integer... partitions) {
        settled(f, partitions);
        return f.turnWhenDue();
    }

    /** Partition 0 is to be revoked, and 2 to be assigned; the callback for the first goes on. */
    private static UnsentRequest reconciling(ConsumerFixture f) {
        ConsumerAnswers.answer(f, stable(f, 0, 1), ConsumerAnswers.assigned(NEXT_EPOCH, 1, 2));
        f.poll();
        return f.turnWhenDue();
    }
}
