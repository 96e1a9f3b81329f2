package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/gen"
	"github.com/kbeat/kbeat/spec"
	"github.com/kbeat/kbeat/tools/commandline"
)

// exitSpec is the exit code of a specification that is wrong; the others are those that commands share.
const exitSpec = 2

// run does what the arguments say and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:   "fsmgen",
		Short: "Generate a Go package from the specification of a state machine",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return errors.New("say generate or check; fsmgen --help tells more")
		},
	}
	root.FParseErrWhitelist.UnknownFlags = true // of a command that is misspelt: that is what is to be said
	root.AddCommand(generateCommand(), checkCommand())
	return commandline.Exit(stderr, root.Name(), commandline.Execute(context.Background(), root, args, stdout, stderr))
}

// found tells what is wrong, a line for each finding, which begins with the place as an editor wants it.
func found(cmd *cobra.Command, code int, findings error) error {
	fmt.Fprintln(cmd.ErrOrStderr(), findings)
	return commandline.Fail(code, commandline.ErrSaid)
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
			files, err := render(cmd, args[0])
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

func render(cmd *cobra.Command, path string) ([]gen.File, error) {
	machine, err := spec.Load(path)
	if findings := (spec.Findings{}); errors.As(err, &findings) {
		return nil, found(cmd, exitSpec, err)
	}
	if err != nil {
		return nil, commandline.Fail(commandline.ExitIO, err)
	}
	files, err := gen.Render(machine)
	if err != nil {
		return nil, found(cmd, exitSpec, err)
	}
	return files, nil
}
