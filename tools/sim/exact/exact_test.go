package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a program leaves to chance is the same with the same chance, and another with another one.
func TestTheSameChanceGivesTheSameBytes(t *testing.T) {
	ctx := context.Background()
	program, err := build(ctx, "./testdata/chance", "build")
	require.NoError(t, err)
	m, err := newMachine(ctx, program)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.close(ctx)) }()
	print := func(chance uint64, args ...string) string {
		printed, ok, err := m.run(ctx, chance, args...)
		require.NoError(t, err)
		require.Equal(t, len(args) < 2, ok)
		return string(printed)
	}
	first := print(1, "a")
	require.Contains(t, first, " 0 [a]", "it sees an environment, or not its arguments")
	for range 3 {
		require.Equal(t, first, print(1, "a"))
	}
	require.NotEqual(t, first, print(2, "a"))
	require.NotEqual(t, first, print(1<<60|1, "a"))
	print(1, "a", "b")
}

func TestWhatCannotBePlayed(t *testing.T) {
	whole := options{seeds: 1, minutes: 1, faults: -1}
	require.NoError(t, whole.check(nil))
	require.EqualError(t, whole.check([]string{"x"}), `"x" is no flag, and there are no arguments`)
	for want, change := range map[string]func(*options){
		"-seeds=0: at least 1":                                      func(o *options) { o.seeds = 0 },
		"-minutes=0: at least 1":                                    func(o *options) { o.minutes = 0 },
		"-minutes=1441: at most 1440":                               func(o *options) { o.minutes = 1441 },
		"-members=-1: at least 1, or 0 for as many as a seed draws": func(o *options) { o.members = -1 },
		"-faults=-2: at least 0, or -1 for all":                     func(o *options) { o.faults = -2 },
	} {
		o := whole
		change(&o)
		require.EqualError(t, o.check(nil), want)
	}
}

func TestWhereTwoRecordingsDiffer(t *testing.T) {
	for _, test := range []struct{ a, b, want string }{
		{"x\ny\n", "x\ny\n", ""},
		{"x\ny\n", "x\nz\n", `line 2 is "y", and then "z"`},
		{"x\n", "x\ny\n", `line 2 is "", and then "y"`},
		{"x", "x\ny", `there are 1 lines, and then 2`},
	} {
		err := same([]byte(test.a), []byte(test.b))
		if test.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, test.want)
		}
	}
}
