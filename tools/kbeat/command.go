package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

// The exit codes, beside 0. Those between 64 and 78 are of sysexits.h; 130 is what shells say of an interrupted program.
const (
	exitFailed      = 1
	exitNoTrace     = 2
	exitUsage       = 64
	exitUnavailable = 69
	exitIO          = 74
	exitInterrupted = 130
)

// failure is an error with the code to exit with.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// errSaid is a failure that the output has told of already.
var errSaid = errors.New("not as it should be")

// run does what the arguments say and returns the exit code.
func run(s session, args []string) int {
	root := &cobra.Command{
		Use:           "kbeat",
		Short:         "Be a member of a Kafka group, and see which rule decides about it",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("say run or replay; kbeat --help tells more")
		},
	}
	root.AddCommand(runCommand(s), replayCommand(s))
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(commandline.FlagError)
	root.SetArgs(args)
	root.SetOut(s.stdout)
	root.SetErr(s.stderr)
	err := root.ExecuteContext(s.ctx)
	if err == nil {
		return 0
	}
	code := exitUsage
	if f := (*failure)(nil); errors.As(err, &f) {
		code = f.code
	}
	if !errors.Is(err, errSaid) {
		s.say(explain(err))
	}
	return code
}

// usage is an error in how the program was called.
func usage(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}
