package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/kbeat/kbeat/tools/overlay"
	"github.com/kbeat/kbeat/tools/sample"
)

// run tries both kinds of mutants, prints how many were killed, and fails unless all were.
func run(ctx context.Context, dir string, n int, seed uint64, out io.Writer) error {
	return errors.Join(inMemory(ctx, dir, out), inSource(ctx, dir, n, seed, out))
}

var killed = regexp.MustCompile(`(?m)^mutants in memory: killed (\d+) of (\d+)$`)

// inMemory runs the package's own TestMutants.
func inMemory(ctx context.Context, dir string, out io.Writer) error {
	text, err := goCommand(ctx, "test", "-tags", "mutants", "-run", "^TestMutants$", "-count=1", "-v", "./"+filepath.ToSlash(dir))
	line := killed.FindStringSubmatch(text)
	if line == nil {
		return fmt.Errorf("the mutants in memory did not come to an end: %w\n%s", err, text)
	}
	fmt.Fprintln(out, line[0])
	if line[1] != line[2] || err != nil {
		return fmt.Errorf("not every mutant in memory was killed:\n%s", text)
	}
	return nil
}

// inSource changes places of the source one after the other, compiles the package and its tests with each, and runs them.
func inSource(ctx context.Context, dir string, n int, seed uint64, out io.Writer) error {
	sites, err := findSites(dir)
	if err != nil {
		return err
	}
	chosen := sample.Choose(sites, kindOf, site.String, n, seed)
	work, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	var alive []error
	for _, s := range chosen {
		dead, err := try(ctx, work, dir, s)
		if err != nil {
			return err
		}
		if !dead {
			alive = append(alive, fmt.Errorf("no test noticed this: %s", s))
		}
	}
	fmt.Fprintf(out, "mutants in source: killed %d of %d (%d places)\n", len(chosen)-len(alive), len(chosen), len(sites))
	if len(chosen) == 0 {
		return fmt.Errorf("nothing in %s can be changed", dir)
	}
	return errors.Join(alive...)
}

// try compiles the tests with one place changed, and reports whether they fail.
func try(ctx context.Context, work, dir string, s site) (dead bool, err error) {
	source, err := os.ReadFile(s.file)
	if err != nil {
		return false, err
	}
	binary := filepath.Join(work, "tests")
	// A change that does not compile proves nothing about the tests.
	if err := overlay.TestBinary(ctx, work, dir, binary, overlay.Files{s.file: s.apply(source)}); err != nil {
		return false, fmt.Errorf("%s: %w", s, err)
	}
	cmd := exec.CommandContext(ctx, binary, "-test.failfast")
	cmd.Dir = dir
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return false, err
	}
	return err != nil, ctx.Err()
}

func goCommand(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	return string(out), err
}
