package sample

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func kind(s string) string { return s[:1] }
func name(s string) string { return s }

func some(n int) []string {
	var out []string
	for i := range n {
		out = append(out, []string{"a", "b", "b"}[i%3]+strconv.Itoa(i))
	}
	return out
}

func TestChoose(t *testing.T) {
	items := some(300)
	chosen := Choose(items, kind, name, 20, 1)
	require.Len(t, chosen, 20)
	ofA := slices.DeleteFunc(slices.Clone(chosen), func(s string) bool { return kind(s) != "a" })
	require.Len(t, ofA, 10, "of each kind as many")
	require.Equal(t, chosen, Choose(items, kind, name, 20, 1))
	require.NotEqual(t, chosen, Choose(items, kind, name, 20, 2))
	require.ElementsMatch(t, items, Choose(items, kind, name, 1000, 1))
}

// When an item goes, another one takes its place in the sample, and all others keep theirs.
func TestASampleStays(t *testing.T) {
	items := some(300)
	chosen := Choose(items, kind, name, 20, 1)
	for _, gone := range items {
		rest := slices.DeleteFunc(slices.Clone(items), func(s string) bool { return s == gone })
		again := Choose(rest, kind, name, 20, 1)
		kept := slices.DeleteFunc(slices.Clone(chosen), func(s string) bool { return !slices.Contains(again, s) })
		if slices.Contains(chosen, gone) {
			require.Len(t, kept, 19, "without %s", gone)
		} else {
			require.Equal(t, chosen, again, "without %s", gone)
		}
	}
}
