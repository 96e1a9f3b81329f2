package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

// The exit codes beside those that commands share; 69 is of sysexits.h, 130 is what shells say of an interrupted program.
const (
	exitNoTrace     = 2
	exitUnavailable = 69
	exitInterrupted = 130
)

// rootCommand is the command, with all that it can be told to do.
func rootCommand(s session) *cobra.Command {
	root := &cobra.Command{
		Use:   "kbeat",
		Short: "Be a member of a Kafka group, and see which rule decides about it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("say run or replay; kbeat --help tells more")
		},
	}
	root.AddCommand(runCommand(s), replayCommand(s))
	return root
}

// run does what the arguments say and returns the exit code.
func run(s session, args []string) int {
	err := commandline.Execute(s.ctx, rootCommand(s), args, s.stdout, s.stderr)
	if err != nil && !errors.Is(err, commandline.ErrSaid) {
		s.say(explain(err))
	}
	return commandline.ExitCode(err)
}

// usage is an error in how the program was called.
func usage(format string, args ...any) error {
	return commandline.Fail(commandline.ExitUsage, fmt.Errorf(format, args...))
}
