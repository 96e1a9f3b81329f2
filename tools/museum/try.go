package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/kbeat/kbeat/spec"
	"github.com/kbeat/kbeat/tools/overlay"
	"github.com/kbeat/kbeat/tools/rewire"
)

const (
	specification = rewire.Specification
	driven        = rewire.Driven
	museum        = "heartbeat/testdata/museum"
	scenarios     = "heartbeat/testdata/scenarios"
)

// bench is where bugs are tried. Those of the rules alone share one binary, in which the rules are read at run time: what
// package rewire makes, and tools/specmutants holds against the generated code.
type bench struct {
	work  string
	rules binaries // for bugs of the rules
}

// binaries are what kills: the tests of heartbeat, and the simulator.
type binaries struct{ tests, simulator string }

// build compiles both with files in place; the simulator only where one of the killers is a seed.
func build(ctx context.Context, work string, killers []string, files overlay.Files) (binaries, error) {
	out := binaries{tests: filepath.Join(work, "heartbeat.test")}
	if slices.ContainsFunc(killers, func(k string) bool { _, ok := seedOf(k); return ok }) {
		out.simulator = filepath.Join(work, "simulator")
		if err := buildSimulator(ctx, work, out.simulator, files); err != nil {
			return out, err
		}
	}
	return out, overlay.TestBinary(ctx, work, driven, out.tests, files, "-tags", rewire.Tag)
}

// run lets a test, or a seed, judge the rules of a file.
func (b *bench) run(ctx context.Context, by binaries, rules, killer string) (ending, string, error) {
	if s, ok := seedOf(killer); ok {
		return b.runSeed(ctx, by.simulator, rules, s)
	}
	return b.runTest(ctx, by.tests, rules, killer, patience)
}

func newBench(ctx context.Context, work string, all []exhibit) (*bench, error) {
	files, err := rewire.Files()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(work, "rules")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	var killers []string
	for _, x := range all {
		killers = append(killers, x.tests()...)
	}
	rules, err := build(ctx, dir, killers, files)
	return &bench{work, rules}, err
}

// tryAll returns for each bug why it lives; nil where it is dead. Each is told of as soon as it is known.
func (b *bench) tryAll(ctx context.Context, all []exhibit, processes int, tell func(exhibit, error)) []error {
	out := make([]error, len(all))
	var telling sync.Mutex
	next := make(chan int)
	var workers sync.WaitGroup
	for range processes {
		workers.Go(func() {
			for i := range next {
				if out[i] = b.try(ctx, all[i]); out[i] != nil {
					out[i] = fmt.Errorf("%s: %w", all[i].name, out[i])
				}
				telling.Lock()
				tell(all[i], out[i])
				telling.Unlock()
			}
		})
	}
	for i := range all {
		next <- i
	}
	close(next)
	workers.Wait()
	return out
}

// sound runs every test that is to kill something without any bug: it must pass, or its failure would say nothing.
func (b *bench) sound(ctx context.Context, all []exhibit) error {
	seen := map[string]bool{}
	for _, x := range all {
		for _, test := range x.tests() {
			if seen[test] {
				continue
			}
			seen[test] = true
			if end, text, err := b.run(ctx, b.rules, specification, test); err != nil {
				return err
			} else if end != passes {
				return fmt.Errorf("%s %s without any bug:\n%s", test, end, text)
			}
		}
	}
	return nil
}

func (b *bench) try(ctx context.Context, x exhibit) error {
	changed, err := x.apply(".")
	if err != nil {
		return err
	}
	if x.refused != "" {
		return refuses(changed[specification], x.refused)
	}
	dir := filepath.Join(b.work, x.name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	by, rules := b.rules, specification
	if text, ok := changed[specification]; ok {
		if err := refuses(text, ""); err != nil {
			return err
		}
		rules = filepath.Join(dir, "rules.yaml")
		if err := os.WriteFile(rules, text, 0o600); err != nil {
			return err
		}
	}
	if !x.inSpecification() {
		delete(changed, specification)
		files, err := rewire.Files()
		if err != nil {
			return err
		}
		for name, text := range changed {
			files[filepath.FromSlash(name)] = text
		}
		if by, err = build(ctx, dir, x.tests(), files); err != nil {
			return err
		}
	}
	for _, test := range x.tests() {
		wanted := fails
		if slices.Contains(x.hangs, test) {
			wanted = hangs
		}
		end, text, err := b.run(ctx, by, rules, test)
		switch {
		case err != nil:
			return err
		case end == passes:
			return fmt.Errorf("it lives through %s:\n%s", test, text)
		case end != wanted:
			return fmt.Errorf("%s %s, and so judges nothing: it is to be one that %s:\n%s", test, end, wanted, text)
		}
	}
	return nil
}

// refuses reports whether the validator refuses a text by a finding, or, with "", whether it takes it.
func refuses(text []byte, by string) error {
	_, err := spec.Parse(specification, text, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(filepath.Dir(specification), "catalogue", name+".yaml"))
	})
	var findings spec.Findings
	errors.As(err, &findings)
	switch {
	case by == "" && err != nil:
		return fmt.Errorf("the validator refuses it; say so (`refused: %s`):\n%w", findings[0].ID, err)
	case by != "" && !findings.Has(spec.ID(by)):
		return fmt.Errorf("the validator does not refuse it by %s:\n%w", by, err)
	}
	return nil
}
