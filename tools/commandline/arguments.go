// Package commandline says the same of a wrong command line in all commands of tools/: what was given, what is wanted, and
// exit code 64. Those with package flag read theirs by Parse; those with cobra set FlagError.
//
//	func main() {
//		all := flag.Bool("all", false, "try all")
//		if err := commandline.Parse(flag.CommandLine, os.Args[1:], commandline.NoArguments); err != nil {
//			os.Exit(commandline.ExitCode(err))
//		}
//
// It never ends the process.
package commandline

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
)

// ExitUsage is the exit code of a command that is called wrongly, as sysexits.h has it.
const ExitUsage = 64

// Parse reads a command line; check says what is wrong with its arguments, or with its flags together. What is wrong has been
// told to the flags' output when it returns, and so has the help, for which the error is flag.ErrHelp.
func Parse(flags *flag.FlagSet, args []string, check func(args []string) error) error {
	flags.Init(filepath.Base(flags.Name()), flag.ContinueOnError)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := check(flags.Args()); err != nil {
		fmt.Fprintf(flags.Output(), "%s: %v; -help tells more\n", flags.Name(), err)
		return err
	}
	return nil
}

// ExitCode is that of a command whose Parse has returned an error.
func ExitCode(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	return ExitUsage
}

// NoArguments refuses whatever is no flag.
func NoArguments(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is no flag, and there are no arguments", args[0])
	}
	return nil
}
