// Package commandline is what the commands of tools/ have in common: what is said of a wrong command line, which code stands
// for what, and that an output which cannot be written is noticed. A command with package flag reads its line by Parse, and
// does its work in Run:
//
//	func main() {
//		all := flag.Bool("all", false, "try all")
//		if err := commandline.Parse(flag.CommandLine, os.Args[1:], commandline.NoArguments); err != nil {
//			os.Exit(commandline.ExitCode(err))
//		}
//		os.Exit(commandline.Run("tool", os.Stdout, os.Stderr, func(out io.Writer) error { return try(*all, out) }))
//	}
//
// One with cobra hands its root to Execute, and what that returns to Exit. The package itself never ends the process.
package commandline

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Parse reads a command line; check says what is wrong with its arguments, or with its flags together. What is wrong has been
// told to the flags' output when it returns, in one line, and so has the help, for which the error is flag.ErrHelp.
func Parse(flags *flag.FlagSet, args []string, check func(args []string) error) error {
	flags.Init(filepath.Base(flags.Name()), flag.ContinueOnError)
	err := read(flags, args)
	if err == nil {
		err = check(flags.Args())
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintf(flags.Output(), "Usage of %s:\n", flags.Name())
		flags.PrintDefaults()
	case err != nil:
		fmt.Fprintf(flags.Output(), "%s: %v; -help tells more\n", flags.Name(), err)
	}
	return err
}

// read lets package flag read the flags, and keep to itself what it says of them.
func read(flags *flag.FlagSet, args []string) (err error) {
	out, usage := flags.Output(), flags.Usage
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	var refused error
	flags.VisitAll(func(f *flag.Flag) { f.Value = refusing{f.Value, f.Name, &refused} })
	defer func() {
		flags.VisitAll(func(f *flag.Flag) { f.Value = f.Value.(refusing).Value })
		flags.SetOutput(out)
		flags.Usage = usage
	}()
	if err := flags.Parse(args); err != nil && refused == nil {
		return err
	}
	return refused
}

// NoArguments refuses whatever is no flag.
func NoArguments(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q is no flag, and there are no arguments", args[0])
	}
	return nil
}

// Folder refuses a path that is no folder. It is asked before work that takes minutes and then wants to write there.
func Folder(flag, path string) error {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return fmt.Errorf("--%s %q: no such folder", flag, path)
	}
	return nil
}
