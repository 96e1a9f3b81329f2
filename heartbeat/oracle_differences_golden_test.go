package heartbeat

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// Several comparisons have their differences on record in one file, so that it can be read of each declaration, next to its
// reason, what all of them have seen. Each renews its own lines.

// differencesFile has the differences from Kafka's client of the classic protocol.
const differencesFile = "testdata/oracle/deviations"

// differencesHead says how to read it.
const differencesHead = `# What each declared deviation comes to (README.md beside this file): under each effect, request, result and rule of spec/classic.yaml
# that says "deviates", in its order and with its reason, what Apache Kafka's own client was seen to do → what is done here, in how
# many facts, and the first of them. What does not stand there is equal, is left out of the comparison, or was not seen (README.md
# beside this file says where to look). Behind a comparison's name stands in how many facts the declaration makes a difference, of
# how many that come to it. What is arbitrary is said in words: "kept" is as it was before.
#
#   decisions   the decisions generated from the rules, given one answer, one turn of the loop, one end of a heartbeat
#   Core        a Core, given the same
#   timers      a Core, in sequences of what moves its timers
#   callers     a Core, in short lives with calls that have time to wait; "next" is where something else comes next
#   lives       a Core, in random lives: the step in which it is first otherwise; it is not compared beyond
`

// nothingSeen stands under a deviation to which no comparison comes.
const nothingSeen = "  no fact comes to it, or shows a difference"

// recorded are the lines on record, by declaration and comparison.
type recorded map[string]map[string][]string

// readDifferences reads what render has written.
func readDifferences(text string) recorded {
	r := recorded{}
	name, comparison := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			name, comparison = line, ""
			r[name] = map[string][]string{}
		case strings.HasPrefix(line, "   ") && comparison != "":
			r[name][comparison] = append(r[name][comparison], line[2:])
		default:
			comparison, _, _ = strings.Cut(strings.TrimSpace(line), ":")
			if slices.Contains(differencesOrder, comparison) {
				r[name][comparison] = []string{line[2:]}
			} else {
				comparison = ""
			}
		}
	}
	return r
}

// differencesOrder are the comparisons.
var differencesOrder = []string{"decisions", "Core", "timers", "callers", "lives"}

func (r recorded) render(m *spec.Machine) string {
	var b strings.Builder
	b.WriteString(differencesHead)
	for _, d := range deviationsOf(m) {
		fmt.Fprintf(&b, "\n%s\n  deviates: %s\n", d.name, d.why)
		none := true
		for _, comparison := range differencesOrder {
			for _, line := range r[d.name][comparison] {
				none = false
				fmt.Fprintf(&b, "  %s\n", line)
			}
		}
		if none {
			b.WriteString(nothingSeen)
			if why := unseenDeviations[d.name]; why != "" {
				b.WriteString(": " + why)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// hold compares with what is on record, and with -rewrite renews the comparison's lines of it.
func (d *differences) hold(t *testing.T, m *spec.Machine) {
	t.Helper()
	text, err := os.ReadFile(differencesFile)
	require.NoError(t, err)
	renewed, otherwise := d.renew(string(text), m)
	if Rewriting() {
		require.NoError(t, os.WriteFile(differencesFile, []byte(renewed), 0o644))
		return
	}
	for _, what := range otherwise {
		t.Errorf("%s has something else on record; %s renews it, and the diff is for review: %s", differencesFile, Renew, what)
	}
}

// renew puts what the comparison has seen into the text, and says what was otherwise in it.
func (d *differences) renew(text string, m *spec.Machine) (renewed string, otherwise []string) {
	r := readDifferences(text)
	for _, dev := range deviationsOf(m) {
		if r[dev.name] == nil {
			r[dev.name] = map[string][]string{}
		}
		was, now := r[dev.name][d.comparison], d.lines(dev.name)
		if !slices.Equal(was, now) {
			otherwise = append(otherwise, fmt.Sprintf("%s\n on record:\n%s\n now:\n%s", dev.name, indentedLines(was), indentedLines(now)))
		}
		r[dev.name][d.comparison] = now
	}
	renewed = r.render(m)
	if len(otherwise) == 0 && renewed != text {
		otherwise = []string{"other declarations, or other reasons, than the specification"}
	}
	return renewed, otherwise
}

func indentedLines(lines []string) string {
	if len(lines) == 0 {
		return "   (nothing)"
	}
	return "   " + strings.Join(lines, "\n   ")
}
