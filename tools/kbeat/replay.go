package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/commandline"
)

func replayCommand(s session) *cobra.Command {
	return &cobra.Command{
		Use:   "replay FILE",
		Short: "Do again what a member did, from its trace, and compare",
		Long: `The inputs of a trace are given to a fresh member without a network, at the times of the trace, and
what it does is compared with what the trace says. The first difference is shown, with the rule that
decided. A trace is what kbeat run --trace writes, and heartbeat.WithTrace. "-" is the standard input.

The exit code is 0 where all is the same, 1 where something differs, 2 where the file is no trace.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("give one trace, not %d: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s.stdout = cmd.OutOrStdout()
			if args[0] == "-" {
				return s.replay("standard input", s.stdin)
			}
			f, err := os.Open(args[0])
			if err != nil {
				return commandline.Fail(commandline.ExitIO, err)
			}
			defer f.Close()
			return s.replay(args[0], f)
		},
	}
}

// replay replays the trace of this name.
func (s session) replay(name string, r io.Reader) error {
	report, err := heartbeat.Replay(r)
	var trace *heartbeat.TraceError
	switch {
	case errors.As(err, &trace):
		return commandline.Fail(exitNoTrace, fmt.Errorf("%s:%d: %s", name, trace.Line, trace.Problem))
	case err != nil:
		return commandline.Fail(commandline.ExitIO, fmt.Errorf("%s: %w", name, err))
	}
	if report.Spec != classic.Sum {
		fmt.Fprintf(s.stdout, "the trace is of another specification than this program, so something may well differ: %.12s instead of %.12s\n", report.Spec, classic.Sum)
	}
	if d := report.Difference; d != nil {
		fmt.Fprintf(s.stdout, "%s:%d: this differs, and %d inputs and %d outputs before it do not\n", name, d.Line, report.Inputs, report.Outputs)
		s.difference(d)
		return commandline.Fail(commandline.ExitFailed, commandline.ErrSaid)
	}
	fmt.Fprintf(s.stdout, "same: %d inputs, %d outputs, of a member of group %q\n", report.Inputs, report.Outputs, report.Config.Group)
	if report.Cut {
		fmt.Fprintln(s.stdout, "the trace ends in the middle: the program that wrote it was ended, or its disk was full")
	}
	return nil
}

// difference shows what the trace has, what is done now, and by which rule.
func (s session) difference(d *heartbeat.Difference) {
	const row = "  %-6s %s\n"
	fmt.Fprintf(s.stdout, row, "after", d.Input)
	fmt.Fprintf(s.stdout, row, "trace", cmp.Or(d.Wanted, "nothing more"))
	fmt.Fprintf(s.stdout, row, "now", cmp.Or(d.Got, "nothing more"))
	if d.Rule == nil {
		return
	}
	fmt.Fprintf(s.stdout, row, "by", d.Rule.Name+" at "+d.Rule.At())
	if d.Rule.Why != "" {
		fmt.Fprintf(s.stdout, row, "why", d.Rule.Why)
	}
}
