import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Members of Apache Kafka's consumer, each in a thread of its own: they poll, commit by commitSync what they have read, and print
 * what they see as lines of JSON. They run until the process is ended.
 *
 * <p>Members BROKERS TOPIC COMMIT_MS POLL_MS MAX_POLL_MS, and for each member GROUP,SESSION_MS,HEARTBEAT_MS,CLIENT_ID
 */
public final class Members {
    public static void main(String[] args) {
        for (int i = 5; i < args.length; i++) {
            String[] member = args[i].split(",");
            new Thread(() -> run(args, member), member[3]).start();
        }
    }

    private static void run(String[] args, String[] member) {
        String topic = args[1];
        long commitMs = Long.parseLong(args[2]);
        Duration pollFor = Duration.ofMillis(Long.parseLong(args[3]));
        String name = member[3];

        Properties p = new Properties();
        p.put("bootstrap.servers", args[0]);
        p.put("group.id", member[0]);
        p.put("group.protocol", "classic");
        p.put("client.id", name);
        p.put("session.timeout.ms", member[1]);
        p.put("heartbeat.interval.ms", member[2]);
        p.put("max.poll.interval.ms", args[4]);
        p.put("enable.auto.commit", "false");
        p.put("auto.offset.reset", "earliest");
        p.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");

        Map<TopicPartition, OffsetAndMetadata> read = new HashMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(p, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(topic), new ConsumerRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Collection<TopicPartition> added) {
                    print(name, "assigned", "\"partitions\":" + added.size());
                }

                @Override
                public void onPartitionsRevoked(Collection<TopicPartition> removed) {
                    read.keySet().removeAll(removed);
                    print(name, "revoked", "\"partitions\":" + removed.size());
                }

                @Override
                public void onPartitionsLost(Collection<TopicPartition> removed) {
                    read.keySet().removeAll(removed);
                    print(name, "lost", "\"partitions\":" + removed.size());
                }
            });
            long last = 0;
            while (true) {
                try {
                    ConsumerRecords<byte[], byte[]> records = consumer.poll(pollFor);
                    for (TopicPartition t : records.partitions()) {
                        List<ConsumerRecord<byte[], byte[]>> list = records.records(t);
                        long from = list.get(0).offset();
                        long to = list.get(list.size() - 1).offset() + 1;
                        read.put(t, new OffsetAndMetadata(to));
                        print(name, "records", "\"partition\":" + t.partition() + ",\"from\":" + from + ",\"to\":" + to);
                    }
                    long now = System.nanoTime() / 1_000_000;
                    if (now - last >= commitMs && !read.isEmpty()) {
                        last = now;
                        int partitions = read.size();
                        consumer.commitSync(new HashMap<>(read));
                        print(name, "committed", "\"partitions\":" + partitions);
                    }
                } catch (InterruptException e) {
                    return;
                } catch (RuntimeException e) {
                    print(name, "failed", "\"text\":\"" + quoted(e) + "\"");
                }
            }
        }
    }

    private static String quoted(RuntimeException e) {
        return (e.getClass().getSimpleName() + ": " + e.getMessage()).replaceAll("[\\\\\"\\p{Cntrl}]", " ");
    }

    private static synchronized void print(String member, String kind, String rest) {
        System.out.println("{\"at\":" + System.currentTimeMillis() + ",\"member\":\"" + member + "\",\"kind\":\"" + kind + "\"," + rest + "}");
        System.out.flush();
    }
}
