package heartbeat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

func (f cellFact) String() string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s in %s, identity %s, static %t %s", f.API, f.Code, f.State, f.Identity, f.Static, f.Variant))
	if f.joining {
		text += ", with a JoinGroup under way"
	}
	return text
}

// protocolBroken says why a cell is not compared: its answer is one that no broker gives. Kafka's handlers throw then.
func (f cellFact) protocolBroken() string {
	switch {
	case f.Variant == "two_members":
		return "LeaveGroup for one member is answered for two"
	case f.Variant == "relookup_two_coordinators":
		return "FindCoordinator for one group is answered for two"
	case strings.HasSuffix(f.Variant, "unknown_partition"):
		return "OffsetCommit is answered for a partition that it did not name"
	}
	return ""
}

func (f cellFact) question() factQuestion {
	_, role, _ := strings.Cut(f.Variant, "join_")
	return factQuestion{
		state: f.State,
		flags: on(classic.CoordinatorKnown, f.Before.CoordinatorKnown) | on(classic.LookupInFlight, f.API == "FindCoordinator") |
			on(classic.JoinInFlight, f.joins() || f.joining),
		// A first join was sent without an identity, so that to have none still is the same.
		stale:     f.Identity != "same" && !(f.Identity == "reset" && strings.HasPrefix(f.Variant, "first_join")),
		static:    f.Static,
		otherType: strings.HasSuffix(f.Variant, "protocol_type_inconsistent"),
		otherName: strings.HasSuffix(f.Variant, "protocol_name_inconsistent"),
		leader:    strings.HasPrefix(role, "leader"),
		nameless:  f.API == "JoinGroup" && f.sentUnder().member == "" && f.Static,
	}
}

// assignmentEnds is the event with which the leader's assignment ends. Kafka makes the assignment, or fails to, within
// the handler of JoinGroup, so that its cell shows both.
func (f cellFact) assignmentEnds() string {
	if strings.HasSuffix(f.Variant, "leader_unknown_protocol") || strings.HasSuffix(f.Variant, "leader_unparsable_member") {
		return "assignment_failed"
	}
	return "assigned"
}

func compareCells(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
	cells := bothWays(t)
	e := newKafkaExceptions(cells)
	broken, twice := 0, 0
	for _, f := range cells {
		if f.joining {
			twice++
		}
		if f.protocolBroken() != "" {
			broken++
			continue
		}
		q := f.question()
		used := []*spec.Rule{r.decide(f.API, f.Code, q)}
		last := used[0]
		if has(last.Do, "run_assignment") {
			q.state = nextState(last, q.state)
			last = r.decide(f.assignmentEnds(), "", q)
			used = append(used, last)
		}
		want := e.expected(f, used)
		e.outcome(want, r, f, last.Result)
		c.compare(f, used, want, e.observed(f))
	}
	return len(cells), brokenAnswers(broken) + comparedTwice(twice)
}

// bothWays are the cells, and once more those for which it makes no difference to Kafka's client whether a JoinGroup is under
// way, and does here.
func bothWays(t testing.TB) []cellFact {
	cells := readFacts[cellFact](t, "cells")
	all := slices.Clone(cells)
	for _, f := range cells {
		if f.protocolBroken() == "" && f.State == classic.PreparingRebalance.String() && (f.API == "Heartbeat" || f.API == "OffsetCommit") {
			f.joining = true
			all = append(all, f)
		}
	}
	return all
}

func comparedTwice(n int) string {
	return fmt.Sprintf("%d of the facts are compared twice: Kafka's handler does not ask whether a JoinGroup is under way\n", n)
}

func brokenAnswers(n int) string { return fmt.Sprintf("%d are answers that no broker gives\n", n) }

// expected is what the effects of the rules make of the member.
func (e kafkaExceptions) expected(f cellFact, used []*spec.Rule) factView {
	want := factView{}
	state, id, known, inFlight := f.State, f.Before.identityFact, f.Before.CoordinatorKnown, f.API == "FindCoordinator"
	var sent []string
	for _, rule := range used {
		state = nextState(rule, state)
		for _, do := range visibleEffects(f, rule) {
			x := do.Effect
			for _, in := range x.Sends {
				sent = append(sent, in.Name)
			}
			switch takes, drops := identityNames(x.Takes), identityNames(x.Drops); {
			case takes == "member_id":
				id = identityFact{MemberID: "member-assigned", Generation: -1}
				want["assigned generation"] = "new"
			case takes != "":
				protocol := "range"
				if strings.HasSuffix(f.Variant, "unknown_protocol") {
					protocol = "no-such-assignor"
				}
				id = identityFact{MemberID: "member-1", Generation: 6, Protocol: &protocol}
				want["assigned generation"] = "new"
			case drops == "generation":
				id = identityFact{MemberID: id.MemberID, Generation: -1}
				want["assigned generation"] = "new"
			case drops != "":
				id = identityFact{Generation: -1}
				want["assigned generation"] = "NO_GENERATION"
			}
			for _, flag := range x.Sets {
				switch flag.Name {
				case "rejoin_needed":
					want["assigned rejoin_needed"] = "true"
					want["assigned rejoin_reason"] = strconv.Quote(f.expand(do.Text))
				case "prepare_needed":
					want["assigned needs_join_prepare"] = "true"
				case "loop_enabled":
					want["assigned heartbeat_enabled"] = "true"
				case "coordinator_known":
					known = true
				case "lookup_failed":
					want["fatal_find_coordinator"] = e.own[f.Code]
					want["assigned fatal_find_coordinator"] = e.own[f.Code]
				}
			}
			for _, flag := range x.Clears {
				switch flag.Name {
				case "rejoin_needed":
					want["assigned rejoin_needed"] = "false"
					want["assigned rejoin_reason"] = `""`
				case "coordinator_known":
					known = false
				case "lookup_in_flight":
					inFlight = false
				}
			}
			// With the loop Kafka enables all its timers at once; the facts show the session's alone only elsewhere.
			enables := slices.ContainsFunc(x.Sets, func(flag *spec.Flag) bool { return flag.Name == "loop_enabled" })
			if !enables && slices.ContainsFunc(x.Starts, func(timer *spec.Timer) bool { return timer.Name == "session" }) {
				want["assigned session_timer"] = "reset"
			}
		}
	}
	want["state"] = state
	want["identity"] = id.String()
	want["member_id_kept"] = fmt.Sprint(id.MemberID == f.Before.MemberID)
	want["generation_kept"] = fmt.Sprint(id.Generation == f.Before.Generation)
	want["coordinator_known"] = fmt.Sprint(known)
	want["disconnect_requested"] = "false" // no effect cuts a connection
	want["lookup_in_flight"] = fmt.Sprint(inFlight)
	want["requests"] = strings.Join(sent, ", ")
	return want
}

// visibleEffects are those that a cell shows. What a result does is done by who waits, whom the cells leave out; but
// what becomes of a lookup is written down by its own handler.
func visibleEffects(f cellFact, rule *spec.Rule) []spec.Do {
	if f.API == "FindCoordinator" {
		return rule.Effects()
	}
	return rule.Do
}

// expand fills a text's placeholders as Kafka does.
func (f cellFact) expand(text string) string {
	return fsm.Text(text).Expand(func(placeholder string) string {
		switch placeholder {
		case "code":
			return f.Code
		case "api":
			return kafkaAPI(f.API)
		case "member_id":
			return "member-assigned"
		}
		return "{" + placeholder + "}"
	})
}

// kafkaAPI is how the reasons of Kafka's client name an API.
func kafkaAPI(name string) string {
	return map[string]string{"Heartbeat": "HEARTBEAT", "JoinGroup": "JOIN_GROUP", "SyncGroup": "SYNC_GROUP", "OffsetCommit": "OFFSET_COMMIT"}[name]
}

// observed is what the cell shows.
func (e kafkaExceptions) observed(f cellFact) factView {
	got := factView{
		"state":                  f.After.State,
		"identity":               f.After.identityFact.String(),
		"member_id_kept":         fmt.Sprint(f.After.MemberIDKept),
		"generation_kept":        fmt.Sprint(f.After.GenerationKept),
		"coordinator_known":      fmt.Sprint(f.After.CoordinatorKnown),
		"disconnect_requested":   fmt.Sprint(f.After.DisconnectRequested),
		"lookup_in_flight":       fmt.Sprint(f.After.FindCoordinatorFuture == "pending"),
		"fatal_find_coordinator": f.After.FatalFindCoordinator,
		"requests":               strings.Join(f.After.NextRequests, ", "),
		"outcome":                f.Future,
	}
	for field, value := range f.Assigned {
		got["assigned "+field] = fmt.Sprint(value)
	}
	if reason, ok := f.Assigned["rejoin_reason"]; ok {
		got["assigned rejoin_reason"] = strconv.Quote(fmt.Sprint(reason))
	}
	if class, ok := f.exception(); ok {
		got["outcome"] = "failure of " + class
		got["retriable"] = fmt.Sprint(f.Retriable)
		got["class"] = e.class(f, class)
	} else if f.Future == "success" {
		got["class"] = string(spec.OK)
	}
	return got
}

func (id identityFact) String() string {
	protocol := "none"
	if id.Protocol != nil {
		protocol = *id.Protocol
	}
	return fmt.Sprintf("generation %d of %q, protocol %s", id.Generation, id.MemberID, protocol)
}

func nextState(rule *spec.Rule, state string) string {
	if len(rule.To) == 0 {
		return state
	}
	return rule.To[len(rule.To)-1].Name
}

func identityNames(ids []*spec.Identity) string {
	var out []string
	for _, id := range ids {
		out = append(out, id.Name)
	}
	return strings.Join(out, ", ")
}
