package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Chance: what happens to a member, drawn from a seed. It decides inputs only. */
final class LifeFate {
    /** Longer than any backoff with its jitter. */
    private static final int REST_MS = 1200;
    /** A sound life keeps away by this from the end of its session. */
    private static final int MARGIN_MS = 6000;
    /** Of twenty lives: how many are of each family, in its order. */
    private static final int[] SHARES = {3, 4, 4, 3, 3, 1, 2};

    private final SplittableRandom chance;
    private final LifeConfig config;
    private final LifeCodes codes;
    private final LifeBroker broker;
    private final double oldest;
    private final double restless;
    private final double hold;
    private final double mute;
    private int idle;
    private boolean uselessPoll;
    /** Requests whose answer is kept back, with the step when it may come. */
    private final Map<Integer, Integer> held = new HashMap<>();
    private int seen;
    private int now;

    LifeFate(long seed, int life) {
        long z = seed * 0x9E3779B97F4A7C15L + life;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        chance = new SplittableRandom(z ^ (z >>> 31));
        config = new LifeConfig();
        config.family = family(chance.nextInt(20));
        configure();
        codes = new LifeCodes(chance, config.family);
        broker = new LifeBroker(chance);
        oldest = pick(0.9, 0.6, 0.3);
        restless = switch (config.family) {
            case STEADY -> 0.3;
            case RESTLESS -> pick(2.5, 4.0);
            default -> pick(0.3, 1.0, 2.5);
        };
        hold = config.family == LifeFamily.ODD ? 0.4 : pick(0.0, 0.1, 0.3);
        mute = config.family == LifeFamily.FAILOVER ? 0.15 : 0.03;
    }

    private static LifeFamily family(int n) {
        int i = 0;
        while (n >= SHARES[i])
            n -= SHARES[i++];
        return LifeFamily.values()[i];
    }

    private void configure() {
        boolean plain = config.family.plain;
        boolean sound = config.family.sound;
        config.instance = chance.nextDouble() < 0.3 ? "i1" : null;
        config.heartbeatMs = pick(1000, 2000, 3000);
        config.sessionMs = sound ? pick(30_000, 45_000, 60_000) : pick(6000, 10_000, 10_000, 30_000, 45_000);
        while (config.sessionMs <= config.heartbeatMs)
            config.sessionMs *= 2;
        // A static member that does not poll in time is one that the specification treats otherwise.
        config.maxPollMs = plain && config.instance != null ? 300_000 : pick(5000, 8000, 15_000, 30_000, 60_000, 300_000);
        config.protocols = chance.nextInt(3) == 0 ? List.of("range") : List.of("range", "sticky");
        config.wakesEach = chance.nextDouble() < 0.25;
    }

    LifeConfig config() {
        return config;
    }

    void live(Life life, int steps) {
        for (int i = 0; i < steps && !life.closed(); i++)
            act(life, i == 0);
        if (!life.closed())
            life.close(operation(life));
        for (int i = chance.nextInt(3); i > 0 && !life.inFlight().isEmpty(); i--)
            answer(life, choose(life.inFlight()));
    }

    private void act(Life life, boolean first) {
        List<LifeWire.Sent> flying = answerable(life);
        LifeMember m = life.member;
        if (first) {
            poll(life);
            return;
        }
        if (life.overdue() != null) {
            life.timeOut(life.overdue());
            return;
        }
        if (config.family.patient && patience(life, flying))
            return;
        if (idle > 0 && m.joined()) {
            idle--;
            if (!flying.isEmpty() && chance.nextInt(10) < 7)
                answerWith(life, flying.get(0), chance.nextInt(10) < 9 && plainSuccess(m, flying.get(0)) ? Errors.NONE : code(life, flying.get(0)));
            else if (chance.nextInt(8) == 0)
                commit(life);
            else
                advance(life, chance.nextInt(4) == 0 ? 100 + chance.nextInt(200) : config.heartbeatMs + chance.nextInt(100));
            return;
        }
        idle = 0;
        if (flying.size() < life.inFlight().size() && m.state == MemberState.STABLE && chance.nextInt(6) == 0 && rejoin(life))
            return;
        int polls = uselessPoll ? 6 : 30;
        int answers = flying.isEmpty() ? 0 : 38;
        int commits = config.family == LifeFamily.ODD ? 12 : 4;
        double r = chance.nextDouble() * (polls + answers + 20 + commits + 9 * restless);
        if ((r -= polls) < 0)
            poll(life);
        else if ((r -= answers) < 0)
            answer(life, choose(flying));
        else if ((r -= 20) < 0)
            advance(life, duration());
        else if ((r -= commits) < 0)
            commit(life);
        else
            rarely(life, flying, r / restless);
    }

    private void rarely(Life life, List<LifeWire.Sent> flying, double r) {
        LifeMember m = life.member;
        if ((r -= config.family == LifeFamily.FAILOVER ? 5 : 3) < 0) {
            if (flying.isEmpty() || !cut(life, choose(flying)))
                poll(life);
        } else if ((r -= 2) < 0) {
            if (!rejoin(life))
                poll(life);
        } else if ((r -= 2) < 0) {
            if (keepsId(m))
                poll(life);
            else
                life.leave();
        } else if ((r -= 1.9) < 0) {
            idle = m.joined() ? 6 + chance.nextInt(10) : 0;
            advance(life, duration());
        } else if (!config.family.sound || chance.nextInt(3) == 0) {
            life.close(operation(life));
        } else {
            poll(life);
        }
    }

    /** What is in flight, without the answers that are kept back: until the member is in another generation, or the time is over. */
    private List<LifeWire.Sent> answerable(Life life) {
        now++;
        List<LifeWire.Sent> l = new ArrayList<>();
        LifeMember m = life.member;
        for (LifeWire.Sent s : life.inFlight()) {
            if (s.id > seen) {
                seen = s.id;
                if (mayBeLate(s) && chance.nextDouble() < hold)
                    held.put(s.id, now + 12 + chance.nextInt(30));
                else if (s.api() != ApiKeys.HEARTBEAT && s.api() != ApiKeys.FIND_COORDINATOR && chance.nextDouble() < mute)
                    held.put(s.id, now + 40);
            }
            boolean late = mayBeLate(s) && LifeCodes.stale(m, s) && (m.state == MemberState.STABLE
                || s.id % 3 == 0 && m.state == MemberState.COMPLETING_REBALANCE);
            if (held.getOrDefault(s.id, 0) <= now || late && chance.nextBoolean())
                l.add(s);
        }
        return l;
    }

    private static boolean mayBeLate(LifeWire.Sent s) {
        return s.api() == ApiKeys.HEARTBEAT || s.api() == ApiKeys.OFFSET_COMMIT;
    }

    /** What a patient life does before anything else, so that no backoff is cut short and no lookup is sent twice. */
    private boolean patience(Life life, List<LifeWire.Sent> flying) {
        LifeMember m = life.member;
        boolean sound = config.family.sound;
        for (LifeWire.Sent s : flying)
            if (s.api() == ApiKeys.FIND_COORDINATOR) {
                answer(life, chance.nextInt(5) == 0 ? choose(flying) : s);
                return true;
            }
        // What has failed for good is thrown by the next poll.
        if (m.lookupFailureFatal()) {
            poll(life);
            return true;
        }
        // A plain life hears of its assignment from a coordinator that is known; the heartbeat thread finds it.
        if (config.family.plain && !m.coordinatorKnown() && m.joinPending() && !m.waitsForJoin() && m.joined()) {
            advance(life, 1);
            return true;
        }
        // A failed join or lookup is read by one poll and tried again by the next: at once, or after a long rest, never in between.
        long sinceJoin = life.clock.milliseconds() - m.joinFailedAt();
        if (m.joinFailureUnread()) {
            if (sinceJoin > 0 && (sinceJoin < REST_MS || m.coordinatorKnown() && m.heartbeatDue())) {
                rest(life);
                return true;
            }
            if (m.coordinatorKnown()) {
                poll(life);
                return true;
            }
        } else if (m.joinRetryPending(sound) && !m.joinPending()) {
            if (sinceJoin < REST_MS) {
                rest(life);
                return true;
            }
            if (m.coordinatorKnown()) {
                poll(life);
                return true;
            }
        }
        if (m.lookupRetryPending(sound)) {
            if (m.lookupFailedAt() + REST_MS > life.clock.milliseconds())
                rest(life);
            else
                poll(life);
            return true;
        }
        return false;
    }

    /** Whether the answer may come inside a poll, in a patient life: not if that poll would go on to what has to wait. */
    private boolean mayPoll(Life life, boolean lookup) {
        LifeMember m = life.member;
        long sinceJoin = life.clock.milliseconds() - m.joinFailedAt();
        if (m.joinRetryPending(config.family.sound) && sinceJoin < REST_MS && !(m.joinFailureUnread() && sinceJoin == 0))
            return false;
        return !(lookup && m.heartbeatDue());
    }

    private void poll(Life life) {
        life.poll();
        uselessPoll = life.sentInLast == 0;
    }

    private void rest(Life life) {
        advance(life, 0);
    }

    /** Time passes; 0 is for a rest. A sound life does not let its session end: it lets a heartbeat be answered first. */
    private void advance(Life life, long ms) {
        LifeMember m = life.member;
        boolean rest = config.family.patient && (ms == 0 || m.heartbeatRetryPending() || m.joinFailureUnread());
        if (rest)
            ms = Math.max(ms, REST_MS + chance.nextInt(300));
        if (config.family.sound && m.joined()) {
            long left = m.aliveAt + config.sessionMs - MARGIN_MS - life.clock.milliseconds();
            LifeWire.Sent heartbeat = life.inFlight().stream().filter(s -> s.api() == ApiKeys.HEARTBEAT).findFirst().orElse(null);
            if (left < ms && heartbeat != null) {
                answerWith(life, heartbeat, Errors.NONE);
                return;
            }
            ms = Math.max(rest ? REST_MS : 100, Math.min(ms, left));
        }
        life.advance(ms, rest || !config.wakesEach);
        uselessPoll = false;
    }

    private void answer(Life life, LifeWire.Sent s) {
        uselessPoll = false;
        if (chance.nextInt(30) > 0 || !cut(life, s))
            answerWith(life, s, code(life, s));
    }

    private Errors code(Life life, LifeWire.Sent s) {
        LifeMember m = life.member;
        // The session is near its end: a sound life needs its coordinator.
        if (config.family.sound && m.joined() && m.aliveAt + config.sessionMs - 2 * MARGIN_MS < life.clock.milliseconds()
            && (s.api() == ApiKeys.FIND_COORDINATOR || s.api() == ApiKeys.HEARTBEAT))
            return Errors.NONE;
        return codes.of(m, s, held.containsKey(s.id));
    }

    private boolean plainSuccess(LifeMember m, LifeWire.Sent s) {
        return !config.family.plain || s.api() != ApiKeys.JOIN_GROUP || m.state == MemberState.PREPARING_REBALANCE;
    }

    private void answerWith(Life life, LifeWire.Sent s, Errors e) {
        LifeMember m = life.member;
        LifeBroker.Answer a = broker.answer(config, s, e);
        boolean lookup = s.api() == ApiKeys.FIND_COORDINATOR;
        boolean inPoll = !life.closed() && idle == 0 && (!config.family.patient || mayPoll(life, lookup)) && life.pollWaitsFor(s)
            && chance.nextInt(10) < (lookup && config.family.patient ? 8 : 3);
        if (s.api() == ApiKeys.HEARTBEAT && (e == Errors.NONE || e == Errors.REBALANCE_IN_PROGRESS)
            || s.api() == ApiKeys.JOIN_GROUP && e == Errors.NONE && m.state == MemberState.PREPARING_REBALANCE)
            m.aliveAt = life.clock.milliseconds();
        if (lookup && e == Errors.NONE)
            m.found++;
        life.respond(s.request, a.response(), a.json(), inPoll);
    }

    /** Cuts a connection; a plain life none that belongs to a former coordinator. */
    private boolean cut(Life life, LifeWire.Sent s) {
        if (config.family.plain && s.api() != ApiKeys.FIND_COORDINATOR
            && life.wire.on(s.request.destination()).stream().anyMatch(other -> other.found != life.member.found))
            return false;
        life.disconnect(s);
        return true;
    }

    /** Asks for a rebalance; a plain life not while it joins. */
    private boolean rejoin(Life life) {
        if (config.family.plain && life.member.joinPending())
            return false;
        life.rejoin();
        return true;
    }

    private void commit(Life life) {
        if (life.member.coordinatorKnown() || life.member.state == MemberState.STABLE)
            life.commit();
        else
            poll(life);
    }

    /** A member whose id has outlived its generation leaves otherwise by the specification. */
    private boolean keepsId(LifeMember m) {
        return config.family.plain && m.state == MemberState.UNJOINED && !m.generation().memberId.isEmpty();
    }

    private LifeWire.Sent choose(List<LifeWire.Sent> flying) {
        return flying.get(chance.nextDouble() < oldest ? 0 : chance.nextInt(flying.size()));
    }

    private GroupMembershipOperation operation(Life life) {
        GroupMembershipOperation o = pick(GroupMembershipOperation.DEFAULT, GroupMembershipOperation.DEFAULT,
            GroupMembershipOperation.LEAVE_GROUP, GroupMembershipOperation.REMAIN_IN_GROUP);
        return keepsId(life.member) ? GroupMembershipOperation.REMAIN_IN_GROUP : o;
    }

    private long duration() {
        int kind = chance.nextInt(100);
        if (kind < 18)
            return 1 + chance.nextInt(99);
        if (kind < 36)
            return 100 + chance.nextInt(150);
        if (kind < 68)
            return config.heartbeatMs + chance.nextInt(100);
        if (kind < 80)
            return 1200 + chance.nextInt(300);
        if (kind < 88)
            return config.sessionMs - 200 + chance.nextInt(400);
        if (kind < 96)
            return config.maxPollMs - 200 + chance.nextInt(400);
        return Math.max(config.sessionMs, config.maxPollMs) + 1000 + chance.nextInt(config.sessionMs);
    }

    @SafeVarargs
    private <T> T pick(T... of) {
        return of[chance.nextInt(of.length)];
    }
}
