package main

import (
	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/gen"
	"github.com/kbeat/kbeat/tools/commandline"
)

func generateCommand() *cobra.Command {
	return command("generate", "Write the package: all files or, where one cannot be written, none",
		func(_ *cobra.Command, dir string, files []gen.File) error {
			return commandline.Fail(commandline.ExitIO, gen.Write(dir, files))
		})
}
