package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

// The exit codes, beside 0. Those above 1 are of sysexits.h.
const (
	exitDiffers = 1
	exitUsage   = 64
	exitIO      = 74
)

// failure is an error with the code to exit with.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// fail is err with a code, or nil.
func fail(code int, err error) error {
	if err == nil {
		return nil
	}
	return &failure{code, err}
}

// run does what the arguments say and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := &cobra.Command{
		Use:           "oracle",
		Short:         "Ask Apache Kafka's own classes what a member of a group does",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("say check, write, diff, show or lives; oracle --help tells more")
		},
	}
	root.AddCommand(checkCommand(), writeCommand(), diffCommand(), showCommand(), livesCommand())
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(commandline.FlagError)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, err)
	if f := (*failure)(nil); errors.As(err, &f) {
		return f.code
	}
	return exitUsage
}

// dirFlag is where the facts are. That it is a folder is found before Kafka is asked, which takes minutes.
func dirFlag(cmd *cobra.Command) *string {
	dir := cmd.Flags().String("dir", filepath.Join("heartbeat", "testdata", "oracle"), "the folder with the facts")
	cmd.PreRunE = func(*cobra.Command, []string) error { return isFolder("dir", *dir) }
	return dir
}

// isFolder is an error where the path that a flag says is no folder.
func isFolder(flag, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return fmt.Errorf("--%s %q: no such folder", flag, path)
	}
	return nil
}

func showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show PROGRAM",
		Short: "Print the facts of one program",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("name one program, not %d: %s", len(args), cmd.UseLine())
			}
			return arePrograms(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p := programsNamed(args)[0]
			o, err := newOracle(cmd.Context(), "")
			if err != nil {
				return fail(exitDiffers, err)
			}
			defer o.release()
			if err := o.compile(cmd.Context(), p); err != nil {
				return fail(exitDiffers, err)
			}
			facts, err := o.ask(cmd.Context(), p)
			if err != nil {
				return fail(exitDiffers, err)
			}
			_, err = cmd.OutOrStdout().Write(facts)
			return fail(exitIO, err)
		},
	}
}
