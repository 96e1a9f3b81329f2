package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// patience is how long a test may take.
const patience = 60 * time.Second

// ending is how a test has ended.
type ending string

const (
	passes ending = "passes"
	fails  ending = "fails"  // it has judged, and says so: the one ending that kills
	breaks ending = "panics" // whoever panics or exits has judged nothing
	hangs  ending = "does not end"
)

var (
	noTests  = regexp.MustCompile(`(?m)^testing: warning: no tests to run$`)
	timedOut = regexp.MustCompile(`(?m)^(panic: test timed out|(panic|fatal error): (all goroutines are asleep - )?deadlock)`)
	// What an expect of a scenario says, and what the commands do that play a whole table of cases.
	demanded = regexp.MustCompile(`: wanted: .+; but |Error Trace:\s+\S*/transcript_tables_test\.go:`)
	panicked = regexp.MustCompile(`(?m)^(panic|fatal error): `)
)

// endingOf says how a test has ended, by what its process has printed, and whether that exited with another code than 0.
func endingOf(test, out string, exited bool) ending {
	failed := regexp.MustCompile(`(?m)^ *--- FAIL: ` + regexp.QuoteMeta(test) + ` \(`).MatchString(out)
	if _, ok := scenarioOf(test); ok {
		failed = failed && demanded.MatchString(out)
	}
	switch {
	case timedOut.MatchString(out):
		return hangs
	case panicked.MatchString(out):
		return breaks
	case exited && failed:
		return fails
	case exited:
		return breaks
	}
	return passes
}

// runTest runs one test of a binary, with the rules of a file, and says how it ends, and what it has printed.
func (b *bench) runTest(ctx context.Context, binary, rules, test string, most time.Duration) (end ending, out string, err error) {
	binary, rules, err = absolute(binary, rules)
	if err != nil {
		return "", "", err
	}
	dir, flags := driven, []string{"-test.run", pattern(test), "-test.timeout", most.String()}
	if name, ok := scenarioOf(test); ok {
		if dir, err = alone(b.work, name); err != nil {
			return "", "", err
		}
		flags = append(flags, "-rewrite")
	}
	cmd := exec.CommandContext(ctx, binary, flags...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "KBEAT_SPECIFICATION="+rules)
	text, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", "", err
	}
	if noTests.Match(text) {
		return "", "", fmt.Errorf("there is no test %s", test)
	}
	return endingOf(test, string(text), err != nil), string(text), ctx.Err()
}

func absolute(binary, rules string) (string, string, error) {
	b, err := filepath.Abs(binary)
	if err != nil {
		return "", "", err
	}
	r, err := filepath.Abs(rules)
	return b, r, err
}

func pattern(test string) string {
	return "^" + strings.Join(strings.Split(regexp.QuoteMeta(test), "/"), "$/^") + "$"
}

// scenarioOf is the file of a test that is a scenario.
func scenarioOf(test string) (name string, ok bool) { return strings.CutPrefix(test, "TestScenarios/") }

// alone is a folder to run a scenario in that has a copy of it. It prints each rule that decides, so that any change of a rule
// changes what is on record; run with -rewrite, it renews that in the copy, and only what it demands by `expect` can fail.
func alone(work, scenario string) (string, error) {
	text, err := os.ReadFile(filepath.Join(scenarios, scenario))
	if err != nil {
		return "", err
	}
	root, err := os.MkdirTemp(work, "scenario-")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, filepath.Base(driven))
	folder := filepath.Join(dir, "testdata", "scenarios")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(folder, scenario), text, 0o600)
}
