package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressEvery is how often somebody who waits for a run is told how far it is.
const progressEvery = 10 * time.Second

// progress tells how far a run is. It goes where errors go: what a run has found must not hang on how long it took.
type progress struct {
	out io.Writer
	now func() time.Time
	all uint64

	mu           sync.Mutex
	told         time.Time
	done, failed uint64
}

func newProgress(out io.Writer, now func() time.Time, all uint64) *progress {
	return &progress{out: out, now: now, all: all, told: now()}
}

// ended is told of each seed that has come to its end.
func (p *progress) ended(r *result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if len(r.outcome.Violations) > 0 {
		p.failed++
	}
	if now := p.now(); now.Sub(p.told) >= progressEvery && p.done < p.all {
		p.told = now
		fmt.Fprintf(p.out, "sim: %d of %d seeds, %d have failed\n", p.done, p.all, p.failed)
	}
}
