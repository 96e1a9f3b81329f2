package coordinator_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// script is what several members ask of the coordinator of one group. testdata/scripts holds them, with what a real Apache
// Kafka has answered under each; testdata/README.md describes the language.
type script struct {
	name    string // its file's and its own
	delayed bool   // the group's first join waits for others for initialDelay
	steps   []step
	facts   string // what Kafka has answered
}

// initialDelay is group.initial.rebalance.delay.ms of the brokers that play delayed scripts.
const initialDelay = time.Second

// step is a line of a script.
type step struct {
	who  string   // the member that asks; "" where none does
	verb string   // what happens
	args []string // of it, not yet understood
}

func (s step) String() string {
	return strings.TrimSpace(strings.Join(slices.Concat([]string{s.who, s.verb}, s.args), " "))
}

// verbs that no member does.
var admin = []string{"wait", "describe", "remove", "restart"}

// parse reads the line of a script.
func parse(t testing.TB, line string) step {
	words := strings.Fields(line)
	if slices.Contains(admin, words[0]) {
		return step{verb: words[0], args: words[1:]}
	}
	require.Greater(t, len(words), 1, "%q: who does what?", line)
	return step{who: words[0], verb: words[1], args: words[2:]}
}

const scriptDir = "testdata/scripts"

// visit calls f for each script, and renews its facts by what f returns where the tests are to rewrite.
func visit(t *testing.T, f func(testing.TB, script) string) {
	files, err := filepath.Glob(filepath.Join(scriptDir, "*.txt"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		topic := strings.TrimSuffix(filepath.Base(file), ".txt")
		datadriven.RunTestAny(quiet{t}, file, func(t testing.TB, d *datadriven.TestData) string {
			require.Equal(t, "play", d.Cmd, d.Pos)
			require.NotEmpty(t, d.CmdArgs, "%s: a script has a name", d.Pos)
			s := script{name: topic + "/" + d.CmdArgs[0].Key, delayed: d.HasArg("delayed"), facts: d.Expected}
			for line := range strings.Lines(strings.TrimSpace(d.Input)) {
				s.steps = append(s.steps, parse(t, line))
			}
			require.False(t, s.restart() >= 0 && !s.delayed, "%s: the broker that restarts is the one of delayed scripts", d.Pos)
			require.False(t, slices.ContainsFunc(s.steps[s.restart()+1:], step.restarts), "%s: the broker restarts once, for all scripts", d.Pos)
			return f(t, s)
		})
	}
}

// quiet drops what datadriven logs, which is each script in full.
type quiet struct{ testing.TB }

func (quiet) Logf(string, ...any) {}

// scripts are all that there are.
func scripts(t *testing.T) (all []script) {
	visit(t, func(t testing.TB, s script) string {
		require.False(t, slices.ContainsFunc(all, func(o script) bool { return o.name == s.name }), "two scripts are named %s", s.name)
		all = append(all, s)
		return s.facts
	})
	return all
}

// restart is the number of the step in which the broker is killed and started again; -1 where it goes on.
func (s script) restart() int { return slices.IndexFunc(s.steps, step.restarts) }

func (s step) restarts() bool { return s.verb == "restart" }
