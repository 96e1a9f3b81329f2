package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/kbeat/kbeat/tools/rewire"
	"github.com/kbeat/kbeat/tools/sample"
)

// run tries mutants, prints who noticed them, and fails unless those that nobody notices are those that are listed.
func run(ctx context.Context, o options, out io.Writer) error {
	work, err := os.MkdirTemp("", "specmutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b, err := newBench(work)
	if err != nil {
		return err
	}
	_, all, err := mutantsOf(b.machine, b.text)
	if err != nil {
		return err
	}
	known, err := readSurvivors()
	if err != nil {
		return err
	}
	if gone := known.gone(all); len(gone) > 0 {
		return fmt.Errorf("%s lists what is no mutant of %s any more; delete it:\n%s", survivorsFile, rewire.Specification, indented(gone))
	}
	chosen := all
	switch {
	case o.only != nil:
		chosen = slices.DeleteFunc(slices.Clone(all), func(m mutant) bool { return !o.only.MatchString(m.name()) })
		if len(chosen) == 0 {
			return fmt.Errorf("-only %s: no mutant has such a name; -v tells names", o.only)
		}
	case !o.all:
		kind := func(m mutant) string { return m.kind }
		listed := sample.Choose(known.of(all), kind, mutant.name, o.sample/10, o.seed) // each goes through every comparison
		chosen = slices.Concat(known.others(sample.Choose(all, kind, mutant.name, o.sample, o.seed)), listed)
	}
	began := time.Now()
	if err := b.compile(ctx); err != nil {
		return err
	}
	compiled := time.Since(began)
	results, err := b.try(ctx, chosen, o.processes, func(r result) {
		if o.verbose {
			fmt.Fprintf(out, "%-8s %s:%d %s\n         %s\n", r.verdict, rewire.Specification, r.line, r.name(), r.by)
		}
	})
	if err != nil {
		return err
	}
	count(results).print(out)
	fmt.Fprintf(out, "%d of %d mutants tried; %s; %.0f s, of which %.0f s to compile\n", len(chosen), len(all), b.figures, time.Since(began).Seconds(), compiled.Seconds())
	known.print(out, results)
	unlisted, dead := known.judge(results)
	return errors.Join(unlistedError(unlisted), deadError(dead))
}

func unlistedError(unlisted []result) error {
	if len(unlisted) == 0 {
		return nil
	}
	var lines []string
	for _, r := range unlisted {
		lines = append(lines, fmt.Sprintf("%s:%d %s", rewire.Specification, r.line, r.name()))
	}
	return fmt.Errorf("nobody notices %d mutants that %s does not list; look at each, and let a test notice it or list it with the reason:\n%s",
		len(unlisted), survivorsFile, indented(lines))
}

func deadError(dead []result) error {
	if len(dead) == 0 {
		return nil
	}
	var lines []string
	for _, r := range dead {
		lines = append(lines, fmt.Sprintf("%s: %s: %s", r.name(), r.verdict, r.by))
	}
	return fmt.Errorf("%d mutants that %s lists are noticed by now; delete them:\n%s", len(dead), survivorsFile, indented(lines))
}
