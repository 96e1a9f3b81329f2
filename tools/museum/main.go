// Museum keeps the bugs that clients of Kafka really had, each as a small change of the rules or of the Core, and shows which
// tests kill it. Nothing of the tree changes: the tests are compiled with the changed files in the place of the others.
//
//	museum [-only NAME] [-write]
//
// The bugs stand in heartbeat/testdata/museum, as does the table of them, which -write renews. The exit code is 1 where one
// lives, or cannot be made any more.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	o := options{}
	flag.StringVar(&o.only, "only", "", "try the bug of this name only")
	flag.BoolVar(&o.write, "write", false, "write the table of bugs")
	flag.IntVar(&o.processes, "processes", 2, "how many are tried at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}
