package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/kbeat/kbeat/tools/commandline"
)

// options are those of the command line.
type options struct {
	sample, processes int
	seed              uint64
	all, verbose      bool
	only              *regexp.Regexp // may be nil
}

// parseOptions reads the command line. What is wrong with it has been told to complaints.
func parseOptions(args []string, complaints io.Writer) (options, error) {
	o := options{}
	flags := flag.NewFlagSet("specmutants", flag.ContinueOnError)
	flags.SetOutput(complaints)
	flags.IntVar(&o.sample, "sample", 300, "how many mutants to try, and a tenth as many of those that are listed")
	flags.Uint64Var(&o.seed, "seed", 1, "chooses them")
	flags.BoolVar(&o.all, "all", false, "try all of them")
	flags.Func("only", "try those whose name this matches", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	flags.IntVar(&o.processes, "processes", 2, "how many are tried at once")
	flags.BoolVar(&o.verbose, "v", false, "say of each mutant who noticed")
	err := commandline.Parse(flags, args, func(args []string) error {
		var choices []string
		flags.Visit(func(f *flag.Flag) {
			if f.Name == "all" || f.Name == "only" || f.Name == "sample" {
				choices = append(choices, "-"+f.Name)
			}
		})
		switch {
		case len(choices) > 1:
			return fmt.Errorf("%s: each says which mutants to try; give one of them", strings.Join(choices, " and "))
		case o.sample < 1:
			return fmt.Errorf("-sample=%d: at least 1", o.sample)
		case o.processes < 1:
			return fmt.Errorf("-processes=%d: at least 1", o.processes)
		}
		return commandline.NoArguments(args)
	})
	return o, err
}
