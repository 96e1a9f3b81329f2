package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/sim/span"
	"github.com/kbeat/kbeat/tools/sim/world"
)

// rootCommand is the command, with all that it can be told to do.
func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "sim", Short: "Let groups live in virtual time, and judge them", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return errors.New("say run or seed; sim --help tells more") },
	}
	root.AddCommand(runCommand(), seedCommand())
	return root
}

// command does what the arguments say, and returns the exit code.
func command(args []string, stdout, stderr io.Writer) int {
	root := rootCommand()
	return commandline.Exit(stderr, root.Name(), commandline.Execute(context.Background(), root, args, stdout, stderr))
}

// errBroken says that an invariant was broken.
func errBroken() error { return commandline.Fail(commandline.ExitFailed, commandline.ErrSaid) }

// sizeFlags are the flags that say how large groups are.
type sizeFlags struct {
	minutes float64
	members string
}

func (f *sizeFlags) add(cmd *cobra.Command) {
	cmd.Flags().Float64Var(&f.minutes, "minutes", 10, "how long a group lives")
	cmd.Flags().StringVar(&f.members, "members", "3-30", "how many members it has")
}

// leastMinutes is what a group with the shortest timeouts needs to be disturbed and to settle.
const leastMinutes = 2

func (f *sizeFlags) size() (world.Size, error) {
	if !(f.minutes >= leastMinutes && f.minutes <= span.Longest.Minutes()) {
		return world.Size{}, fmt.Errorf("--minutes %g: between %d, in which a group can settle, and %g", f.minutes, leastMinutes, span.Longest.Minutes())
	}
	low, high, ranged := strings.Cut(f.members, "-")
	if !ranged {
		high = low
	}
	fewest, err := strconv.Atoi(low)
	most, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || fewest < 1 || most < fewest || most > 1000 {
		return world.Size{}, fmt.Errorf("--members %s: a number between 1 and 1000, or two with a dash between them, such as 3-30", f.members)
	}
	return world.Size{Length: time.Duration(f.minutes * float64(time.Minute)), Fewest: fewest, Most: most}, nil
}
