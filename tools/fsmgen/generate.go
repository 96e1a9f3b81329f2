package main

import (
	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/gen"
)

func generateCommand() *cobra.Command {
	return command("generate", "Write the package: all files or, where one cannot be written, none",
		func(_ *cobra.Command, dir string, files []gen.File) error {
			if err := gen.Write(dir, files); err != nil {
				return &failure{exitIO, err}
			}
			return nil
		})
}
