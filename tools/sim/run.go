package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/sim/judge"
	"github.com/kbeat/kbeat/tools/sim/processor"
	"github.com/kbeat/kbeat/tools/sim/world"
)

// mostShown is how many failing seeds are looked at closely.
const mostShown = 3

// mostSeeds is how many results one run has room for.
const mostSeeds = 1_000_000

func runCommand() *cobra.Command {
	var (
		size  sizeFlags
		seeds uint64
		from  uint64
		dir   string
	)
	cmd := &cobra.Command{
		Use: "run", Short: "Judge groups from many seeds", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := size.size()
			if err != nil {
				return err
			}
			switch {
			case seeds == 0:
				return errors.New("--seeds 0: at least one")
			case seeds > mostSeeds:
				return fmt.Errorf("--seeds %d: at most %d at once; --from goes on after them", seeds, mostSeeds)
			}
			if err := commandline.Folder("dir", dir); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			began := processor.Time()
			results, err := runAll(s, world.Options{}, from, seeds, newProgress(cmd.ErrOrStderr(), time.Now, seeds).ended)
			if err != nil {
				return err
			}
			summarize(out, s, results, processor.Time()-began)
			return failures(out, s, world.Options{}, results, dir)
		},
	}
	size.add(cmd)
	cmd.Flags().Uint64Var(&seeds, "seeds", 100, "how many")
	cmd.Flags().Uint64Var(&from, "from", 1, "the first")
	cmd.Flags().StringVar(&dir, "dir", ".", "where the traces of failing members are written")
	return cmd
}

// result is what one seed has shown.
type result struct {
	seed    uint64
	outcome world.Outcome
	err     error
}

// runAll runs seeds on all cores, and tells of each as soon as it is known. They share nothing.
func runAll(size world.Size, options world.Options, from, seeds uint64, tell func(*result)) ([]result, error) {
	results := make([]result, seeds)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(seeds); i = next.Add(1) - 1 {
				r := &results[i]
				r.seed = from + uint64(i)
				r.outcome, r.err = world.Run(world.NewPlan(r.seed, size), options)
				tell(r)
			}
		})
	}
	workers.Wait()
	for _, r := range results {
		if r.err != nil {
			return nil, fmt.Errorf("seed %d: %w", r.seed, r.err)
		}
	}
	return results, nil
}

// summarize says what was simulated, and how fast: worked is the time of all cores together.
func summarize(out io.Writer, size world.Size, results []result, worked time.Duration) {
	var all world.Outcome
	told := 0
	for _, r := range classic.Rules() {
		if r.Input.Kind() != fsm.KindLoop || len(r.Do) > 0 || len(r.To) > 0 { // a loop that only waits does not tell
			told++
		}
	}
	rules := map[*classic.Rule]bool{}
	var windows []judge.Window
	var longest time.Duration
	for _, r := range results {
		o := r.outcome
		all.Lived += o.Lived
		all.Processes += o.Processes
		all.Rebalances += o.Rebalances
		all.Requests += o.Requests
		all.Stored += o.Stored
		all.AskedLate += o.AskedLate
		all.Settled += o.Settled
		longest = max(longest, o.Settled)
		all.Busiest = max(all.Busiest, o.Busiest)
		for rule := range o.Fired {
			rules[rule] = true
		}
		windows = added(windows, o.Windows)
	}
	hours := all.Lived.Hours()
	fmt.Fprintf(out, "%d seeds, %s each: %.0f member-hours", len(results), size.Length, hours)
	if worked > 0 {
		fmt.Fprintf(out, ", %.1f for each core-second", hours/worked.Seconds())
	}
	fmt.Fprintln(out)
	fmt.Fprintf(out, "%d processes, %d rebalances, %d requests (at most %d of a member in 10s, commits apart); %d of %d rules have decided\n",
		all.Processes, all.Rebalances, all.Requests, all.Busiest, len(rules), told)
	fmt.Fprintf(out, "commits: %d stored; %d asked late, when the generation that had read their offsets had ended\n", all.Stored, all.AskedLate)
	fmt.Fprintf(out, "groups have settled %s after the last disturbance on average, %s at most\n",
		(all.Settled / time.Duration(len(results))).Round(time.Millisecond), longest.Round(time.Millisecond))
	showWindows(out, windows)
}

// showWindows says how often two members have worked on one partition, and for how long.
func showWindows(out io.Writer, windows []judge.Window) {
	fmt.Fprintln(out, "windows, in which two members work on a partition, as the protocol has it:")
	for _, w := range windows {
		mean := time.Duration(0)
		if w.Count > 0 {
			mean = w.Total / time.Duration(w.Count)
		}
		fmt.Fprintf(out, "  %-9s %6d, %8s on average, %9s at most\n", w.Kind, w.Count, mean.Round(time.Millisecond), w.Longest.Round(time.Millisecond))
	}
}

// added are windows of two runs together.
func added(a, b []judge.Window) []judge.Window {
	if a == nil {
		return append(a, b...)
	}
	for i, w := range b {
		a[i].Count += w.Count
		a[i].Total += w.Total
		a[i].Longest = max(a[i].Longest, w.Longest)
	}
	return a
}

// failures shows the seeds that have failed, the first ones closely.
func failures(out io.Writer, size world.Size, options world.Options, results []result, dir string) error {
	failed := 0
	for _, r := range results {
		if len(r.outcome.Violations) == 0 {
			continue
		}
		if failed++; failed > mostShown {
			fmt.Fprintf(out, "seed %d: %s\n", r.seed, r.outcome.Violations[0])
			continue
		}
		if err := show(out, world.NewPlan(r.seed, size), size, options, r.outcome.Violations[0], dir); err != nil {
			return err
		}
	}
	if failed > 0 {
		fmt.Fprintf(out, "%d of %d seeds have failed\n", failed, len(results))
		return errBroken()
	}
	fmt.Fprintf(out, "nothing is broken: %d invariants\n", len(judge.Invariants()))
	return nil
}
