package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/sim/judge"
	"github.com/kbeat/kbeat/tools/sim/world"
)

// sim is what the command says and how it exits.
func sim(args ...string) (stdout, stderr string, code int) {
	var out, errs bytes.Buffer
	code = command(args, &out, &errs)
	return out.String(), errs.String(), code
}

func TestRun(t *testing.T) {
	out, errs, code := sim("run", "--seeds", "3", "--minutes", "3", "--members", "3-5")
	require.Zero(t, code, out+errs)
	require.Contains(t, out, "3 seeds, 3m0s each: ")
	require.Contains(t, out, "nothing is broken: 16 invariants\n")
}

func TestSeed(t *testing.T) {
	out, errs, code := sim("seed", "5", "--minutes", "3", "--members", "3", "--only", "0,1", "--until", "30s", "--member", "m2")
	require.Zero(t, code, out+errs)
	require.Contains(t, out, "seed 5: 3 members")
	require.Contains(t, out, "m2    fired SyncGroup/NONE")
	require.NotContains(t, out, "m0    fired")
}

// What it is given and cannot take it refuses in one line that says what to do.
func TestRefuses(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"", "say run or seed"},
		{"run --seeds 0", "--seeds 0: at least one"},
		{"run --seeds x", `--seeds "x": a whole number, not below 0`},
		{"run --seeds 1000001", "--seeds 1000001: at most 1000000 at once"},
		{"run --dir no-such-folder", `--dir "no-such-folder": no such folder`},
		{"seed 5 --dir no-such-folder", `--dir "no-such-folder": no such folder`},
		{"run --minutes 1", "--minutes 1: between 2, in which a group can settle, and 1440"},
		{"run --minutes 1441", "--minutes 1441: between 2"},
		{"run --minutes NaN", "--minutes NaN: between 2"},
		{"run --members 5-3", "--members 5-3: a number between 1 and 1000"},
		{"run --members x", "--members x: a number between 1 and 1000"},
		{"run 7", `unknown command "7"`},
		{"seed", "give one seed, not 0"},
		{"seed 5 --until -1s", "--until -1s: not below 0"},
		{"seed x", `"x" is no seed`},
		{"seed 5 --only 3,1", `--only 3,1: "1" is not the next of the numbers 0 to`},
		{"seed 5 --only 9999", `--only 9999: "9999" is not the next`},
		{"jump", `unknown command "jump"`},
	} {
		out, errs, code := sim(strings.Fields(c.args)...)
		require.Equal(t, commandline.ExitUsage, code, c.args)
		require.Empty(t, out, c.args)
		require.Contains(t, errs, "sim: "+c.says, c.args)
		require.Equal(t, 1, strings.Count(errs, "\n"), errs)
	}
}

// mute is a member that sends no heartbeats.
type mute struct{ *heartbeat.Core }

func (m mute) Step(now time.Duration, in heartbeat.Input) []heartbeat.Output {
	return slices.DeleteFunc(m.Core.Step(now, in), func(o heartbeat.Output) bool {
		r, ok := o.(heartbeat.Request)
		return ok && r.API == classic.InputHeartbeat
	})
}

// A seed that fails says all that is needed to see it fail again, and in less.
func TestAFailureIsShown(t *testing.T) {
	size := world.Size{Length: 3 * time.Minute, Fewest: 3, Most: 3}
	options := world.Options{NewCore: func(_ string, c heartbeat.Config) (world.Core, error) {
		core, err := heartbeat.NewCore(c)
		return mute{core}, err
	}}
	results, err := runAll(size, options, 7, 2, func(*result) {})
	require.NoError(t, err)
	dir := t.TempDir()
	var out bytes.Buffer
	require.Equal(t, commandline.ExitFailed, commandline.ExitCode(failures(&out, size, options, results, dir)))
	require.Contains(t, out.String(), "2 of 2 seeds have failed\n")

	said := regexp.MustCompile(`seed (\d+): no_silence at .*\n  by 1 of its \d+ acts, found in \d+ runs: go run ./tools/sim seed 7 --minutes 3 --members 3-3 --only (\d+)\n`).FindStringSubmatch(out.String())
	require.NotNil(t, said, out.String())
	kept, err := chosen(said[2], 1000)
	require.NoError(t, err)
	o, err := world.Run(world.NewPlan(7, size).Only(kept), options)
	require.NoError(t, err)
	require.Equal(t, judge.NoSilence, o.Violations[0].Invariant)

	traces, err := filepath.Glob(filepath.Join(dir, "sim-7-*.ndjson"))
	require.NoError(t, err)
	require.Len(t, traces, 1)
	require.Contains(t, out.String(), ": go run ./tools/kbeat replay "+traces[0]+"\n")
	trace, err := os.Open(traces[0])
	require.NoError(t, err)
	defer trace.Close()
	report, err := heartbeat.Replay(trace)
	require.NoError(t, err)
	require.NotNil(t, report.Difference, "a good member does not do what this one did")
	require.Contains(t, report.Difference.Got, `"api":"Heartbeat"`)
}

func TestATraceThatCannotBeWritten(t *testing.T) {
	size := world.Size{Length: 3 * time.Minute, Fewest: 3, Most: 3}
	v := judge.Violation{Invariant: judge.NoSpin, Member: "m0", At: time.Minute}
	err := trace(&bytes.Buffer{}, world.NewPlan(7, size), world.Options{}, v, filepath.Join(t.TempDir(), "missing"))
	require.Equal(t, commandline.ExitIO, commandline.ExitCode(err))
}

// full is a disk on which there is no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAnOutcomeThatCannotBeWritten(t *testing.T) {
	var errs bytes.Buffer
	require.Equal(t, commandline.ExitIO, command(strings.Fields("run --seeds 1 --minutes 2 --members 3"), full{}, &errs))
	require.Equal(t, "sim: the outcome cannot be written: no space left on device\n", errs.String())
}
