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

	"github.com/kbeat/kbeat/tools/overlay"
	"github.com/kbeat/kbeat/tools/rewire"
)

// simulator is the program that lets a group live by a seed.
const simulator = "tools/sim"

// seed is a life of a whole group, and what the bug breaks in it.
type seed struct{ number, invariant string }

var seedKiller = regexp.MustCompile(`^sim seed (\d+): (\w+)$`)

// seedOf is the seed of a killer that is one.
func seedOf(killer string) (s seed, ok bool) {
	m := seedKiller.FindStringSubmatch(killer)
	if m == nil {
		return seed{}, false
	}
	return seed{m[1], m[2]}, true
}

// buildSimulator compiles the simulator with files in place, among them those that read the rules at run time.
func buildSimulator(ctx context.Context, work, out string, files overlay.Files) error {
	dir := filepath.Join(work, "sim")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return overlay.Program(ctx, dir, simulator, out, files, "-tags", rewire.Tag)
}

// runSeed lets a group live by the rules of a file. It fails where the life breaks the invariant that is named.
func (b *bench) runSeed(ctx context.Context, program, rules string, s seed) (end ending, out string, err error) {
	program, rules, err = absolute(program, rules)
	if err != nil {
		return "", "", err
	}
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	cmd := exec.CommandContext(ctx, program, "seed", s.number)
	cmd.Dir = b.work // where it leaves its traces
	cmd.Env = append(os.Environ(), "KBEAT_SPECIFICATION="+rules)
	text, err := cmd.CombinedOutput()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return hangs, string(text), nil
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return "", "", err
	}
	return endingOfSeed(s, string(text), err != nil), shortened(string(text)), ctx.Err()
}

// endingOfSeed says how a life has ended.
func endingOfSeed(s seed, out string, exited bool) ending {
	broken := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(s.invariant) + ` at \S+: `)
	switch {
	case !exited:
		return passes
	case !panicked.MatchString(out) && broken.MatchString(out):
		return fails
	}
	return breaks
}

// shortened is the end of what a life has told, event by event.
func shortened(out string) string {
	lines := strings.SplitAfter(out, "\n")
	if len(lines) <= 40 {
		return out
	}
	return fmt.Sprintf("(%d lines, and then)\n", len(lines)-40) + strings.Join(lines[len(lines)-40:], "")
}
