package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// TestHostile reads texts that are made to cost time, memory or a panic. Each must be refused, and the whole test be over in a
// moment: one that takes its time shows up in `go test -v`.
func TestHostile(t *testing.T) {
	const head = "machine: light\nstates:\n  RED: {initial: true, doc: stop}\n  GREEN: go\n"
	many := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format+"\n", i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"10 MB":                      strings.Repeat("a", 10<<20),
		"100,000 brackets":           strings.Repeat("[", 100_000),
		"100,000 brackets in lines":  strings.Repeat("[\n", 100_000),
		"100,000 braces":             strings.Repeat("{a:\n", 60_000),
		"deep blocks":                strings.Repeat("- ", 400),
		"a long line":                head + "# " + strings.Repeat("x", 100_000),
		"flow keys":                  "{" + strings.Repeat("a: b,\n", 40_000) + "}",
		"a long list":                strings.Repeat("- a\n", 60_000),
		"many documents":             strings.Repeat("---\na: b\n", 20_000),
		"aliases of aliases":         "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
		"an alias of itself":         "a: &a [*a]\n",
		"complex keys":               strings.Repeat("? [a]\n: b\n", 20_000),
		"a mapping as a key":         "{[a]: b, {c: d}: e}",
		"many states":                "machine: light\nstates:\n" + many(490, "  S%d: {from: any, doc: one of many}") + "events:\n  switch: S1\n",
		"many unknown names":         head + "effects:\n" + many(490, "  effect_%d: {sets: [flag_a, flag_b, flag_c], clears: [flag_d, flag_e]}") + "events:\n  switch: nothing\n",
		"many events":                head + "events:\n" + many(490, "  event_%d: [RED: GREEN, GREEN: RED, else: nowhere]"),
		"a counter of 16 bits":       counter(16),
		"30 questions":               head + "guards:\n  member:\n" + many(30, "    g%d: yes or no") + "events:\n  switch:\n" + many(30, "  - g%d: RED") + "  - else: GREEN\n",
		"a question of 490 answers":  head + "guards:\n  member:\n    q: {one_of: {\n" + many(490, "      a%d: one,") + "    }}\nevents:\n  switch:\n" + many(490, "    a%d: RED"),
		"30 ends of a request":       head + "guards:\n  request:\n" + many(30, "    g%d: yes or no") + "effects:\n  ask: {sends: Ask}\nrequests:\n  Ask:\n    limit: 1\n    when:\n" + many(30, "    - g%d") + "responses:\n  Ask: {otherwise: ignored}\nevents:\n  switch: {do: ask}\n",
		"400 ends of a request":      head + "guards:\n  request:\n" + many(400, "    g%d: yes or no") + "effects:\n  ask: {sends: Ask}\nrequests:\n  Ask:\n    limit: 1\n    when:\n" + many(400, "    - g%d") + "responses:\n  Ask: {otherwise: ignored}\nevents:\n  switch: {do: ask}\n",
		"byte order mark and nulls":  "\ufeff\x00\x00",
		"UTF-16":                     "\xff\xfem\x00a\x00c\x00h\x00",
		"a directive":                "%YAML 9.9\n---\na: b\n",
		"an anchor as machine":       "&a machine: *a\n",
		"null keys":                  "~: ~\n? \n: \n",
		"numbers as keys":            "1: 2\n.inf: .nan\n",
		"a placeholder without end":  head + "effects:\n  ring: {with: {reason: \"{{{code\"}}\nevents:\n  switch:\n    RED: {to: GREEN, do: ring}\n    GREEN: {to: RED, do: [ring: \"}{\"]}\n  x: {do: x}\n",
		"conditions without a guard": head + "events:\n  switch:\n    \" in \": RED\n    \"not \": RED\n    \"not\": RED\n    \" and  and \": RED\n    \"in\": RED\n    \"not in not in\": RED\n    \",\": RED\n    \"\": RED\n",
		"paths and reasons only":     head + "events:\n  switch: {why: x, deviates: y}\n  other: {to: [], do: {}, result: []}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := spec.Parse("light.yaml", []byte(text), func(string) ([]byte, error) { return []byte(text), nil })
			var findings spec.Findings
			require.ErrorAs(t, err, &findings)
			require.NotEmpty(t, findings)
			require.LessOrEqual(t, len(findings), 101)
			require.Less(t, len(err.Error()), 1<<17, "more than anybody reads")
		})
	}
}

// counter is a loop whose flags count in binary: each line goes again at once, and no circle is shorter than 2^bits.
func counter(bits int) string {
	var b strings.Builder
	b.WriteString("machine: counter\nstates:\n  ON: {initial: true, doc: it counts}\nflags:\n")
	for i := range bits {
		fmt.Fprintf(&b, "  bit%d: of the number\n", i)
	}
	b.WriteString("effects:\n")
	for i := range bits {
		var clears []string
		for j := range i {
			clears = append(clears, fmt.Sprintf("bit%d", j))
		}
		fmt.Fprintf(&b, "  carry%d: {sets: bit%d, clears: [%s]}\n", i, i, strings.Join(clears, ", "))
	}
	b.WriteString("  wrap: {clears: bit0}\nresults:\n  count:\n    turn: {is: retry}\nloops:\n  count:\n")
	for i := range bits {
		fmt.Fprintf(&b, "  - not bit%d: {do: carry%d, result: turn}\n", i, i)
	}
	b.WriteString("  - else: {do: wrap, result: turn}\n")
	return b.String()
}

// TestSum says what the sum of a specification depends on: on what it says, in its order, and on nothing else.
func TestSum(t *testing.T) {
	const text = "machine: light\nstates:\n  RED: {initial: true, doc: stop}\n  GREEN: go\nevents:\n  switch:\n    RED: GREEN\n    GREEN: RED\n"
	sum := func(text string) string {
		m, err := spec.Parse("light.yaml", []byte(text), nil)
		require.NoError(t, err)
		return m.Sum
	}
	same := sum(text)
	require.Len(t, same, 64)
	require.Equal(t, same, sum("# a comment\n\n"+strings.ReplaceAll(text, "\n", "  \r\n")))
	require.Equal(t, same, sum("\ufeff"+strings.ReplaceAll(text, "RED: GREEN", "'RED':   \"GREEN\" # and so on")))
	require.NotEqual(t, same, sum(strings.ReplaceAll(text, "stop", "halt")))
	require.NotEqual(t, same, sum(strings.ReplaceAll(text, "    RED: GREEN\n    GREEN: RED\n", "    GREEN: RED\n    RED: GREEN\n")))
}

// Of a file without an end no more is read than shows that it is too large.
func TestLoadStopsReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "endless.yaml")
	require.NoError(t, os.WriteFile(path, nil, 0o644))
	require.NoError(t, os.Truncate(path, 1<<40))
	_, err := spec.Load(path)
	require.ErrorContains(t, err, "endless.yaml:1:1: the file has more than")
}
