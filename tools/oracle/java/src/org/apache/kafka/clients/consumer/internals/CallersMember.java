package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.GroupRebalanceConfig;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.utils.LogContext;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Timer;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Apache Kafka's AbstractCoordinator with the methods that it leaves to its users; each does what the scene says. */
final class CallersMember extends AbstractCoordinator {
    /** What the application does when it is told something. */
    interface Application {
        /** Returns false where the application says so, and throws where it throws. */
        boolean told(Json what);
    }

    private final Application application;

    CallersMember(GroupRebalanceConfig config, ConsumerNetworkClient client, Metrics metrics, Time time, Application application,
                  Optional<Supplier<BaseHeartbeatThread>> thread) {
        super(config, new LogContext(), client, metrics, "oracle", time, Optional.empty(), thread);
        this.application = application;
    }

    @Override
    protected String protocolType() {
        return CallersAnswers.TYPE;
    }

    @Override
    protected JoinGroupRequestData.JoinGroupRequestProtocolCollection metadata() {
        JoinGroupRequestData.JoinGroupRequestProtocolCollection c = new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        c.add(new JoinGroupRequestData.JoinGroupRequestProtocol().setName(CallersAnswers.PROTOCOL).setMetadata(new byte[0]));
        return c;
    }

    @Override
    protected boolean onJoinPrepare(Timer timer, int generation, String memberId) {
        return application.told(new Json().with("told", "join_prepare").with("generation", generation).with("member", memberId));
    }

    @Override
    protected Map<String, ByteBuffer> onLeaderElected(String leaderId, String protocol,
                                                      List<JoinGroupResponseData.JoinGroupResponseMember> members, boolean skipAssignment) {
        application.told(new Json().with("told", "leader_elected").with("member", leaderId));
        Map<String, ByteBuffer> plan = new LinkedHashMap<>();
        members.forEach(m -> plan.put(m.memberId(), ByteBuffer.allocate(0)));
        return plan;
    }

    @Override
    protected void onJoinComplete(int generation, String memberId, String protocol, ByteBuffer assignment) {
        application.told(new Json().with("told", "join_complete").with("generation", generation).with("member", memberId));
    }

    @Override
    protected void onLeavePrepare() {
        Generation g = generation();
        application.told(new Json().with("told", "leave_prepare").with("generation", g.generationId).with("member", g.memberId));
    }

    /** ConsumerCoordinator.poll of a consumer that is subscribed to topics, without what it does beside the group. */
    boolean poll(Timer timer) {
        pollHeartbeat(timer.currentTimeMs());
        if (coordinatorUnknown() && !ensureCoordinatorReady(timer))
            return false;
        return !rejoinNeededOrPending() || ensureActiveGroup(timer);
    }
}
