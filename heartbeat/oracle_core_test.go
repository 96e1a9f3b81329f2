package heartbeat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// coreDeviations are partDeviations in the aspects of a Core.
var coreDeviations = map[string][]string{
	"result JoinGroup/sync_backoff": {"rejoin_needed", "rejoin_reason"},
	"effect lose_coordinator":       {"disconnect_requested", "handled disconnect_requested"},
	"result FindCoordinator/raise":  {"lookup_failed"},
}

// TestOracle compares what the rules decide; this compares what a Core does that is set up as Kafka's client was, and
// told what it was told: its timers, its requests and its loops too. testdata/oracle/figures_core has what comes out.
//
// Not compared, as they have no counterpart in a Core: whether a connection is cut, whose turn it is to receive an
// answer (settled_if_thread_polls), and the mark by which Kafka remembers that a heartbeat is in flight.
func TestOracleOfCore(t *testing.T) {
	r, c := newOracleReading(t), newOracleTally(coreDeviations, unreachedDeviations)
	c.record(t, "Core")
	defer c.tell(t)
	datadriven.RunTest(t, "testdata/oracle/figures_core", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "cells":
			return c.figures(t, len(bothWays(t)), func() (int, string) { return compareCoreCells(t, r, c) })
		case "loop":
			return c.figures(t, countFacts(t, "loop"), func() (int, string) { return compareCoreLoop(t, r, c) })
		case "listener":
			return c.figures(t, countFacts(t, "listener"), func() (int, string) { return compareCoreListener(t, r, c) })
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
	c.judge(t, r)
	c.recorded().hold(t, r.machine)
}

// oracleCore is a Core that is set up as Kafka's client was.
type oracleCore struct {
	*Core
	r       *oracleReading
	decided []*classic.Rule // since the last look
	out     []Output        // of the last step
}

// oracleNow is when it happens; the timers that have ended did so before.
const oracleNow = time.Hour

// newOracleCore is a member that is enabled to do nothing by itself: its loop sleeps, and no poll waits.
func newOracleCore(r *oracleReading, state string, flags classic.Flags, who identity, static bool) *oracleCore {
	r.t.Helper()
	config := Config{
		Group: "oracle-group", ProtocolType: "consumer", Protocols: []Protocol{{Name: "range"}},
		SessionTimeout: 10 * time.Second, MaxPollInterval: time.Minute, HeartbeatInterval: 3 * time.Second, RequestTimeout: 40 * time.Second,
		RetryBackoff: 100 * time.Millisecond, RetryBackoffMax: time.Second,
	}
	if static {
		config.InstanceID = "instance-1"
	}
	core, err := NewCore(config)
	require.NoError(r.t, err)
	c := &oracleCore{Core: core, r: r}
	c.now, c.who = oracleNow, who
	c.clocks.set(classic.TimerSilence, oracleNow+c.clocks.lengths[classic.TimerSilence]) // the coordinator was heard lately
	c.memory.State, err = classic.ParseState(state)
	require.NoError(r.t, err)
	c.was = c.memory.State
	c.memory.Flags = flags | classic.LoopExists
	if flags.Has(classic.CoordinatorKnown) {
		c.node = 0
	}
	c.observe = func(rule *classic.Rule) { c.decided = append(c.decided, rule) }
	return c
}

// sent puts a request under way.
func (c *oracleCore) sent(api string, who identity) {
	c.r.t.Helper()
	input, err := classic.ParseInput(api)
	require.NoError(c.r.t, err)
	c.lastID++
	node := int32(0)
	if input == classic.InputFindCoordinator {
		node = AnyBroker
	}
	c.open = append(c.open, open{request: Request{ID: c.lastID, API: input, Node: node, Member: who.member, Generation: who.generation}, who: who, commit: 7})
}

// step is Step, of which no decision is lost.
func (c *oracleCore) step(in Input) {
	c.out = slices.Clone(c.Step(oracleNow, in))
}

// used are the rules that have decided something since the last look, but for those of the loops.
func (c *oracleCore) used() []*spec.Rule {
	var used []*spec.Rule
	for _, rule := range c.decided {
		if rule.Input.Kind() != fsm.KindLoop {
			used = append(used, c.r.declared(rule))
		}
	}
	c.decided = nil
	return used
}

// requests are those of the last step.
func (c *oracleCore) requests() (all []Request) {
	for _, o := range c.out {
		if r, ok := o.(Request); ok {
			all = append(all, r)
		}
	}
	return all
}

func apis(requests []Request) string {
	var names []string
	for _, r := range requests {
		names = append(names, r.API.String())
	}
	return strings.Join(names, ", ")
}

// raised is the error by which the last step has ended a poll, or a commit.
func (c *oracleCore) raised() *Error {
	for _, o := range c.out {
		var err *Error
		switch o := o.(type) {
		case PollEnded:
			errors.As(o.Err, &err)
		case CommitEnded:
			errors.As(o.Err, &err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// left is what a timer has to go, in milliseconds. wanted is what Kafka's has, which was observed without jitter: as long
// as that share explains the difference there is none.
func (c *oracleCore) left(timer classic.Timer, wanted int) int {
	ms := int(max(c.clocks.end(timer)-oracleNow, 0) / time.Millisecond)
	spec := classic.TimerHeartbeatRetry.Spec()
	most := min(int(float64(wanted)*(1+spec.Jitter)), int(c.config.RetryBackoffMax/time.Millisecond))
	if c.clocks.attempts[classic.TimerHeartbeatRetry] > 0 && ms >= int(float64(wanted)*(1-spec.Jitter)) && ms <= most {
		return wanted
	}
	return ms
}

// whoOf is an identity of the facts.
func (id identityFact) identity() identity {
	who := identity{member: id.MemberID, generation: int32(id.Generation)}
	if id.Protocol != nil {
		who.protocol = *id.Protocol
	}
	return who
}

func (id identity) fact() identityFact {
	f := identityFact{MemberID: id.member, Generation: int(id.generation)}
	if id.protocol != "" {
		f.Protocol = &id.protocol
	}
	return f
}

// rejoinReason is the reason of the rejoin, with the API named as Kafka names it.
func (c *oracleCore) rejoinReason(api string) string {
	return strings.Replace(c.reason, "from "+api+" response", "from "+kafkaAPI(api)+" response", 1)
}

// sameRules says where a Core decided by other rules than those that belong to a fact: it has evaluated a guard otherwise.
func sameRules(fact fmt.Stringer, used []*spec.Rule, want ...*spec.Rule) error {
	if !slices.Equal(used, want) {
		return fmt.Errorf("%s: the Core has decided by %v, not by %v", fact, ruleNames(used), ruleNames(want))
	}
	return nil
}

func ruleNames(rules []*spec.Rule) []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.Name)
	}
	return names
}
