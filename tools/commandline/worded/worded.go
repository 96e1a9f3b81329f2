// Package worded holds the flags of a command to what package commandline says of values that they cannot take:
//
//	func TestFlagsAreWorded(t *testing.T) { worded.Flags(t, rootCommand()) }
//
// It is for tests: the words stand in a table by kinds of flags, and a kind that is new in a command would fall back to those of
// Go's parsers in silence.
package worded

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/commandline"
)

// refused is what no kind of flag takes that can refuse anything: a quotation mark that is not closed.
const refused = `x"y`

// Flags fails for each flag, of the command and of those below it, that refuses a value in other words than ours.
func Flags(t *testing.T, root *cobra.Command) {
	t.Helper()
	asked := 0
	each(root, func(cmd *cobra.Command, f *pflag.Flag) {
		if f.Value.Set(refused) == nil {
			return // it takes anything
		}
		asked++
		args := append(strings.Fields(cmd.CommandPath())[1:], "--"+f.Name+"="+refused)
		err := commandline.Execute(context.Background(), root, args, io.Discard, io.Discard)
		require.ErrorContains(t, err, fmt.Sprintf("--%s %q: ", f.Name, refused), "give kind %s of flags its words: tools/commandline/flag.go", f.Value.Type())
	})
	require.NotZero(t, asked, "no flag of %s can refuse anything", root.Name())
}

func each(cmd *cobra.Command, do func(*cobra.Command, *pflag.Flag)) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { do(cmd, f) })
	for _, below := range cmd.Commands() {
		each(below, do)
	}
}
