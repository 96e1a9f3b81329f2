package commandline

import (
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// Whatever is wrong is told in words, once, and has the same exit code; help is not wrong.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		args string
		says string
		code int
	}{
		{"-n x", `tool: -n "x": a whole number; -help tells more`, ExitUsage},
		{"-n 99999999999999999999", `tool: -n "99999999999999999999": a whole number; this one is too large, or too small; -help tells more`, ExitUsage},
		{"-big -1", `tool: -big "-1": a whole number, not below 0; -help tells more`, ExitUsage},
		{"-length 3", `tool: -length "3": a length of time with its unit, such as 30s or 5m, of less than 292 years; -help tells more`, ExitUsage},
		{"-yes=perhaps", `tool: -yes "perhaps": true or false; -help tells more`, ExitUsage},
		{"-own x", `tool: -own "x": never; -help tells more`, ExitUsage},
		{"-bogus", "tool: flag provided but not defined: -bogus; -help tells more", ExitUsage},
		{"foo", `tool: "foo" is no flag, and there are no arguments; -help tells more`, ExitUsage},
		{"-n 1 foo", `tool: "foo" is no flag`, ExitUsage},
		{"-n 0", "tool: -n=0: at least 1; -help tells more", ExitUsage},
		{"-help", "Usage of tool:", 0},
	} {
		t.Run(c.args, func(t *testing.T) {
			var told strings.Builder
			flags := flag.NewFlagSet("/tmp/some/where/tool", flag.ExitOnError)
			flags.SetOutput(&told)
			n := flags.Int("n", 1, "how many")
			flags.Uint64("big", 1, "how many more")
			flags.Duration("length", time.Second, "how long")
			flags.Bool("yes", false, "really")
			flags.Func("own", "what knows itself what it wants", func(string) error { return errors.New("never") })
			err := Parse(flags, strings.Fields(c.args), func(args []string) error {
				if *n < 1 {
					return errors.New("-n=0: at least 1")
				}
				return NoArguments(args)
			})
			require.Error(t, err)
			require.Equal(t, c.code, ExitCode(err))
			require.Equal(t, 1, strings.Count(told.String(), c.says), told.String())
			if c.code != 0 {
				require.Equal(t, 1, strings.Count(told.String(), "\n"), told.String())
			}
		})
	}
	require.NoError(t, Parse(flag.NewFlagSet("tool", flag.ExitOnError), nil, NoArguments))
}

// Nothing of how the line is read shows in the flags: a flag that needs no value has none, and the help is package flag's.
func TestFlagsAreLeftAsTheyWere(t *testing.T) {
	for _, args := range []string{"-yes rest", "-help"} {
		var told, plain strings.Builder
		flags := flag.NewFlagSet("tool", flag.ContinueOnError)
		flags.SetOutput(&told)
		yes := flags.Bool("yes", false, "really")
		flags.Duration("length", 0, "for `SO` long")
		err := Parse(flags, strings.Fields(args), func([]string) error { return nil })
		if err == nil {
			require.True(t, *yes)
			require.Equal(t, []string{"rest"}, flags.Args())
			require.Empty(t, told.String())
			continue
		}
		same := flag.NewFlagSet("tool", flag.ContinueOnError)
		same.SetOutput(&plain)
		same.Bool("yes", false, "really")
		same.Duration("length", 0, "for `SO` long")
		require.ErrorIs(t, same.Parse([]string{"-help"}), flag.ErrHelp)
		require.Equal(t, plain.String(), told.String())
	}
}

// A flag says what it was given and what it wants, of whatever kind it is.
func TestFlagError(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--int x", `--int "x": a whole number`},
		{"--int64=1e3", `--int64 "1e3": a whole number`},
		{"--uint64=-1", `--uint64 "-1": a whole number, not below 0`},
		{"--uint64 99999999999999999999", `--uint64 "99999999999999999999": a whole number, not below 0; this one is too large, or too small`},
		{"-f x", `--float "x": a number`},
		{"--length 3", `--length "3": a length of time with its unit, such as 30s or 5m, of less than 292 years`},
		{"--yes=perhaps", `--yes "perhaps": true or false`},
		{`--names x"y`, `--names "x\"y": names with commas between them, and quotation marks only around one that has a comma in it`},
		{"--pairs a", `invalid argument "a" for "--pairs" flag: a must be formatted as key=value`},
		{"--bogus", "unknown flag: --bogus"},
	} {
		cmd := &cobra.Command{Use: "tool", RunE: func(*cobra.Command, []string) error { return nil }, SilenceErrors: true, SilenceUsage: true}
		cmd.SetFlagErrorFunc(flagError)
		f := cmd.Flags()
		f.Int("int", 0, "")
		f.Int64("int64", 0, "")
		f.Uint64("uint64", 0, "")
		f.Float64P("float", "f", 0, "")
		f.Duration("length", time.Second, "")
		f.Bool("yes", false, "")
		f.StringSlice("names", nil, "")
		f.StringToString("pairs", nil, "")
		cmd.SetArgs(strings.Fields(c.args))
		cmd.SetOut(io.Discard)
		require.EqualError(t, cmd.Execute(), c.says, c.args)
	}
}
