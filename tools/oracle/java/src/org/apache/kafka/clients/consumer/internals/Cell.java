package org.apache.kafka.clients.consumer.internals;

import org.apache.kafka.clients.consumer.internals.AbstractCoordinator.MemberState;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

import java.util.ArrayList;
import java.util.List;

/** One question: what does the handler of an API make of an outcome, in a state, with an identity? */
record Cell(ApiKeys api, Outcome outcome, Variant variant, MemberState state, Identity identity, boolean isStatic) {
    static final List<ApiKeys> APIS = List.of(ApiKeys.HEARTBEAT, ApiKeys.JOIN_GROUP, ApiKeys.SYNC_GROUP,
        ApiKeys.LEAVE_GROUP, ApiKeys.FIND_COORDINATOR, ApiKeys.OFFSET_COMMIT);

    /**
     * How the request was sent, or the shape of the response; "" where an API has but one. A variant that has another to be
     * like is a fact only where it is not.
     */
    record Variant(String name, String like) {
    }

    boolean is(String variant) {
        return this.variant.name.equals(variant);
    }

    Cell like() {
        return new Cell(api, outcome, new Variant(variant.like, null), state, identity, isStatic);
    }

    /** The cells of one API, in the order of the facts. */
    static List<Cell> of(ApiKeys api) {
        List<Cell> cells = new ArrayList<>();
        for (Outcome outcome : Outcome.all())
            for (Variant variant : variants(api, outcome))
                for (MemberState state : MemberState.values())
                    for (Identity identity : Identity.values())
                        for (boolean isStatic : new boolean[] {false, true})
                            cells.add(new Cell(api, outcome, variant, state, identity, isStatic));
        return cells;
    }

    private static List<Variant> variants(ApiKeys api, Outcome outcome) {
        List<Variant> variants = new ArrayList<>();
        boolean none = outcome.error() == Errors.NONE;
        boolean answered = outcome.error() != null;
        switch (api) {
            case HEARTBEAT -> add(variants, "");
            case JOIN_GROUP -> {
                for (String how : List.of("rejoin", "first_join"))
                    if (none)
                        add(variants, how + "_follower", how + "_leader", how + "_leader_skip_assignment", how + "_leader_unknown_protocol",
                            how + "_leader_unparsable_member", how + "_protocol_type_inconsistent", how + "_protocol_type_null");
                    else
                        add(variants, how);
            }
            case SYNC_GROUP -> {
                add(variants, "follower");
                variants.add(new Variant("leader", "follower"));
                if (none)
                    add(variants, "protocol_name_inconsistent", "protocol_name_null", "protocol_type_inconsistent", "protocol_type_null");
            }
            case LEAVE_GROUP -> {
                add(variants, "top_level");
                if (answered)
                    variants.add(new Variant("member_level", "top_level"));
                if (none)
                    variants.add(new Variant("no_members", "top_level"));
                if (none || outcome.error() == Errors.UNKNOWN_MEMBER_ID)
                    add(variants, "two_members");
            }
            case FIND_COORDINATOR -> {
                add(variants, "first_lookup", "relookup");
                if (answered)
                    variants.add(new Variant("relookup_old_format", "relookup"));
                if (none || outcome.error() == Errors.COORDINATOR_NOT_AVAILABLE)
                    add(variants, "relookup_two_coordinators");
            }
            case OFFSET_COMMIT -> {
                add(variants, "auto_assigned");
                if (none)
                    add(variants, "auto_assigned_empty_response", "auto_assigned_unknown_partition");
                add(variants, "manual_assignment");
            }
            default -> throw new IllegalArgumentException(api.name);
        }
        return variants;
    }

    private static void add(List<Variant> variants, String... names) {
        for (String name : names)
            variants.add(new Variant(name, null));
    }
}
