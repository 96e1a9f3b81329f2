package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.MockClient;
import org.apache.kafka.common.utils.AppInfoParser;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/** The facts that one program finds. On standard output they are a head line, which says whose they are, and a line each. */
final class Facts {
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private int count;

    void add(Json fact) {
        lines.writeBytes((fact + "\n").getBytes(StandardCharsets.UTF_8));
        count++;
    }

    void print() throws Exception {
        print(new Json());
    }

    /** More is what the head says beside the version and the number of facts. */
    void print(Json more) throws Exception {
        Json head = new Json().with("kafka", AppInfoParser.getVersion()).with("commit", AppInfoParser.getCommitId())
            .with("jars", new Json().with(jar(AbstractCoordinator.class).getFileName().toString(), sum(AbstractCoordinator.class))
                .with(jar(MockClient.class).getFileName().toString(), sum(MockClient.class)))
            .with("facts", count);
        head.putAll(more);
        System.out.write((head + "\n").getBytes(StandardCharsets.UTF_8));
        lines.writeTo(System.out);
        System.out.flush();
        if (System.out.checkError())
            throw new IOException("the facts cannot be printed");
    }

    /** What is thrown, as facts have it. */
    static String describe(Throwable t) {
        return t.getClass().getSimpleName() + ":" + (t.getMessage() == null ? "" : t.getMessage());
    }

    private static Path jar(Class<?> c) throws Exception {
        return Path.of(c.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static String sum(Class<?> c) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar(c))));
    }
}
