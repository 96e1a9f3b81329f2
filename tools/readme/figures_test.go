package readme

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var rewrite = flag.Bool("rewrite", false, "put the figures of heartbeat/testdata/oracle into README.md")

const (
	figuresBegin = "<!-- What follows comes from heartbeat/testdata/oracle: go test ./tools/readme -rewrite -->\n"
	figuresEnd   = "<!-- end of figures -->\n"
)

// The figures that README.md shows are those that the comparisons with Apache Kafka's client have left on record.
func TestFigures(t *testing.T) {
	readme := read(t, "README.md")
	before, rest, found := strings.Cut(readme, figuresBegin)
	shown, after, closed := strings.Cut(rest, figuresEnd)
	require.True(t, found && closed, "README.md has no place for figures, between %sand %s", figuresBegin, figuresEnd)
	if *rewrite {
		text := before + figuresBegin + figures(t) + figuresEnd + after
		require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte(text), 0o644))
		return
	}
	require.Equal(t, figures(t), shown, "README.md shows other figures than heartbeat/testdata/oracle: go test ./tools/readme -rewrite")
}

// figures is the table that README.md shows, and what it does not show.
func figures(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| what Apache Kafka's own classes were seen to do | seen | equal | differ as declared | undeclared | cannot be compared |\n|---|--:|--:|--:|--:|--:|\n")
	for _, r := range []struct{ what, file, section string }{
		{"with each answer, in each state", "figures_core", "cells"},
		{"in each turn of the heartbeat loop", "figures_core", "loop"},
		{"with each end of a heartbeat", "figures_core", "listener"},
		{"with its timers, after each thing that moves them", "figures_timers", "timers"},
		{"with its pauses", "figures_timers", "backoff"},
		{"with commits that it waits for, and tries again", "figures_commits", "commits"},
		{"above all that: joins, lookups, commits, leaving, until the application has its answer", "figures_callers", "facts"},
	} {
		text := section(t, r.file, r.section)
		equal, undeclared := count(t, text, `(?m)(\d+) equal`), count(t, text, `(\d+) differ undeclared`)
		declared := count(t, text, `(\d+) (?:differ as declared|are compared up to a declared)`)
		seen := 0
		if r.section != "facts" {
			seen = count(t, text, `(?m)^(\d+) facts`)
		} else {
			seen = equal + declared + undeclared + count(t, text, `(\d+) are not compared`) -
				count(t, section(t, "figures_commits", "commits"), `(\d+) facts`) // which are compared there
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.what,
			grouped(seen), grouped(equal), grouped(declared), grouped(undeclared), grouped(seen-equal-declared-undeclared))
	}
	lines := section(t, "figures_callers", "lines")
	fmt.Fprintf(&b, "\nOf those above all that, %s are compared up to where they differ as declared, and not beyond: %s of %s things seen were compared.\n",
		grouped(count(t, section(t, "figures_callers", "facts"), `(\d+) are compared up to a declared`)),
		grouped(count(t, lines, `(\d+) compared`)), grouped(count(t, lines, `(\d+) seen`)))

	differences := read(t, "heartbeat/testdata/oracle/deviations")
	declared, unseen := strings.Count(differences, "\n  deviates: "), strings.Count(differences, "\n  no fact comes to it")
	fmt.Fprintf(&b, "\nOf %d declared differences, %d were seen in facts; what the other %d say of Kafka's client was not seen, and any more of these are refused.\n",
		declared, declared-unseen, unseen)

	lives := section(t, "figures_lives", "lives")
	all := regexp.MustCompile(`(?m)^all: .*$`).FindString(lives)
	share := regexp.MustCompile(`([\d.]+ %) of (\d+) steps`).FindStringSubmatch(all)
	require.NotNil(t, share, "no share of the steps in %s", all)
	clear := strings.Join(regexp.MustCompile(`(?m)^(?:codes|failover|restless|steady): .*$`).FindAllString(lives, -1), "\n")
	fmt.Fprintf(&b, "\nOf %s whole lives, compared step by step, %s are equal to their end, %s up to a declared difference, %s up to where Kafka's\n"+
		"answers hang on its own threads, and %s differ undeclared; %s of their %s steps were compared. (%s of them are drawn to keep away from\n"+
		"what is declared to differ, so that they can be compared for long: %s of these are equal to their end.)\n",
		grouped(count(t, all, `(\d+) lives`)), grouped(count(t, all, `(\d+) equal to the end`)), grouped(count(t, all, `(\d+) up to a declared`)),
		grouped(count(t, all, `(\d+) up to where`)), grouped(count(t, all, `(\d+) differ undeclared`)), share[1], grouped(number(t, share[2])),
		grouped(count(t, clear, `(\d+) lives`)), grouped(count(t, clear, `(\d+) equal to the end`)))

	consumer := ""
	for _, kind := range []string{"cells", "loop", "events", "reconciliation"} { // edges are declarations, which nobody was seen to do
		consumer += section(t, "figures_consumer", kind) + "\n"
	}
	fmt.Fprintf(&b, "\nThe consumer protocol (KIP-848) kbeat does not speak. [Rules of it](spec/testdata/machines/consumer.yaml), with which the notation is tested, are\n"+
		"held against Kafka's own classes for it all the same: of %s things that those were seen to do, the rules decide %s alike, %s differ as\n"+
		"declared, and %s undeclared, compared in what the rules have words for.\n",
		grouped(count(t, consumer, `(?m)^(\d+) facts`)), grouped(count(t, consumer, `(?m)^(\d+) equal`)),
		grouped(count(t, consumer, `(\d+) differ as declared`)), grouped(count(t, consumer, `(\d+) differ undeclared`)))
	return b.String()
}

// section is the lines of a file of figures under a heading.
func section(t *testing.T, file, name string) string {
	t.Helper()
	text := read(t, "heartbeat/testdata/oracle/"+file)
	_, rest, found := strings.Cut("\n"+text, "\n"+name+"\n----\n")
	require.True(t, found, "%s has no section %s", file, name)
	text, _, _ = strings.Cut(rest, "\n\n")
	return text
}

// count adds up what a pattern finds.
func count(t *testing.T, text, pattern string) int {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, found, "no %s in the figures:\n%s", pattern, text)
	total := 0
	for _, f := range found {
		total += number(t, f[1])
	}
	return total
}

// grouped is a number with its thousands set apart.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
