package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

// The lives that are committed; and how many one run of the program makes, so that their facts have room.
const (
	committedSeed  = 3
	committedLives = 1000
	livesAtATime   = 1000
)

// lives is the program that makes count lives of a seed, the first of which has the number first.
func lives(name string, seed int64, count, first int) program {
	return program{
		name: name, class: "LifeFacts", key: []string{"life", "step"},
		args: []string{strconv.FormatInt(seed, 10), strconv.Itoa(count), strconv.Itoa(first)},
	}
}

func livesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lives --to FOLDER",
		Short: "Let Kafka's client live any number of lives of any seed",
		Long:  "Let Kafka's client live any number of lives of any seed. `make oracle LIVES=10000 SEED=7` also compares them.",
		Args:  cobra.NoArgs,
	}
	count := cmd.Flags().Int("count", committedLives, "how many lives")
	seed := cmd.Flags().Int64("seed", committedSeed, "what they are drawn from")
	to := cmd.Flags().String("to", "", "the folder for their files (required)")
	if err := cmd.MarkFlagRequired("to"); err != nil {
		panic(err) // the flag was declared one line above
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *count < 1 {
			return fmt.Errorf("--count %d: at least one life", *count)
		}
		if err := commandline.Folder("to", *to); err != nil {
			return err
		}
		return freshLives(cmd.Context(), *seed, *count, *to, cmd.OutOrStdout())
	}
	return cmd
}

// freshLives writes the lives in files of their own, each as soon as it is there.
func freshLives(ctx context.Context, seed int64, count int, to string, out io.Writer) error {
	o, err := newOracle(ctx, "")
	if err != nil {
		return commandline.Fail(commandline.ExitFailed, err)
	}
	defer o.release()
	if err := o.compile(ctx, lives("", seed, 0, 1)); err != nil {
		return commandline.Fail(commandline.ExitFailed, err)
	}
	var all []program
	for first := 1; first <= count; first += livesAtATime {
		all = append(all, lives(fmt.Sprintf("lives-%07d", first), seed, min(livesAtATime, count-first+1), first))
	}
	for len(all) > 0 {
		n := min(len(all), runtime.GOMAXPROCS(0))
		for _, a := range o.askEach(ctx, all[:n], out) {
			if a.err != nil {
				return commandline.Fail(commandline.ExitFailed, a.err)
			}
			if err := replace(filepath.Join(to, a.program.file()), a.facts); err != nil {
				return commandline.Fail(commandline.ExitIO, err)
			}
		}
		all = all[n:]
	}
	return nil
}
