package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Prints what the callers of the response handlers do: a fact a line, each a short life with calls that wait. */
public final class Callers {
    /** How a request can end beside by a code: cut, never sent, refused by the client, refused by the broker, never answered. */
    static final List<String> ENDINGS = List.of("DISCONNECT", "SEND_TIMEOUT", "VERSION_MISMATCH", "AUTHENTICATION_EXCEPTION", "SILENCE");
    static final boolean[] BOTH = {false, true};

    private final Facts facts = new Facts();

    public static void main(String[] args) throws Exception {
        Callers all = new Callers();
        CallersJoins.facts(all);
        CallersLookups.facts(all);
        CallersCommits.facts(all);
        CallersDeaths.facts(all);
        CallersCallbacks.facts(all);
        CallersLeaves.facts(all);
        CallersHeartbeats.facts(all);
        all.facts.print();
    }

    /** Runs a scene, and keeps what was seen. */
    void scene(CallersScene.Setting setting, Consumer<CallersScene> run) {
        try (CallersScene scene = new CallersScene(setting)) {
            run.accept(scene);
            facts.add(scene.fact());
        } catch (RuntimeException e) {
            throw new IllegalStateException(setting.toString(), e);
        }
    }

    static List<Errors> codes() {
        Errors[] all = Errors.values();
        Arrays.sort(all, Comparator.comparingInt(Errors::code));
        return List.of(all);
    }

    /** All codes but NONE, and the endings without one. */
    static List<String> failures() {
        List<String> all = new ArrayList<>();
        for (Errors e : codes())
            if (e != Errors.NONE)
                all.add(e.name());
        all.addAll(ENDINGS);
        return all;
    }

    /** The same end n times in a row. */
    static String[] times(String with, int n) {
        String[] all = new String[n];
        Arrays.fill(all, with);
        return all;
    }

    static Json of(ApiKeys api, String code, String as) {
        return new Json().with("api", CallersAnswers.name(api)).with("code", code).with("as", as);
    }
}
