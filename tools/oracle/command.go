package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

// rootCommand is the command, with all that it can be told to do.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "oracle",
		Short: "Ask Apache Kafka's own classes what a member of a group does",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return errors.New("say check, write, diff, show or lives; oracle --help tells more")
		},
	}
	root.AddCommand(checkCommand(), writeCommand(), diffCommand(), showCommand(), livesCommand())
	return root
}

// run does what the arguments say and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	return commandline.Exit(stderr, root.Name(), commandline.Execute(ctx, root, args, stdout, stderr))
}

// dirFlag is where the facts are. That it is a folder is found before Kafka is asked, which takes minutes.
func dirFlag(cmd *cobra.Command) *string {
	dir := cmd.Flags().String("dir", filepath.Join("heartbeat", "testdata", "oracle"), "the folder with the facts")
	cmd.PreRunE = func(*cobra.Command, []string) error { return commandline.Folder("dir", *dir) }
	return dir
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
				return commandline.Fail(commandline.ExitFailed, err)
			}
			defer o.release()
			if err := o.compile(cmd.Context(), p); err != nil {
				return commandline.Fail(commandline.ExitFailed, err)
			}
			facts, err := o.ask(cmd.Context(), p)
			if err != nil {
				return commandline.Fail(commandline.ExitFailed, err)
			}
			cmd.OutOrStdout().Write(facts) // Execute tells when this fails
			return nil
		},
	}
}
