package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.NetworkClientDelegate.UnsentRequest;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ConsumerGroupHeartbeatRequest;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Random lives of members of the consumer protocol: answers come late and in any order, callbacks fail, the application goes quiet. */
final class ConsumerWalk {
    private static final List<Errors> CODES = List.of(Errors.COORDINATOR_LOAD_IN_PROGRESS, Errors.NOT_COORDINATOR, Errors.UNKNOWN_MEMBER_ID,
        Errors.TOPIC_AUTHORIZATION_FAILED, Errors.GROUP_ID_NOT_FOUND, Errors.INVALID_REQUEST);

    private final Random random;
    private final BiConsumer<MemberState, MemberState> changed;
    private final Consumer<String> thrown;

    private ConsumerFixture f;
    private List<UnsentRequest> inFlight;
    private int epoch;

    ConsumerWalk(long seed, BiConsumer<MemberState, MemberState> changed, Consumer<String> thrown) {
        this.random = new Random(seed);
        this.changed = changed;
        this.thrown = thrown;
    }

    /** A third of the members is static, half of them commit by themselves, and a quarter gets to know the topic late. */
    void live(int number, int steps) {
        f = new ConsumerFixture(number % 3 == 0, number % 2 == 0, number % 4 != 1);
        f.changes.listen(changed);
        inFlight = new ArrayList<>();
        epoch = 1;
        for (int i = 0; i < steps; i++) {
            try {
                step();
            } catch (RuntimeException e) {
                thrown.accept(Facts.describe(e));
            }
        }
    }

    private void step() {
        switch (random.nextInt(14)) {
            case 0, 1 -> {
                f.subscribe();
                f.poll();
            }
            case 2, 3 -> {
                f.poll();
                f.member.poll(f.time.milliseconds()); // between polls
            }
            case 4, 5, 6 -> {
                UnsentRequest heartbeat = f.turn();
                if (heartbeat != null)
                    inFlight.add(heartbeat);
            }
            case 7, 8 -> {
                if (!inFlight.isEmpty())
                    succeed(any());
            }
            case 9 -> {
                if (!inFlight.isEmpty())
                    fail(any());
            }
            case 10 -> f.callbacks.end(random.nextInt(6) != 0);
            case 11 -> f.time.sleep(random.nextInt(40) == 0 ? ConsumerFixture.MAX_POLL_MS + 1 : random.nextInt(6_000));
            case 12 -> {
                if (random.nextInt(3) == 0)
                    f.member.leaveGroup();
                else if (random.nextInt(6) == 0)
                    f.learnTopic();
            }
            default -> {
                if (!f.coordinatorKnown() && random.nextBoolean())
                    f.lookUp();
            }
        }
    }

    private UnsentRequest any() {
        return inFlight.remove(random.nextInt(inFlight.size()));
    }

    private void succeed(UnsentRequest heartbeat) {
        ConsumerGroupHeartbeatRequestData sent = ((ConsumerGroupHeartbeatRequest.Builder) heartbeat.requestBuilder()).build().data();
        if (sent.memberEpoch() < 0) {
            ConsumerAnswers.answer(f, heartbeat, ConsumerAnswers.success(sent.memberEpoch()));
            return;
        }
        epoch++;
        ConsumerGroupHeartbeatResponseData answer = switch (random.nextInt(4)) {
            case 0 -> ConsumerAnswers.assigned(epoch);
            case 1 -> ConsumerAnswers.assigned(epoch, 0, 1);
            case 2 -> ConsumerAnswers.assigned(epoch, 1, 2, 3);
            default -> ConsumerAnswers.success(epoch);
        };
        ConsumerAnswers.answer(f, heartbeat, answer);
    }

    private void fail(UnsentRequest heartbeat) {
        int choice = random.nextInt(CODES.size() * 4);
        if (choice < CODES.size())
            ConsumerAnswers.fail(f, heartbeat, CODES.get(choice));
        else if (choice % 2 == 0)
            ConsumerAnswers.end(f, heartbeat, new Outcome(null, Outcome.Unanswered.DISCONNECT), null);
        else
            ConsumerAnswers.fail(f, heartbeat, Errors.FENCED_MEMBER_EPOCH);
    }
}
