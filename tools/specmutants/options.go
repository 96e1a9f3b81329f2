package main

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strings"
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
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	var choices []string
	flags.Visit(func(f *flag.Flag) {
		if f.Name == "all" || f.Name == "only" || f.Name == "sample" {
			choices = append(choices, "-"+f.Name)
		}
	})
	if len(choices) > 1 {
		err := fmt.Errorf("%s: each says which mutants to try; give one of them", strings.Join(choices, " and "))
		fmt.Fprintln(complaints, err)
		return o, err
	}
	return o, nil
}
