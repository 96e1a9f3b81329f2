package heartbeat

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// oracleReading decides as the generated package does, and knows of each rule what the specification declares of it.
type oracleReading struct {
	t       testing.TB
	machine *spec.Machine
	rules   map[string]*spec.Rule // by name
	same    map[*classic.Rule]*spec.Rule
	cases   map[string]*spec.Case // casesByCode
}

// factQuestion is what a decision is asked beside the code: the member's memory, and the guards.
type factQuestion struct {
	state string
	flags classic.Flags

	stale, static, leader, otherType, otherName, nameless bool
	sessionExpired, pollExpired, heartbeatDue, lookupDue  bool
}

func newOracleReading(t testing.TB) *oracleReading {
	t.Helper()
	m, err := spec.Load("../spec/classic.yaml")
	require.NoError(t, err)
	require.Equal(t, m.Sum, classic.Sum, "fsm/classic was not generated from spec/classic.yaml as it is; run make generate")
	r := &oracleReading{t: t, machine: m, rules: map[string]*spec.Rule{}, same: map[*classic.Rule]*spec.Rule{}}
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			require.NotContains(t, r.rules, rule.Name, "two rules have one name")
			r.rules[rule.Name] = rule
		}
	}
	return r
}

// decide asks the generated package. code is "" for loops and events. No fact is about an answer that comes after the
// coordinator has moved, so that no guard `former` ever holds.
func (r *oracleReading) decide(input, code string, q factQuestion) *spec.Rule {
	r.t.Helper()
	state, err := classic.ParseState(q.state)
	require.NoError(r.t, err)
	m := classic.Memory{State: state, Flags: q.flags}
	var c classic.Code
	if code != "" {
		c, err = classic.ParseCode(code)
		require.NoError(r.t, err)
	}
	var rule *classic.Rule
	switch input {
	case "FindCoordinator":
		rule = classic.DecideFindCoordinator(m, c, classic.FindCoordinatorGuards{})
	case "JoinGroup":
		rule = classic.DecideJoinGroup(m, c, classic.JoinGroupGuards{Stale: q.stale, Nameless: q.nameless, Leader: q.leader, OtherProtocolType: q.otherType})
	case "SyncGroup":
		rule = classic.DecideSyncGroup(m, c, classic.SyncGroupGuards{Stale: q.stale, OtherProtocolType: q.otherType, OtherProtocolName: q.otherName})
	case "Heartbeat":
		rule = classic.DecideHeartbeat(m, c, classic.HeartbeatGuards{Stale: q.stale})
	case "OffsetCommit":
		rule = classic.DecideOffsetCommit(m, c, classic.OffsetCommitGuards{Stale: q.stale})
	case "LeaveGroup":
		rule = classic.DecideLeaveGroup(m, c, classic.LeaveGroupGuards{})
	case "heartbeat":
		rule = classic.DecideHeartbeatTurn(m, classic.HeartbeatTurnGuards{
			Static: q.static, SessionExpired: q.sessionExpired, PollExpired: q.pollExpired, HeartbeatDue: q.heartbeatDue, LookupDue: q.lookupDue,
		})
	case "assigned":
		rule = classic.DecideAssigned(m)
	case "assignment_failed":
		rule = classic.DecideAssignmentFailed(m)
	case "poll":
		rule = classic.DecidePoll(m, classic.PollGuards{})
	case "loop_broke":
		rule = classic.DecideLoopBroke(m)
	default:
		r.t.Fatalf("no fact is about %s", input)
	}
	return r.declared(rule)
}

// declared is the row of the specification that a generated rule came from. Whatever the comparison reads off the row
// is first seen to be in the generated rule too.
func (r *oracleReading) declared(rule *classic.Rule) *spec.Rule {
	r.t.Helper()
	if row := r.same[rule]; row != nil {
		return row
	}
	row := r.rules[rule.Name]
	require.NotNil(r.t, row, "%s %s is not in the specification", rule.At(), rule)
	require.Equal(r.t, row.Pos.Line, rule.Line, row.Name)
	require.Equal(r.t, row.Deviates, rule.Deviates, row.Name)
	var to []string
	for _, s := range rule.To {
		to = append(to, s.String())
	}
	require.Equal(r.t, stateNames(row.To), to, row.Name)
	require.Len(r.t, rule.Do, len(row.Effects()), row.Name)
	var sets, clears classic.Flags
	for i, do := range row.Effects() {
		require.Equal(r.t, do.Effect.Name, rule.Do[i].Effect.String(), row.Name)
		require.Equal(r.t, do.Text, string(rule.Do[i].Text), row.Name)
		on, off := r.flags(do.Effect.Sets), r.flags(do.Effect.Clears)
		sets, clears = sets&^off|on, clears&^on|off
	}
	require.Equal(r.t, sets, rule.Sets, "flags that %s sets", row.Name)
	require.Equal(r.t, clears, rule.Clears, "flags that %s clears", row.Name)
	if row.Result != nil {
		group := ""
		if row.Result.Group != nil {
			group = row.Result.Group.Name + "."
		}
		require.Equal(r.t, group+row.Result.Name, rule.Result.String(), row.Name)
	}
	r.same[rule] = row
	return row
}

func (r *oracleReading) flags(flags []*spec.Flag) classic.Flags {
	r.t.Helper()
	var all classic.Flags
	for _, f := range flags {
		one, err := classic.ParseFlags(f.Name)
		require.NoError(r.t, err)
		all |= one
	}
	return all
}

// heartbeatLine is the place of a rule in the loop `heartbeat`.
func (r *oracleReading) heartbeatLine(name string) int {
	i := slices.IndexFunc(r.machine.Loops, func(in *spec.Input) bool { return in.Name == "heartbeat" })
	return slices.IndexFunc(r.machine.Loops[i].Rules(), func(rule *spec.Rule) bool { return rule.Name == name })
}

// code is an entry of the catalogue, or nil.
func (r *oracleReading) code(name string) *spec.Code { return codeNamed(r.machine, name) }

func codeNamed(m *spec.Machine, name string) *spec.Code {
	all := m.Catalogue.All()
	if i := slices.IndexFunc(all, func(c *spec.Code) bool { return c.Name == name }); i >= 0 {
		return all[i]
	}
	return nil
}

func stateNames(states []*spec.State) []string {
	var out []string
	for _, s := range states {
		out = append(out, s.Name)
	}
	return out
}

// has reports whether one of the effects has this name.
func has(effects []spec.Do, name string) bool {
	return slices.ContainsFunc(effects, func(d spec.Do) bool { return d.Effect.Name == name })
}

// on is flag where the condition holds.
func on(flag classic.Flags, condition bool) classic.Flags {
	if condition {
		return flag
	}
	return 0
}
