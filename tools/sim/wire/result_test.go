package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kbeat/kbeat/tools/sim/judge"
)

// result is what came of a run.
type result struct {
	plan       plan
	flaw       flaw
	violations []judge.Violation
	broken     []error
	events     []judge.Event
	traces     map[string][]byte // by process
	lived      time.Duration     // by all processes together
	late       int64             // commits that came after their generation
	windows    []judge.Window
}

// failed reports whether the run is to be looked at.
func (r *result) failed() bool { return len(r.violations) > 0 || len(r.broken) > 0 }

// result gathers what came of the world's run.
func (w *world) result() *result {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := &result{
		plan: w.plan, flaw: w.flaw, violations: slices.DeleteFunc(w.judge.Violations(), w.ofTheEnd), broken: w.broken, events: w.events, traces: map[string][]byte{},
		windows: w.judge.Windows(), late: w.late.Load(),
	}
	for _, p := range w.all {
		r.traces[p.name] = p.tracer.trace()
	}
	born := map[string]time.Duration{}
	for _, e := range w.events {
		switch e.Kind {
		case judge.Born:
			born[e.Member] = e.At
		case judge.Closed, judge.Killed:
			if at, ok := born[e.Member]; ok {
				r.lived += e.At - at
			}
		}
	}
	return r
}

// recording is all that has happened, and what each process was told.
func (r *result) recording() string {
	var b strings.Builder
	b.WriteString(r.plan.story())
	for _, e := range r.events {
		fmt.Fprintln(&b, e)
	}
	for _, name := range slices.Sorted(maps.Keys(r.traces)) {
		fmt.Fprintf(&b, "trace of %s\n%s", name, r.traces[name])
	}
	return b.String()
}

// ofTheEnd reports whether a violation is none: when the run is over all are closed, one after the other, and that disturbs
// the others.
func (w *world) ofTheEnd(v judge.Violation) bool {
	return v.Invariant == judge.Progress && v.At > w.plan.length
}
