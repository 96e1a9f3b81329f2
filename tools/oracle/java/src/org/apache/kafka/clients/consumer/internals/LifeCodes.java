package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.Generation;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

import java.util.EnumSet;
import java.util.Set;
import java.util.SplittableRandom;

/** Which code an answer has. */
final class LifeCodes {
    private static final Errors[] FIND = {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.COORDINATOR_NOT_AVAILABLE,
        Errors.NOT_COORDINATOR, Errors.GROUP_AUTHORIZATION_FAILED, Errors.INVALID_REQUEST};
    private static final Errors[] JOIN = {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR,
        Errors.ILLEGAL_GENERATION, Errors.INCONSISTENT_GROUP_PROTOCOL, Errors.INVALID_GROUP_ID, Errors.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID,
        Errors.INVALID_SESSION_TIMEOUT, Errors.REBALANCE_IN_PROGRESS, Errors.REBALANCE_IN_PROGRESS, Errors.GROUP_AUTHORIZATION_FAILED,
        Errors.UNSUPPORTED_VERSION, Errors.MEMBER_ID_REQUIRED, Errors.GROUP_MAX_SIZE_REACHED, Errors.FENCED_INSTANCE_ID};
    private static final Errors[] SYNC = {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR,
        Errors.ILLEGAL_GENERATION, Errors.ILLEGAL_GENERATION, Errors.INCONSISTENT_GROUP_PROTOCOL, Errors.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID,
        Errors.REBALANCE_IN_PROGRESS, Errors.REBALANCE_IN_PROGRESS, Errors.GROUP_AUTHORIZATION_FAILED, Errors.FENCED_INSTANCE_ID};
    private static final Errors[] HEARTBEAT = {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR,
        Errors.ILLEGAL_GENERATION, Errors.ILLEGAL_GENERATION, Errors.UNKNOWN_MEMBER_ID, Errors.UNKNOWN_MEMBER_ID, Errors.REBALANCE_IN_PROGRESS,
        Errors.REBALANCE_IN_PROGRESS, Errors.REBALANCE_IN_PROGRESS, Errors.GROUP_AUTHORIZATION_FAILED, Errors.FENCED_INSTANCE_ID};
    private static final Errors[] LATE = {Errors.ILLEGAL_GENERATION, Errors.UNKNOWN_MEMBER_ID, Errors.FENCED_INSTANCE_ID, Errors.REBALANCE_IN_PROGRESS};
    private static final Errors[] LEAVE = {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR,
        Errors.UNKNOWN_MEMBER_ID, Errors.GROUP_AUTHORIZATION_FAILED, Errors.FENCED_INSTANCE_ID};
    private static final Errors[] COMMIT = {Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR,
        Errors.REQUEST_TIMED_OUT, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.ILLEGAL_GENERATION, Errors.UNKNOWN_MEMBER_ID,
        Errors.REBALANCE_IN_PROGRESS, Errors.REBALANCE_IN_PROGRESS, Errors.FENCED_INSTANCE_ID, Errors.OFFSET_METADATA_TOO_LARGE,
        Errors.INVALID_COMMIT_OFFSET_SIZE, Errors.GROUP_AUTHORIZATION_FAILED, Errors.TOPIC_AUTHORIZATION_FAILED};
    private static final Errors[] ANY = Errors.values();

    /** Codes by which a coordinator says that it is none. */
    private static final Set<Errors> MOVED = EnumSet.of(Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR);
    /** Codes that say something of the member. */
    private static final Set<Errors> DEAD = EnumSet.of(Errors.ILLEGAL_GENERATION, Errors.UNKNOWN_MEMBER_ID, Errors.FENCED_INSTANCE_ID);

    private final SplittableRandom chance;
    private final LifeFamily family;
    private final double calm;

    LifeCodes(SplittableRandom chance, LifeFamily family) {
        this.chance = chance;
        this.family = family;
        double[] choice = switch (family) {
            case STEADY -> new double[] {0.95, 0.97, 0.99};
            case RESTLESS, FAILOVER -> new double[] {0.75, 0.88, 0.95};
            case CODES, ODD -> new double[] {0.45, 0.6, 0.7};
            default -> new double[] {0.55, 0.75, 0.88, 0.95};
        };
        this.calm = choice[chance.nextInt(choice.length)];
    }

    /** The code of the answer to a request; late says that it was kept back. */
    Errors of(LifeMember m, LifeWire.Sent s, boolean late) {
        for (int i = 0; i < 50; i++) {
            Errors e = draw(m, s, late);
            if (!family.plain || plain(m, s, e))
                return e;
        }
        return Errors.REBALANCE_IN_PROGRESS;
    }

    private Errors draw(LifeMember m, LifeWire.Sent s, boolean late) {
        ApiKeys api = s.api();
        // The heartbeat thread has forgotten this lookup: an error that is for the user would never reach him.
        if (api == ApiKeys.FIND_COORDINATOR && family.patient && !m.lookupPending())
            return chance.nextInt(4) == 0 ? Errors.COORDINATOR_NOT_AVAILABLE : Errors.NONE;
        if (late && (api == ApiKeys.HEARTBEAT || api == ApiKeys.OFFSET_COMMIT) && chance.nextBoolean())
            return any(LATE);
        if (api == ApiKeys.JOIN_GROUP && s.member.isEmpty() && chance.nextInt(3) == 0)
            return Errors.MEMBER_ID_REQUIRED;
        double none = api == ApiKeys.HEARTBEAT ? calm - 0.1 : api == ApiKeys.FIND_COORDINATOR ? Math.max(calm, 0.75) : calm;
        // Where an answer comes out of season there are few of them: fewer of these are successes.
        boolean odd = api == ApiKeys.HEARTBEAT ? m.state != MemberState.STABLE || stale(m, s)
            : api == ApiKeys.OFFSET_COMMIT ? stale(m, s)
            : api != ApiKeys.FIND_COORDINATOR && api != ApiKeys.LEAVE_GROUP && m.state == MemberState.UNJOINED;
        if (odd)
            none = Math.min(none, 0.4);
        double r = chance.nextDouble();
        if (r < none)
            return Errors.NONE;
        if (r < none + (1 - none) * (odd ? 0.9 : family == LifeFamily.CODES ? 0.6 : 0.8))
            return any(documented(api));
        return any(ANY);
    }

    private Errors any(Errors[] of) {
        return of[chance.nextInt(of.length)];
    }

    /** The specification does with this answer what Kafka does. */
    private static boolean plain(LifeMember m, LifeWire.Sent s, Errors e) {
        if (MOVED.contains(e) && s.found != m.found)
            return false;
        boolean stale = stale(m, s);
        return switch (s.api()) {
            case JOIN_GROUP -> e != Errors.ILLEGAL_GENERATION && !oddlyRetriable(e, EnumSet.of(Errors.COORDINATOR_LOAD_IN_PROGRESS))
                && (m.state == MemberState.PREPARING_REBALANCE || e != Errors.NONE && e != Errors.MEMBER_ID_REQUIRED);
            case SYNC_GROUP -> !oddlyRetriable(e, EnumSet.noneOf(Errors.class)) && !(e == Errors.NONE && stale && m.state == MemberState.COMPLETING_REBALANCE);
            case HEARTBEAT -> stale || !DEAD.contains(e)
                || e != Errors.FENCED_INSTANCE_ID && m.state != MemberState.PREPARING_REBALANCE && !(e == Errors.ILLEGAL_GENERATION && m.joinSuccessUnread());
            case OFFSET_COMMIT -> !(MOVED.contains(e) || e == Errors.REQUEST_TIMED_OUT) || s.found == m.found;
            default -> true;
        } && !(s.api() == ApiKeys.OFFSET_COMMIT && DEAD.contains(e)
            && (stale || e != Errors.FENCED_INSTANCE_ID && (m.state == MemberState.PREPARING_REBALANCE || e == Errors.ILLEGAL_GENERATION && m.joinSuccessUnread())));
    }

    /** Kafka's class of the code can be tried again, and its handler of a join throws it all the same. */
    private static boolean oddlyRetriable(Errors e, Set<Errors> expected) {
        return e.exception() instanceof RetriableException && !MOVED.contains(e) && !expected.contains(e);
    }

    /** The member is no longer the one that the request was sent by. */
    static boolean stale(LifeMember m, LifeWire.Sent s) {
        Generation g = m.generation();
        return s.generation != g.generationId || !s.member.equals(g.memberId);
    }

    private static Errors[] documented(ApiKeys api) {
        return switch (api) {
            case FIND_COORDINATOR -> FIND;
            case JOIN_GROUP -> JOIN;
            case SYNC_GROUP -> SYNC;
            case HEARTBEAT -> HEARTBEAT;
            case LEAVE_GROUP -> LEAVE;
            case OFFSET_COMMIT -> COMMIT;
            default -> throw new IllegalArgumentException(api.name);
        };
    }
}
