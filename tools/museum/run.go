package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/tools/commandline"
)

// options are those of the command line.
type options struct {
	only      string
	write     bool
	processes int
}

// check says what is wrong with the command line.
func (o *options) check(args []string) error {
	if o.processes < 1 {
		return fmt.Errorf("-processes=%d: at least 1", o.processes)
	}
	return commandline.NoArguments(args)
}

// run tries all bugs, prints who kills each, and fails where one lives.
func run(ctx context.Context, o options, out io.Writer) error {
	began := time.Now()
	all, err := readExhibits(museum)
	if err != nil {
		return err
	}
	page := filepath.Join(museum, "README.md")
	if o.write {
		if err := os.WriteFile(page, table(all), 0o644); err != nil {
			return err
		}
	} else if text, err := os.ReadFile(page); err != nil || string(text) != string(table(all)) {
		return fmt.Errorf("%s is not the table of the bugs beside it: go run ./tools/museum -write", page)
	}
	if o.only != "" {
		all = slices.DeleteFunc(all, func(x exhibit) bool { return x.name != o.only })
		if len(all) == 0 {
			return fmt.Errorf("%s has no bug %s", museum, o.only)
		}
	}
	work, err := os.MkdirTemp("", "museum-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b, err := newBench(ctx, work, all)
	if err != nil {
		return err
	}
	if err := b.sound(ctx, all); err != nil {
		return err
	}
	dead := 0
	alive := b.tryAll(ctx, all, o.processes, func(x exhibit, err error) {
		end := "killed by " + x.killers()
		if err != nil {
			end = "LIVES"
		} else {
			dead++
		}
		fmt.Fprintf(out, "%-34s %-24s %s\n", x.name, x.source, end)
	})
	fmt.Fprintf(out, "%d of %d bugs that clients of Kafka had are killed here, in %.0f s\n", dead, len(all), time.Since(began).Seconds())
	return errors.Join(alive...)
}

func (x exhibit) killers() string {
	if x.refused != "" {
		return "the validator (" + x.refused + ")"
	}
	return strings.Join(x.tests(), ", ")
}
