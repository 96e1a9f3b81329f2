package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/spec"
	"github.com/kbeat/kbeat/tools/rewire"
)

// mutants are those of the classic protocol.
func mutants(t *testing.T) (*bench, *yaml.Node, []mutant) {
	t.Chdir(filepath.Join("..", ".."))
	b, err := newBench("")
	require.NoError(t, err)
	root, all, err := mutantsOf(b.machine, b.text)
	require.NoError(t, err)
	return b, root, all
}

func parse(text []byte) (*spec.Machine, error) {
	return spec.Parse(rewire.Specification, text, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join("spec", "catalogue", name+".yaml"))
	})
}

// TestTheTreeSaysTheSame holds what is written of the tree against the text that it was read from.
func TestTheTreeSaysTheSame(t *testing.T) {
	b, root, _ := mutants(t)
	text, err := yaml.Dump(root, yaml.WithLineWidth(-1))
	require.NoError(t, err)
	m, err := parse(text)
	require.NoError(t, err)
	require.Equal(t, b.machine.Sum, m.Sum)
}

// TestMutants makes each: it changes something, and leaves nothing behind in the tree.
func TestMutants(t *testing.T) {
	_, root, all := mutants(t)
	before, err := yaml.Dump(root, yaml.WithLineWidth(-1))
	require.NoError(t, err)
	require.Greater(t, len(all), 3000)
	kinds := map[string]int{}
	for i, m := range all {
		kinds[m.kind]++
		if i%25 != 0 { // each takes a few milliseconds
			continue
		}
		text, err := m.text(root)
		require.NoError(t, err, m.name())
		require.NotEqual(t, string(before), string(text), m.name())
		require.Positive(t, m.line, m.name())
	}
	after, err := yaml.Dump(root, yaml.WithLineWidth(-1))
	require.NoError(t, err)
	require.Equal(t, string(before), string(after), "a change was not taken back")
	require.Greater(t, len(kinds), 40)
}

// TestSomeMutants names some that must be among them.
func TestSomeMutants(t *testing.T) {
	_, _, all := mutants(t)
	names := map[string]bool{}
	for _, m := range all {
		require.False(t, names[m.name()], "%s stands twice", m.name())
		names[m.name()] = true
	}
	for _, name := range []string{
		"another state: SyncGroup/NONE/rejoin_again/not leased: STABLE → UNJOINED",
		"a way left out: SyncGroup/NONE/rejoin_again/not leased: STABLE → (nothing)",
		"a way added: Heartbeat/NONE/stale: (nothing) → UNJOINED",
		"effect left out: commit/STABLE/not outdated and coordinator_known: send_commit → (nothing)",
		"effects swapped: assigned/coordinator_known in COMPLETING_REBALANCE: end_assignment, send_sync → send_sync, end_assignment",
		"another result: Heartbeat/NONE/stale: received → failed",
		"a guard negated: Heartbeat/ILLEGAL_GENERATION: stale → not stale",
		"two conditions swapped: Heartbeat/ILLEGAL_GENERATION: stale, not stale → not stale, stale",
		"a condition left out: Heartbeat/ILLEGAL_GENERATION: stale → always",
		"two lines swapped: heartbeat: loop_closed, not loop_enabled → not loop_enabled, loop_closed",
		"a code left out: LeaveGroup: NONE under NONE → NONE under otherwise",
		"left out of sets: look_up: lookup_in_flight → (nothing)",
		"from sets to clears: look_up: lookup_in_flight → lookup_in_flight",
		"left out of starts: put_off_lookup: lookup_retry → (nothing)",
		"a result's class: Heartbeat.received: ok → fatal",
		"a result's effect left out: Heartbeat.received: heartbeat_received → (nothing)",
		"a flag set at first, or not: rejoin_needed: initial → (nothing)",
		"a timer's guard: session: session_expired → poll_expired",
		"an end left out: LeaveGroup: replaced → (nothing)",
		"a guard negated: OffsetCommit: not coordinator_known → coordinator_known",
		"a request's limit: JoinGroup: max(request.timeout.ms, max.poll.interval.ms + 5000) → min(request.timeout.ms, max.poll.interval.ms + 5000)",
	} {
		require.True(t, names[name], name)
	}
}

// TestParts takes conditions apart and puts them together.
func TestParts(t *testing.T) {
	b, _, _ := mutants(t)
	k := &maker{machine: b.machine}
	for _, x := range []struct {
		text          string
		tests, states []string
	}{
		{"not stale", []string{"not stale"}, nil},
		{"STABLE", nil, []string{"STABLE"}},
		{"not joined", nil, []string{"not joined"}},
		{"PREPARING_REBALANCE, COMPLETING_REBALANCE", nil, []string{"PREPARING_REBALANCE", "COMPLETING_REBALANCE"}},
		{"not leaves in not PREPARING_REBALANCE", []string{"not leaves"}, []string{"not PREPARING_REBALANCE"}},
		{"prepare_needed and not identity_reset", []string{"prepare_needed", "not identity_reset"}, nil},
	} {
		tests, states := k.parts(x.text)
		require.Equal(t, x.tests, tests, x.text)
		require.Equal(t, x.states, states, x.text)
		require.Equal(t, x.text, conditionText(tests, states))
	}
}

// TestSurvivors compares a list with what became of mutants.
func TestSurvivors(t *testing.T) {
	one := mutant{kind: "k", where: "one", was: "a", now: "b"}
	two := mutant{kind: "k", where: "two", was: "a", now: "b"}
	list, err := parseSurvivors([]byte("- why: equivalent\n  mutants:\n    - \"k: one: a → b\"\n"))
	require.NoError(t, err)
	require.Empty(t, list.gone([]mutant{one, two}))
	require.Equal(t, []string{"k: one: a → b"}, list.gone([]mutant{two}))
	require.Len(t, list.of([]mutant{one, two}), 1)
	require.Len(t, list.others([]mutant{one, two}), 1)

	unlisted, dead := list.judge([]result{{one, alive, ""}, {two, alive, ""}})
	require.Len(t, unlisted, 1)
	require.Empty(t, dead)
	require.ErrorContains(t, unlistedError(unlisted), "k: two: a → b")
	unlisted, dead = list.judge([]result{{one, cells, "a fact"}, {two, refused, "gap"}})
	require.Empty(t, unlisted)
	require.ErrorContains(t, deadError(dead), "k: one: a → b: cells: a fact")

	var out strings.Builder
	list.print(&out, []result{{one, alive, ""}})
	require.Contains(t, out.String(), "alive, because equivalent")

	for text, want := range map[string]string{
		"- why: x\n":                          "each entry has",
		"- mutants: [a]\n":                    "each entry has",
		"- {why: x, mutants: [a, a]}\n":       "stands twice",
		"- {why: x, mutants: [a], who: me}\n": "who",
	} {
		_, err := parseSurvivors([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

// TestTheListNamesMutants holds the list against the specification as it is.
func TestTheListNamesMutants(t *testing.T) {
	_, _, all := mutants(t)
	list, err := readSurvivors()
	require.NoError(t, err)
	require.Empty(t, list.gone(all))
}

func TestTally(t *testing.T) {
	var out strings.Builder
	m := mutant{kind: "a guard negated"}
	count([]result{{m, refused, ""}, {m, cells, ""}, {m, cells, ""}}).print(&out)
	require.Equal(t, `one word of the specification     refused    cells    lives    tests   nobody harmless
a guard negated                         1        2        0        0        0        0
all                                     1        2        0        0        0        0
`, out.String())
}
