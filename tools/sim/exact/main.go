// Exact plays seeds of the simulation over real wire bytes (tools/sim/wire) so that the same seed gives the same bytes:
// every event, every id and every line of a trace. It compiles that simulation to WebAssembly, and runs it on a machine that
// has one thread, a clock which only counts how often it was read, and dice that follow from -chance: so that also what
// the Go runtime and an embedded cluster leave to chance (the order of goroutines and maps, member ids, ports) is decided.
//
//	exact [-from SEED] [-seeds N] [-minutes N] [-members N] [-faults N] [-chance N] [-twice] [-o FILE]
//
// Another -chance is the same trouble in another order of whatever happens at one instant. It takes far longer
// than the test itself, which is for many seeds; this is for one that is to be looked at.
//
// It exits with 1 where a seed fails, or where -twice has seen other bytes, with 64 where it is called wrongly, and with 74 where the
// output cannot be written.
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
	var o options
	flag.Uint64Var(&o.from, "from", 1, "the first seed")
	flag.IntVar(&o.seeds, "seeds", 1, "how many")
	flag.IntVar(&o.minutes, "minutes", 10, "how many minutes of virtual time each takes")
	flag.IntVar(&o.members, "members", 0, "how many members each group has; 0: as its seed draws")
	flag.IntVar(&o.faults, "faults", -1, "let only so many of a seed's faults happen, the first ones")
	flag.Uint64Var(&o.chance, "chance", 1, "what decides all that a seed does not")
	flag.BoolVar(&o.twice, "twice", false, "play each seed twice, and compare the bytes")
	flag.StringVar(&o.file, "o", "", "write the recordings into this file")
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], o.check); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := commandline.Run("exact", os.Stdout, os.Stderr, func(out io.Writer) error { return run(ctx, o, out) })
	stop()
	os.Exit(code)
}
