// Command mutants shows that the generated tests notice when the generated code changes. It changes the tables in memory, each
// rule in each aspect and each cell in each outcome; then a sample of places in the source, each compiled and tested. It fails
// unless every change is noticed, with exit code 1; 64 is that of a wrong command line, and 74 that of an output that cannot be
// written.
//
//	mutants [-package fsm/classic] [-sample 30] [-seed 1]
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/kbeat/kbeat/tools/commandline"
)

func main() {
	dir := flag.String("package", "fsm/classic", "the generated package")
	sample := flag.Int("sample", 30, "how many places in the source to change")
	seed := flag.Uint64("seed", 1, "chooses the places")
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], func(args []string) error {
		if *sample < 1 {
			return fmt.Errorf("-sample=%d: at least 1", *sample)
		}
		return commandline.NoArguments(args)
	}); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := commandline.Run("mutants", os.Stdout, os.Stderr, func(out io.Writer) error { return run(ctx, *dir, *sample, *seed, out) })
	stop()
	os.Exit(code)
}
