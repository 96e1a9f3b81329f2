package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/sim/judge"
	"github.com/kbeat/kbeat/tools/sim/world"
)

func seedCommand() *cobra.Command {
	var (
		size   sizeFlags
		only   string
		member string
		until  time.Duration
		dir    string
	)
	cmd := &cobra.Command{
		Use: "seed SEED", Short: "Tell what happens to the group of one seed",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("give one seed, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := size.size()
			if err != nil {
				return err
			}
			if until < 0 {
				return fmt.Errorf("--until %s: not below 0", until)
			}
			seed, err := strconv.ParseUint(args[0], 10, 64)
			if err != nil {
				return fmt.Errorf("%q is no seed: a whole number, as sim run prints it", args[0])
			}
			if err := commandline.Folder("dir", dir); err != nil {
				return err
			}
			plan := world.NewPlan(seed, s)
			out := cmd.OutOrStdout()
			kept, err := chosen(only, len(plan.Acts))
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "seed %d: %d members, %d partitions, cooperative %t; session %s, interval %s, poll %s, request %s; calm from %s\n",
				seed, len(plan.People), plan.Partitions, plan.Cooperative, plan.Config.SessionTimeout, plan.Config.HeartbeatInterval,
				plan.Config.MaxPollInterval, plan.Config.RequestTimeout, plan.Calm)
			for _, i := range kept {
				fmt.Fprintf(out, "  %3d %s\n", i, plan.Acts[i])
			}
			plan = plan.Only(kept)
			o, err := world.Run(plan, world.Options{Until: until, Saw: func(e judge.Event) {
				if member == "" || e.Member == member || e.Member == "" {
					fmt.Fprintln(out, e)
				}
			}})
			if err != nil {
				return err
			}
			showWindows(out, o.Windows)
			if len(o.Violations) == 0 {
				fmt.Fprintln(out, "nothing is broken")
				return nil
			}
			fmt.Fprintln(out, o.Violations[0])
			if err := trace(out, plan, world.Options{}, o.Violations[0], dir); err != nil {
				return err
			}
			return errBroken()
		},
	}
	size.add(cmd)
	cmd.Flags().StringVar(&only, "only", "", "the acts that are done, by their numbers; all, where it is not given")
	cmd.Flags().StringVar(&member, "member", "", "tell of this member and of the coordinator only")
	cmd.Flags().DurationVar(&until, "until", 0, "end then")
	cmd.Flags().StringVar(&dir, "dir", ".", "where the trace of a failing member is written")
	return cmd
}

// chosen are the acts that --only names, of n.
func chosen(only string, n int) (kept []int, err error) {
	if only == "" {
		for i := range n {
			kept = append(kept, i)
		}
		return kept, nil
	}
	last := -1
	for _, word := range strings.Split(only, ",") {
		i, err := strconv.Atoi(word)
		if err != nil || i <= last || i >= n {
			return nil, fmt.Errorf("--only %s: %q is not the next of the numbers 0 to %d, in ascending order", only, word, n-1)
		}
		kept, last = append(kept, i), i
	}
	return kept, nil
}
