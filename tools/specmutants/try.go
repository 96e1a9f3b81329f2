package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/kbeat/kbeat/spec"
	"github.com/kbeat/kbeat/tools/overlay"
	"github.com/kbeat/kbeat/tools/rewire"
)

// result is what became of a mutant.
type result struct {
	mutant
	verdict verdict
	by      string
}

// binaries are the rewired tests of each package.
var binaries = map[string]string{rewire.Generated: "decisions.test", rewire.Driven: "heartbeat.test"}

// bench is where mutants are tried.
type bench struct {
	machine *spec.Machine
	text    []byte
	work    string
	figures string
}

func newBench(work string) (*bench, error) {
	text, err := os.ReadFile(rewire.Specification)
	if err != nil {
		return nil, err
	}
	machine, err := spec.Load(rewire.Specification)
	if err != nil {
		return nil, err
	}
	return &bench{machine: machine, text: text, work: work}, nil
}

// compile builds the rewired tests of both packages, and sees that the interpreter decides at every point as the generated
// code does.
func (b *bench) compile(ctx context.Context) error {
	files, err := rewire.Files()
	if err != nil {
		return err
	}
	for dir, binary := range binaries {
		work := filepath.Join(b.work, filepath.Base(dir))
		if err := os.MkdirAll(work, 0o700); err != nil {
			return err
		}
		if err := overlay.TestBinary(ctx, work, dir, filepath.Join(b.work, binary), files, "-tags", rewire.Tag); err != nil {
			return err
		}
	}
	return agrees(ctx, b.work)
}

// try judges mutants, in as many processes as are wanted, and tells of each as soon as it is known.
func (b *bench) try(ctx context.Context, mutants []mutant, processes int, tell func(result)) ([]result, error) {
	out := make([]result, len(mutants))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var workers sync.WaitGroup
	var telling sync.Mutex
	for range processes {
		// Each has a tree of its own to change.
		root, own, err := mutantsOf(b.machine, b.text)
		if err != nil {
			return nil, err
		}
		byName := map[string]mutant{}
		for _, m := range own {
			byName[m.name()] = m
		}
		workers.Go(func() {
			w := &worker{binary: filepath.Join(b.work, binaries[rewire.Driven]), dir: rewire.Driven}
			defer w.stop()
			for i := range next {
				text, err := byName[mutants[i].name()].text(root)
				if err != nil {
					cancel(err)
					continue
				}
				a, err := w.judge(ctx, i, text)
				if err != nil {
					cancel(err)
					continue
				}
				out[i] = result{mutants[i], a.Verdict, a.By}
				telling.Lock()
				b.figures = w.figures
				tell(out[i])
				telling.Unlock()
			}
		})
	}
	for i := range mutants {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("try mutants: %w", err)
	}
	return out, ctx.Err()
}
