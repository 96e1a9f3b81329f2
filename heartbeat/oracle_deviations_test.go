package heartbeat

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// partDeviations are effects and results that deviate from Kafka in every rule that has them, each with the aspects in
// which that shows. A rule's own deviation needs no list: it may show in every aspect.
var partDeviations = map[string][]string{
	"effect lose_coordinator":      {"disconnect_requested"},
	"result FindCoordinator/raise": {"fatal_find_coordinator", "assigned fatal_find_coordinator"},
}

// unreachedDeviations are rules, effects and results that deviate where none of these facts can show it.
var unreachedDeviations = map[string]string{
	"JoinGroup/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR/former": noFormer,
	"JoinGroup/DISCONNECT, MALFORMED/former/not nameless":         noFormer,
	"JoinGroup/DISCONNECT, MALFORMED/former/nameless":             noFormer,
	"effect forgive_fence":                                        noLostJoin,
	"heartbeat/poll_expired/static/join_lost":                     noLostJoin,
	"released/not leaves/join_lost":                               noLeave,
	"late_member_id/leaves/coordinator_known/same_node":           noAbandoned,
	"late_member_id/leaves/coordinator_known/not same_node":       noAbandoned,
	"late_member_id/leaves/not coordinator_known":                 noAbandoned,
	"late_member_id/not leaves":                                   noAbandoned,
	"OffsetCommit/ABANDONED/stale":                                noAbandoned,
	"result JoinGroup/sync_again":                                 unseenDeviations["result JoinGroup/sync_again"],
	"result JoinGroup/given_up":                                   noAbandoned,
	"result heartbeat/lease_ended":                                noLease,
	"result FindCoordinator/unconfirmed":                          unseenDeviations["result FindCoordinator/unconfirmed"],
	"check/join_in_flight in PREPARING_REBALANCE":                 noCheck,
	"check/loop_enabled in joined":                                noCheck,
	"effect take_coordinator":                                     noPause,
	"effect put_off_lookup":                                       noPause,
	"effect fail_join":                                            noPause,
	"effect repeat_join":                                          noPause,
	"result JoinGroup/sync_backoff":                               noPoll,
	"result JoinGroup/no_node":                                    noPoll,
	"SyncGroup/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, DISCONNECT, MALFORMED/former":                       noFormer,
	"Heartbeat/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR/former":                                              noFormer,
	"Heartbeat/DISCONNECT, MALFORMED/former":                                                                   noFormer,
	"OffsetCommit/COORDINATOR_NOT_AVAILABLE, NOT_COORDINATOR, REQUEST_TIMED_OUT, DISCONNECT, MALFORMED/former": noFormer,
	"LeaveGroup/DISCONNECT, MALFORMED/former":                                                                  unseenDeviations["LeaveGroup/DISCONNECT, MALFORMED/former"],
	"SyncGroup/NONE/rejoin_again/not leased":                                                                   "in no cell is a rejoin asked for while SyncGroup is under way",
	"SyncGroup/NONE/rejoin_again/leased":                                                                       noLease,
	"join/loop_exists and loop_failed":                                                                         unseenDeviations["join/loop_exists and loop_failed"],
	"heartbeat/not coordinator_known and not lookup_due":                                                       "one turn of the loop has no pause that has grown",
	"join/join_succeeded in not STABLE":                                                                        noPoll,
	"join/prepare_needed and identity_reset and owns":                                                          noPoll,
	"join/join_succeeded and not coordinator_known":                                                            noPoll,
	"join/not join_due":                                                      noPoll,
	"join/not rejoin_needed and not join_in_flight":                          noPoll,
	"join/not coordinator_known/not lookup_in_flight and lookup_due":         noPoll,
	"join/not coordinator_known/not lookup_in_flight and not lookup_due":     noPoll,
	"effect put_off_join":                                                    noPoll,
	"callback_failed":                                                        noPoll,
	"leave/prepare_needed and not identity_reset":                            noLeave,
	"leave/prepare_needed and identity_reset":                                noLeave,
	"leave/not prepare_needed":                                               noLeave,
	"released/leaves/has_member_id/not coordinator_known":                    noLeave,
	"released/leaves/has_member_id/coordinator_known/UNJOINED":               noLeave,
	"commit/STABLE/not outdated and not coordinator_known/not lookup_failed": noCommit,
	"commit/UNJOINED":                                                        noCommit,
}

const (
	noFormer    = "the facts of the handlers have no coordinator that was lost and found since; those of the callers have it"
	noLostJoin  = "in no fact of the handlers did the answer to an earlier JoinGroup never come"
	noAbandoned = "Kafka's client abandons no request; the lives have what it does with the answer"
	noLease     = "Kafka's client has no lease, and goes on"
	noCheck     = "one turn of the loop; the lives have it"
	noPause     = "one answer has no pause that comes before the next request; the facts of the callers and the lives have it"
	noPoll      = "the facts are of the handlers and of the heartbeat thread, not of a poll that waits; those of the callers have it"
	noLeave     = "the facts have the answer to LeaveGroup, not how a member comes to leave; those of the callers have it"
	noCommit    = "the facts have the answer to OffsetCommit, not how a member comes to commit; those of the callers have it"
)

// partsOf are the effects and results of the rules that deviate, as partDeviations names them.
func partsOf(used []*spec.Rule) []string {
	var out []string
	for _, rule := range used {
		for _, do := range rule.Effects() {
			if do.Effect.Deviates != "" {
				out = append(out, "effect "+do.Effect.Name)
			}
		}
		if rule.Result != nil && rule.Result.Deviates != "" {
			out = append(out, resultName(rule.Result))
		}
	}
	return out
}

func resultName(r *spec.Result) string { return "result " + r.Group.Name + "/" + r.Name }

// unproven are the mistakes in declarations: what deviates by the specification, and not by the facts.
func (c *oracleTally) unproven(m *spec.Machine) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	declared := map[string]bool{}
	for _, e := range m.Effects {
		if e.Deviates != "" {
			declared["effect "+e.Name] = true
		}
	}
	for _, group := range m.Results {
		for _, r := range group.Results {
			if r.Deviates != "" {
				declared[resultName(r)] = true
			}
		}
	}
	for _, part := range slices.Sorted(maps.Keys(declared)) {
		switch {
		case c.unreached[part] != "":
		case c.aspects[part] == nil:
			say("%s deviates; say in partDeviations in which aspects of a fact that shows", part)
		case reached(c.parts, part).differ == 0:
			say("%s deviates, and yet no fact differs from Kafka's; what is it that deviates?", part)
		}
	}
	for _, part := range slices.Sorted(maps.Keys(c.aspects)) {
		if !declared[part] {
			say("%s no longer deviates; delete it from partDeviations", part)
		}
	}
	known := maps.Clone(declared)
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			known[rule.Name] = rule.Deviates != ""
			r, why := reached(c.rules, rule), c.unreached[rule.Name]
			switch {
			case rule.Deviates == "":
			case r.facts == 0 && why == "":
				say("%s:%d %s deviates, and no fact reaches it; say in unreachedDeviations why not", c.file, rule.Pos.Line, rule.Name)
			case r.differ > 0 && why != "":
				say("%s:%d %s differs in %d facts; delete it from unreachedDeviations", c.file, rule.Pos.Line, rule.Name, r.differ)
			case r.facts > 0 && r.differ == 0 && why == "":
				say("%s:%d %s deviates, and yet Kafka does the same in all of %d facts; what is it that deviates?", c.file, rule.Pos.Line, rule.Name, r.facts)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.unreached)) {
		if !known[name] {
			say("%s: no such rule deviates; delete it from unreachedDeviations", name)
		}
	}
	return out
}
