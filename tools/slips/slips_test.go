package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

const light = `machine: light
# a comment stays
states:
  RED:   {initial: true, doc: "stop, and wait"}
  GREEN: {enters_with: mend, doc: go}
flags:
  broken: it is
effects:
  smash: {sets: broken}
  mend:  {clears: broken}
events:
  switch:
    not broken in RED: {to: GREEN, do: [mend, smash]}
    broken in RED:     {to: GREEN, do: mend}
    GREEN:             RED
`

// TestSlips names, for some lines, what is tried in each.
func TestSlips(t *testing.T) {
	tried := map[string][]string{}
	for _, s := range slips(light) {
		require.NotEqual(t, light, s.text, "%s of line %d changes nothing", s.kind, s.line)
		changed := "(gone)"
		for line := range strings.Lines(s.text) {
			if !strings.Contains(light, line) {
				changed = strings.TrimSpace(line)
			}
		}
		tried[s.kind+" "+s.was] = append(tried[s.kind+" "+s.was], changed)
	}
	rule := `not broken in RED: {to: GREEN, do: [mend, smash]}`
	require.Equal(t, []string{`broken in RED: {to: GREEN, do: [mend, smash]}`}, tried["a not left out "+rule])
	require.Equal(t, []string{`not broken in RED: {to: GREEN, do: [smash]}`, `not broken in RED: {to: GREEN, do: [mend]}`}, tried["an item left out "+rule])
	require.Len(t, tried["a letter left out "+rule], 4, "one for each of the words broken, GREEN, mend and smash")
	require.Len(t, tried["a letter left out "+`RED:   {initial: true, doc: "stop, and wait"}`], 2, "nothing of the prose behind doc")
	require.Contains(t, tried, "a line deleted GREEN: {enters_with: mend, doc: go}")
	require.NotContains(t, tried, "a line deleted # a comment stays")
	require.Contains(t, tried, "two lines swapped smash: {sets: broken}")
	require.NotContains(t, tried, "two lines swapped GREEN: {enters_with: mend, doc: go}", "its neighbour is indented otherwise")
}

// TestDiffers says which changes of a text change something.
func TestDiffers(t *testing.T) {
	read := func(text string) *spec.Machine {
		m, err := spec.Parse("light.yaml", []byte(text), nil)
		require.NoError(t, err)
		return m
	}
	base := read(light)
	for _, x := range []struct {
		what, old, new string
		differs        bool
	}{
		{"prose", "it is", "it is so", false},
		{"a comment", "# a comment stays\n", "", false},
		{"the order of a mapping", "    broken in RED:     {to: GREEN, do: mend}\n    GREEN:             RED\n", "    GREEN:             RED\n    broken in RED:     {to: GREEN, do: mend}\n", false},
		{"a condition in other words", "broken in RED:     {", "broken in not GREEN: {", false},
		{"the order of effects", "[mend, smash]", "[smash, mend]", true},
		{"an effect", "GREEN:             RED", "GREEN:             {to: RED, do: smash}", true},
		{"what an effect does", "{sets: broken}", "{sets: broken, only: not broken in RED}", true},
		{"what a flag begins with", "  broken: it is\n", "  broken: {initial: true, doc: it is}\n", true},
		{"a name", "broken", "smashed", true},
	} {
		require.Contains(t, light, x.old, x.what)
		text := strings.ReplaceAll(light, x.old, x.new)
		require.Equal(t, x.differs, differs(base, read(text)), x.what)
	}
}

// TestNoLineIsLost tries two whole machines: none loses a line in silence, and nothing crashes.
func TestNoLineIsLost(t *testing.T) {
	for _, name := range []string{"grpc", "lcp"} {
		results, err := try(filepath.Join("..", "..", "spec", "testdata", "machines", name+".yaml"))
		require.NoError(t, err)
		all := count(results)
		require.Zero(t, all.lines, "%s: silent by a deleted line", name)
		require.Zero(t, all.total[crashed], name)
		require.Greater(t, all.total[refused], 20*all.total[silent], name)
	}
}

// TestVerdict says what is good enough.
func TestVerdict(t *testing.T) {
	for _, x := range []struct {
		what string
		t    tally
		good bool
	}{
		{"two of a hundred", tally{total: [4]int{refused: 98, silent: 2}}, true},
		{"three of a hundred", tally{total: [4]int{refused: 97, harmless: 100, silent: 3}}, false},
		{"a deleted line", tally{total: [4]int{refused: 999, silent: 1}, lines: 1}, false},
		{"a crash", tally{total: [4]int{refused: 999, crashed: 1}}, false},
	} {
		var out strings.Builder
		require.Equal(t, x.good, x.t.verdict(&out), x.what)
		require.NotEmpty(t, out.String())
	}
}

// TestTryUnreadable says what happens to what cannot be tried.
func TestTryUnreadable(t *testing.T) {
	_, err := try("no such file.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)

	path := filepath.Join(t.TempDir(), "light.yaml")
	require.NoError(t, os.WriteFile(path, []byte("machine: light\n"), 0o600))
	_, err = try(path)
	require.ErrorContains(t, err, "without any slip")
}
