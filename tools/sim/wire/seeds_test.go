package wire

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kbeat/kbeat/tools/sim/judge"
)

var (
	seeds   = flag.Int("seeds", 3, "how many seeds TestSeeds plays")
	from    = flag.Uint64("from", 1, "the first of them")
	minutes = flag.Int("minutes", 10, "how many minutes of virtual time each takes")
	prefix  = flag.Int("faults", -1, "let only so many of a seed's faults happen, the first ones")
	traces  = flag.String("traces", "", "the folder for the traces of a seed that fails; none: a new one among the temporary files")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSeeds plays seeds, and fails for each in which a member breaks an invariant.
func TestSeeds(t *testing.T) {
	if *seeds < 1 || *minutes < 1 {
		t.Fatalf("-seeds=%d -minutes=%d: at least 1 of each", *seeds, *minutes)
	}
	var tally tally
	began, used := time.Now(), processorTime()
	next := make(chan uint64)
	var players sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		players.Go(func() {
			for seed := range next {
				p := drawPlan(seed, time.Duration(*minutes)*time.Minute)
				if *prefix >= 0 {
					p.faults = p.faults[:min(*prefix, len(p.faults))]
				}
				r := p.play(t, flaw{})
				tally.add(r)
				if r.failed() {
					t.Error(report(t, r))
				}
			}
		})
	}
	for i := range *seeds {
		next <- *from + uint64(i)
	}
	close(next)
	players.Wait()
	fmt.Println(tally.line(time.Since(began), processorTime()-used))
}

// play plays a plan in a bubble of its own.
func (p plan) play(t *testing.T, f flaw) (r *result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = p.run(f); err != nil {
			t.Fatal(err)
		}
	})
	return r
}

// tries is how often a plan is played before it is taken for one that does not fail: the same plan is not the same bytes.
const tries = 3

// report says what is wrong with a seed: what was broken, and by how few of its faults.
func report(t *testing.T, r *result) string {
	p, last := r.plan, r
	fails := func(n int) bool {
		shorter := p
		shorter.faults = p.faults[:n]
		for range tries {
			if again := shorter.play(t, flaw{}); again.failed() {
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
	fmt.Fprintf(&b, "again: go test ./tools/sim/wire -run TestSeeds -seeds=1 -from=%d -minutes=%d -faults=%d\n", p.seed, int(p.length/time.Minute), most)
	for _, v := range last.violations {
		if path, err := last.write(v.Member); err != nil {
			fmt.Fprintf(&b, "its trace cannot be written: %s\n", err)
		} else if path != "" {
			fmt.Fprintf(&b, "what %s was told, exactly: go run ./tools/kbeat replay %s\n", v.Member, path)
		}
	}
	return b.String()
}

// write writes the trace of a process, and all events beside it.
func (r *result) write(name string) (path string, err error) {
	trace := r.traces[name]
	if len(trace) == 0 {
		return "", nil // it is about the group
	}
	dir := *traces
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

// tally is what all seeds came to.
type tally struct {
	mu      sync.Mutex
	runs    int
	failed  int
	virtual time.Duration
	lived   time.Duration
	faults  int
	events  int
	windows map[judge.WindowKind]judge.Window
}

func (t *tally) add(r *result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.runs++
	if r.failed() {
		t.failed++
	}
	t.virtual += r.plan.length
	t.lived += r.lived
	t.faults += len(r.plan.faults)
	t.events += len(r.events)
	if t.windows == nil {
		t.windows = map[judge.WindowKind]judge.Window{}
	}
	for _, w := range r.windows {
		sum := t.windows[w.Kind]
		sum.Kind, sum.Count, sum.Total, sum.Longest = w.Kind, sum.Count+w.Count, sum.Total+w.Total, max(sum.Longest, w.Longest)
		t.windows[w.Kind] = sum
	}
}

// line is the tally in a few lines.
func (t *tally) line(took, used time.Duration) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "wire: %d seeds, %d failed; %s of virtual time, %d faults, %d events\n", t.runs, t.failed, t.virtual, t.faults, t.events)
	fmt.Fprintf(&b, "wire: %.1f member-hours in %.1f s", t.lived.Hours(), took.Seconds())
	if used > 0 {
		fmt.Fprintf(&b, "; %.2f member-hours for each core-second, of %.1f on %d cores", t.lived.Hours()/used.Seconds(), used.Seconds(), runtime.GOMAXPROCS(0))
	}
	for _, k := range []judge.WindowKind{judge.WindowUnaware, judge.WindowUnpolled, judge.WindowJoining, judge.WindowPaused, judge.WindowReplaced} {
		if w := t.windows[k]; w.Count > 0 {
			fmt.Fprintf(&b, "\nwire: two at work on one partition, %s: %d times, %.1f s at most", k, w.Count, w.Longest.Seconds())
		}
	}
	return b.String()
}
