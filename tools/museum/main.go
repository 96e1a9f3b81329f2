// Museum keeps the bugs that clients of Kafka really had, each as a small change of the rules or of the Core, and shows which
// tests kill it. Nothing of the tree changes: the tests are compiled with the changed files in the place of the others.
//
//	museum [-only NAME] [-write]
//
// A killer must fail by what it asserts: a panic, or a test that does not end, judges nothing. Of a scenario only what it expects
// counts, not what it has on record. A killer can also be a seed of tools/sim, whose life then breaks an invariant.
//
// The bugs stand in heartbeat/testdata/museum, as does the table of them, which -write renews. The exit code is 1 where one
// lives, or cannot be made any more, 64 where the command line is wrong, and 74 where the output cannot be written.
package main

import (
	"context"
	"flag"
	"io"
	"os"
	"os/signal"

	"github.com/kbeat/kbeat/tools/commandline"
)

func main() {
	o := options{}
	flag.StringVar(&o.only, "only", "", "try the bug of this name only")
	flag.BoolVar(&o.write, "write", false, "write the table of bugs")
	flag.IntVar(&o.processes, "processes", 2, "how many are tried at once")
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], o.check); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := commandline.Run("museum", os.Stdout, os.Stderr, func(out io.Writer) error { return run(ctx, o, out) })
	stop()
	os.Exit(code)
}
