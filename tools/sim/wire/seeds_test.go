package wire

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/kbeat/kbeat/tools/sim/judge"
	"github.com/kbeat/kbeat/tools/sim/processor"
)

var (
	seeds   = flag.Int("seeds", 3, "how many seeds TestSeeds plays")
	from    = flag.Uint64("from", 1, "the first of them")
	minutes = flag.Int("minutes", 10, "how many minutes of virtual time each takes")
	members = flag.Int("members", 0, "how many members each group has; 0: as its seed draws, 3 to 30")
	prefix  = flag.Int("faults", -1, "let only so many of a seed's faults happen, the first ones")
	tell    = flag.Bool("tell", false, "print all that has happened, and what each member was told")
	traces  = flag.String("traces", "", "the folder for the traces of a seed that fails; none: a new one among the temporary files")
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestSeeds plays seeds, and fails for each in which a member breaks an invariant.
func TestSeeds(t *testing.T) {
	if *seeds < 1 || *minutes < 1 {
		t.Fatalf("-seeds=%d -minutes=%d: at least 1 of each", *seeds, *minutes)
	}
	if *members < 0 {
		t.Fatalf("-members=%d: at least 1, or 0 for as many as the seed draws", *members)
	}
	var tally tally
	began, used := time.Now(), processor.Time()
	next := make(chan uint64)
	var players sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		players.Go(func() {
			for seed := range next {
				p := drawPlan(seed, time.Duration(*minutes)*time.Minute, *members)
				if *prefix >= 0 {
					p.faults = p.faults[:min(*prefix, len(p.faults))]
				}
				r := p.play(t, flaw{})
				tally.add(r)
				if *tell {
					fmt.Print(r.recording())
				}
				if r.failed() {
					fmt.Println(r.report(t, *traces)) // at once, and not when all have been played
					t.Errorf("seed %d fails: its report stands above", seed)
				}
			}
		})
	}
	for i := range *seeds {
		next <- *from + uint64(i)
	}
	close(next)
	players.Wait()
	fmt.Println(tally.line(time.Since(began), processor.Time()-used))
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

// tally is what all seeds came to.
type tally struct {
	mu      sync.Mutex
	runs    int
	failed  int
	virtual time.Duration
	lived   time.Duration
	faults  int
	events  int
	late    int64
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
	t.late += r.late
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
	fmt.Fprintf(&b, "wire: %d seeds, %d failed; %s of virtual time, %d faults, %d events, %d commits after their generation\n", t.runs, t.failed, t.virtual, t.faults, t.events, t.late)
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
