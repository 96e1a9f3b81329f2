// Slips tries every slip of the pen in the text of specifications and counts how many the validator does not notice: a line
// deleted, doubled, moved by two columns or swapped with its neighbour, a letter, a `not` or an item of a list left out.
//
//	go run ./tools/slips [-v] spec/classic.yaml …
//
// A slip is refused, harmless (every cell and every declaration stays as it was) or silent. The exit code is 1 when more
// than 2 % of those that change something are silent, when a deleted line is, or when the validator fails to give an answer, 64 when no
// specification is named, and 74 when the output cannot be written. It never writes a file.
package main

import (
	"errors"
	"flag"
	"io"
	"os"

	"github.com/kbeat/kbeat/tools/commandline"
)

func main() {
	verbose := flag.Bool("v", false, "list every silent slip")
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], func(args []string) error {
		if len(args) == 0 {
			return errors.New("name one or more specifications")
		}
		return nil
	}); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	os.Exit(commandline.Run("slips", os.Stdout, os.Stderr, func(out io.Writer) error { return run(flag.Args(), *verbose, out) }))
}

// run tries every slip in these specifications, and fails where too many are silent.
func run(paths []string, verbose bool, out io.Writer) error {
	var all tally
	for _, path := range paths {
		results, err := try(path)
		if err != nil {
			return err
		}
		t := count(results)
		t.print(out, path, results, verbose)
		all.add(t)
	}
	if !all.verdict(out) {
		return commandline.ErrSaid
	}
	return nil
}
