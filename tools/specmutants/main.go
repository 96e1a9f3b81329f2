// Specmutants changes the classic protocol's specification, one word at a time, in thousands of ways, and says who notices:
// the validator, the cells in which Apache Kafka's own classes were watched, the lives that they led, or nobody.
//
//	specmutants [-sample 300] [-seed 1] [-all] [-only REGEXP] [-v]
//
// The tests of fsm/classic and heartbeat are compiled once, with an interpreter in the place of the generated decisions, so
// that a mutant is exchanged within a process. Before anything else the interpreter is held against the generated tests.
//
// Whoever nobody notices was looked at: survivors.yaml says of each why it may live. The exit code is 1 where one is alive
// that is not listed, or one that is listed is not alive.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
)

func main() {
	o := options{}
	flag.IntVar(&o.sample, "sample", 300, "how many mutants to try, beside those that are listed")
	flag.Uint64Var(&o.seed, "seed", 1, "chooses them")
	flag.BoolVar(&o.all, "all", false, "try all of them")
	flag.Func("only", "try those whose name this matches", func(text string) (err error) {
		o.only, err = regexp.Compile(text)
		return err
	})
	flag.IntVar(&o.processes, "processes", 2, "how many are tried at once")
	flag.BoolVar(&o.verbose, "v", false, "say of each mutant who noticed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}
