// Specmutants changes the classic protocol's specification, one word at a time, in thousands of ways, and says who notices:
// the validator, the cells in which Apache Kafka's own classes were watched, the lives that they led, or nobody.
//
//	specmutants [-sample 300 [-seed 1] | -all | -only REGEXP] [-processes 2] [-v]
//
// The tests of fsm/classic and heartbeat are compiled once, with an interpreter in the place of the generated decisions, so
// that a mutant is exchanged within a process. Before anything else the interpreter is held against the generated tests.
//
// Whoever nobody notices was looked at: survivors.yaml says of each why it may live. The exit code is 1 where one is alive
// that is not listed, or one that is listed is not alive, 64 where the command line is wrong, and 74 where the output cannot be
// written.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"

	"github.com/kbeat/kbeat/tools/commandline"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := commandline.Run("specmutants", os.Stdout, os.Stderr, func(out io.Writer) error { return run(ctx, o, out) })
	stop()
	os.Exit(code)
}
