package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/kbeat/kbeat/spec"
)

// outcome of a slip.
type outcome int

const (
	refused outcome = iota
	harmless
	silent
	crashed
)

// result is what became of a slip.
type result struct {
	slip
	outcome outcome
	detail  string   // of a crash
	ids     []string // of the findings
}

// try makes every slip in the specification at path, on all processors.
func try(path string) ([]result, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	catalogue := func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(filepath.Dir(path), "catalogue", name+".yaml"))
	}
	want, err := spec.Parse(path, text, catalogue)
	if err != nil {
		return nil, fmt.Errorf("without any slip:\n%w", err)
	}
	todo := slips(string(text))
	out := make([]result, len(todo))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				out[i] = one(path, todo[i], want, catalogue)
			}
		})
	}
	for i := range todo {
		next <- i
	}
	close(next)
	workers.Wait()
	return out, nil
}

// one tries a slip.
func one(path string, s slip, want *spec.Machine, catalogue func(string) ([]byte, error)) (r result) {
	r.slip = s
	defer func() {
		if x := recover(); x != nil {
			r.outcome, r.detail = crashed, fmt.Sprint(x)
		}
	}()
	got, err := spec.Parse(path, []byte(s.text), catalogue)
	var findings spec.Findings
	switch {
	case errors.As(err, &findings):
		for _, f := range findings {
			r.ids = append(r.ids, string(f.ID))
		}
	case err != nil:
		r.outcome, r.detail = crashed, err.Error()
	case differs(want, got):
		r.outcome = silent
	default:
		r.outcome = harmless
	}
	return r
}
