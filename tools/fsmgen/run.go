package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/gen"
	"github.com/kbeat/kbeat/spec"
)

// The exit codes, beside 0. Those above 2 are of sysexits.h.
const (
	exitDiffers = 1
	exitSpec    = 2
	exitUsage   = 64
	exitIO      = 74
)

// failure is an error with the code to exit with.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

// run does what the arguments say and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "fsmgen",
		Short:         "Generate a Go package from the specification of a state machine",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return errors.New("say generate or check; fsmgen --help tells more")
		},
	}
	root.FParseErrWhitelist.UnknownFlags = true // of a command that is misspelt: that is what is to be said
	root.AddCommand(generateCommand(), checkCommand())
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	if f := (*failure)(nil); errors.As(err, &f) {
		return f.code
	}
	return exitUsage
}

// command is one that takes a specification and a directory; do gets the files that are rendered from the one for the other.
func command(use, short string, do func(cmd *cobra.Command, dir string, files []gen.File) error) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   use + " SPEC -o DIR",
		Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("give one specification, not %d: %s", len(args), cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return errors.New("--output is empty: name the directory of the package")
			}
			files, err := render(args[0])
			if err != nil {
				return err
			}
			return do(cmd, dir, files)
		},
	}
	cmd.Flags().StringVarP(&dir, "output", "o", "", "the directory of the package (required)")
	if err := cmd.MarkFlagRequired("output"); err != nil {
		panic(err) // the flag was declared one line above
	}
	return cmd
}

func render(path string) ([]gen.File, error) {
	machine, err := spec.Load(path)
	if findings := (spec.Findings{}); errors.As(err, &findings) {
		return nil, &failure{exitSpec, err}
	}
	if err != nil {
		return nil, &failure{exitIO, err}
	}
	files, err := gen.Render(machine)
	if err != nil {
		return nil, &failure{exitSpec, err}
	}
	return files, nil
}
