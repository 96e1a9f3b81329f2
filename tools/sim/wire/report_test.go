package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tries is how often a plan is played before it is taken for one that does not fail: the same plan is not the same bytes.
const tries = 3

// report says what is wrong with a seed: what was broken, and by how few of its faults.
func (r *result) report(t *testing.T, dir string) string {
	p, last := r.plan, r
	fails := func(n int) bool {
		shorter := p
		shorter.faults = p.faults[:n]
		for range tries {
			if again := shorter.play(t, r.flaw); again.failed() {
				last = again
				return true
			}
		}
		return false
	}
	least, most := 0, len(p.faults) // the shortest prefix that fails is in (least, most], or is none at all
	if fails(0) {
		most = 0
	}
	for least+1 < most {
		if middle := (least + most) / 2; fails(middle) {
			most = middle
		} else {
			least = middle
		}
	}
	var b strings.Builder
	fmt.Fprint(&b, r.plan)
	fmt.Fprintf(&b, "fails by the first %d of its %d faults:\n", most, len(p.faults))
	for _, f := range p.faults[:most] {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	for _, err := range last.broken {
		fmt.Fprintf(&b, "the simulation itself: %s\n", err)
	}
	for _, v := range last.violations {
		fmt.Fprintln(&b, v.Story())
	}
	fmt.Fprintf(&b, "again: go test ./tools/sim/wire -run TestSeeds -seeds=1 -from=%d -minutes=%d -faults=%d", p.seed, int(p.length/time.Minute), most)
	if p.forced > 0 {
		fmt.Fprintf(&b, " -members=%d", p.forced)
	}
	b.WriteByte('\n')
	for _, v := range last.violations {
		if path, err := last.write(v.Member, dir); err != nil {
			fmt.Fprintf(&b, "its trace cannot be written: %s\n", err)
		} else if path != "" {
			fmt.Fprintf(&b, "what %s was told, exactly: go run ./tools/kbeat replay %s\n", v.Member, path)
		}
	}
	return b.String()
}

// write writes the trace of a process into a folder, and all events beside it; "" is a new folder among temporary files.
func (r *result) write(name, dir string) (path string, err error) {
	trace := r.traces[name]
	if len(trace) == 0 {
		return "", nil // it is about the group
	}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "kbeat-wire-"); err != nil {
			return "", err
		}
	} else if err = os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var events strings.Builder
	for _, e := range r.events {
		fmt.Fprintln(&events, e)
	}
	base := filepath.Join(dir, fmt.Sprintf("seed-%d-%s", r.plan.seed, name))
	if err := os.WriteFile(base+".events", []byte(events.String()), 0o644); err != nil {
		return "", err
	}
	return base + ".ndjson", os.WriteFile(base+".ndjson", trace, 0o644)
}
