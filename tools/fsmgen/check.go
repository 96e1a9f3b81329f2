package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/gen"
	"github.com/kbeat/kbeat/tools/commandline"
)

func checkCommand() *cobra.Command {
	return command("check", "Write nothing, and name each file of the package that is missing, stale or superfluous",
		func(cmd *cobra.Command, dir string, files []gen.File) error {
			differences, err := gen.Compare(dir, files)
			if err != nil {
				return commandline.Fail(commandline.ExitIO, err)
			}
			var all []error
			for _, d := range differences {
				all = append(all, fmt.Errorf("%s: %s: run fsmgen generate", filepath.Join(dir, d.Name), d.Kind))
			}
			if all != nil {
				return found(cmd, commandline.ExitFailed, errors.Join(all...))
			}
			return nil
		})
}
