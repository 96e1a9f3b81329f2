package heartbeat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// compareCoreCells gives each answer to two Cores: to one that nobody polls, so that it only handles the answer, and,
// where the facts tell what the caller does next, to one that is polled.
func compareCoreCells(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string) {
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
		core := f.core(r)
		f.answer(core)
		used := core.used()
		require.NotEmpty(t, used, "%s: nothing has decided", f)
		require.NoError(t, sameRules(f, used[:1], r.decide(f.API, f.Code, f.question())))
		want := f.shown(core, e, used)
		c.compare(f, used, want, e.shown(f))
	}
	return len(cells), brokenAnswers(broken) + comparedTwice(twice)
}

// core is set up as the client was before the answer.
func (f cellFact) core(r *oracleReading) *oracleCore {
	q := f.question()
	flags := q.flags | on(classic.RejoinNeeded, f.Before.RejoinNeeded) | on(classic.PrepareNeeded, f.Before.NeedsJoinPrepare) |
		on(classic.JoinInFlight, f.joins() || f.joining)
	core := newOracleCore(r, f.State, flags, f.Before.identity(), f.Static)
	core.reason = f.Before.RejoinReason
	core.sent(f.API, f.sentUnder())
	return core
}

func (f cellFact) joins() bool { return f.API == "JoinGroup" || f.API == "SyncGroup" }

// sentUnder is the identity that the request was sent with.
func (f cellFact) sentUnder() identity {
	switch {
	case f.Identity == "same":
		return f.Before.identity()
	case strings.HasPrefix(f.Variant, "first_join"):
		return nobody
	case f.API == "SyncGroup":
		return identity{"member-1", 6, "range"}
	}
	return identity{"member-1", 5, "range"}
}

// answer gives the Core the answer, and what the leader's assignor makes of it.
func (f cellFact) answer(c *oracleCore) {
	c.step(f.response(c))
	for _, o := range c.out {
		run, ok := o.(RunAssignment)
		switch {
		case !ok:
		case f.assignmentEnds() == "assigned":
			var plan []Assignment
			for _, m := range run.Input.Members {
				plan = append(plan, Assignment{Member: m.ID})
			}
			c.step(Assigned{Join: run.Join, Assignments: plan})
		default:
			c.step(AssignmentFailed{Join: run.Join})
		}
	}
}

// response is the answer, in the shape that the variant names.
func (f cellFact) response(c *oracleCore) Response {
	code, err := classic.ParseCode(f.Code)
	require.NoError(c.r.t, err)
	q := f.question()
	answer := Response{ID: c.lastID, Code: code}
	if f.joins() && code == classic.CodeNone {
		answer.ProtocolType, answer.Protocol = new("consumer"), new("range")
		switch {
		case q.otherType:
			answer.ProtocolType = new("connect")
		case strings.HasSuffix(f.Variant, "protocol_type_null"):
			answer.ProtocolType = nil
		case q.otherName:
			answer.Protocol = new("roundrobin")
		case strings.HasSuffix(f.Variant, "protocol_name_null"):
			answer.Protocol = nil
		case strings.HasSuffix(f.Variant, "unknown_protocol"):
			answer.Protocol = new("no-such-assignor")
		}
	}
	switch {
	case f.API == "JoinGroup" && code == classic.CodeMemberIDRequired:
		answer.Member = "member-assigned"
	case f.API == "JoinGroup":
		answer.Member, answer.Generation, answer.Leader = "member-1", 6, "member-3"
		if q.leader {
			answer.Leader, answer.Members = "member-1", []JoinMember{{ID: "member-1"}, {ID: "member-3"}}
			answer.SkipAssignment = strings.HasSuffix(f.Variant, "skip_assignment")
		}
	}
	return answer
}

// shown is what the Core shows of itself, in the words of the facts.
func (f cellFact) shown(c *oracleCore, e kafkaExceptions, used []*spec.Rule) factView {
	sent := c.requests()
	view := factView{
		"state":                c.memory.State.String(),
		"identity":             c.who.fact().String(),
		"coordinator_known":    fmt.Sprint(c.has(classic.CoordinatorKnown)),
		"lookup_in_flight":     fmt.Sprint(c.has(classic.LookupInFlight)),
		"rejoin_needed":        fmt.Sprint(c.has(classic.RejoinNeeded)),
		"rejoin_reason":        strconv.Quote(c.rejoinReason(f.API)),
		"prepare_needed":       fmt.Sprint(c.has(classic.PrepareNeeded)),
		"loop_enabled":         fmt.Sprint(c.has(classic.LoopEnabled)),
		"disconnect_requested": "false", // no effect cuts a connection
		"requests":             apis(sent),
	}
	if f.API == "FindCoordinator" { // what other answers mean for the session is not their handlers' doing, but their listeners'
		view["session_timer"] = fmt.Sprint(c.clocks.end(classic.TimerSession) != 0)
	}
	if c.has(classic.LookupFailed) {
		view["lookup_failed"] = e.own[f.Code]
	}
	if i := slices.IndexFunc(sent, func(r Request) bool { return r.API == classic.InputSyncGroup }); i >= 0 {
		view["sync_request"] = syncRequest(sent[i])
	}
	last := used[len(used)-1].Result
	e.outcome(view, c.r, f, last)
	if last.Error != "" && f.joins() {
		// The texts name codes, Kafka's their classes.
		class, _ := f.exception()
		if slices.Contains(e.classes(f.Code, last.Error), class) {
			name := strings.Replace(last.Error, "own", f.Code, 1)
			view["rejoin_reason"] = strings.Replace(view["rejoin_reason"], name, class, 1)
		}
	}
	if view["class"] != "" && last.Error != "" {
		view["class"] = f.acts(c)
	}
	return view
}

// acts is what comes of a failure, by what the Core does.
func (f cellFact) acts(c *oracleCore) string {
	class := func(fatal, pauses bool) string {
		switch {
		case fatal:
			return string(spec.Fatal)
		case pauses:
			return string(spec.Backoff)
		}
		return string(spec.Retry)
	}
	switch {
	case f.joins():
		polled := f.core(c.r)
		polled.polling = true
		f.answer(polled)
		return class(polled.raised() != nil, !polled.over(classic.TimerJoinRetry))
	case f.API == "FindCoordinator":
		return class(c.has(classic.LookupFailed), !c.over(classic.TimerLookupRetry))
	default:
		return class(!c.raised().Retriable, true)
	}
}

// shown is what Kafka's client shows after the answer was handled, and after the one who waits was told: what the join
// does with a failure is not in the cells.
func (e kafkaExceptions) shown(f cellFact) factView {
	view := factView{
		"state":                f.After.State,
		"identity":             f.After.identityFact.String(),
		"coordinator_known":    fmt.Sprint(f.After.CoordinatorKnown),
		"lookup_in_flight":     fmt.Sprint(f.After.FindCoordinatorFuture == "pending"),
		"rejoin_needed":        fmt.Sprint(f.After.RejoinNeeded),
		"rejoin_reason":        strconv.Quote(f.After.RejoinReason),
		"prepare_needed":       fmt.Sprint(f.After.NeedsJoinPrepare),
		"loop_enabled":         fmt.Sprint(f.Assigned["heartbeat_enabled"] == true),
		"disconnect_requested": fmt.Sprint(f.After.DisconnectRequested),
		"requests":             strings.Join(f.After.NextRequests, ", "),
		"lookup_failed":        f.After.FatalFindCoordinator,
	}
	if f.API == "FindCoordinator" {
		view["session_timer"] = fmt.Sprint(f.Assigned["session_timer"] == "reset")
	}
	if f.After.SyncRequest != nil {
		text, _ := json.Marshal(f.After.SyncRequest)
		view["sync_request"] = string(text)
	}
	observed := e.observed(f)
	for _, aspect := range []string{"outcome", "retriable", "class"} {
		view[aspect] = observed[aspect]
	}
	if class, failed := f.exception(); failed && f.joins() && class != e.own["MEMBER_ID_REQUIRED"] {
		view["rejoin_needed"] = "true"
		view["rejoin_reason"] = strconv.Quote("rebalance failed due to " + class)
	}
	return view
}

// syncRequest is a SyncGroup as the facts have it.
func syncRequest(r Request) string {
	for_ := []string{}
	for _, a := range r.Assignments {
		for_ = append(for_, a.Member)
	}
	var instance any
	if r.Instance != "" {
		instance = r.Instance
	}
	text, _ := json.Marshal(map[string]any{
		"generation": r.Generation, "member_id": r.Member, "group_instance_id": instance, "protocol_type": r.ProtocolType,
		"protocol": r.Protocol, "assignments_for": for_,
	})
	return string(text)
}
