package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/gen"
)

func checkCommand() *cobra.Command {
	return command("check", "Write nothing, and name each file of the package that is missing, stale or superfluous",
		func(_ *cobra.Command, dir string, files []gen.File) error {
			differences, err := gen.Compare(dir, files)
			if err != nil {
				return &failure{exitIO, err}
			}
			var found []error
			for _, d := range differences {
				found = append(found, fmt.Errorf("%s: %s: run fsmgen generate", filepath.Join(dir, d.Name), d.Kind))
			}
			if found != nil {
				return &failure{exitDiffers, errors.Join(found...)}
			}
			return nil
		})
}
