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
	figuresEnd   = "<!-- So far. -->\n"
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

// figures is the table that README.md shows.
func figures(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| what Apache Kafka's own classes were seen to do | compared | equal | differ as declared | undeclared |\n|---|--:|--:|--:|--:|\n")
	row := func(what string, equal, declared, undeclared int) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", what, grouped(equal+declared+undeclared), grouped(equal), grouped(declared), grouped(undeclared))
	}
	for _, r := range []struct{ what, file, section string }{
		{"with each answer, in each state", "figures_core", "cells"},
		{"in each turn of the heartbeat loop", "figures_core", "loop"},
		{"with each end of a heartbeat", "figures_core", "listener"},
		{"with its timers, after each thing that moves them", "figures_timers", "timers"},
		{"with its pauses", "figures_timers", "backoff"},
	} {
		text := section(t, r.file, r.section)
		row(r.what, count(t, text, `(?m)^(\d+) equal`), count(t, text, `(?m)^(\d+) differ as declared`), count(t, text, `(?m)^(\d+) differ undeclared`))
	}
	callers := section(t, "figures_callers", "facts")
	row("above all that: joins, lookups, commits, leaving, until the application has its answer",
		count(t, callers, `(\d+) equal`), count(t, callers, `(\d+) differ as declared`)+count(t, callers, `(\d+) are compared up to a declared`), count(t, callers, `(\d+) differ undeclared`))
	all := regexp.MustCompile(`(?m)^all: .*$`).FindString(section(t, "figures_lives", "lives"))
	share := regexp.MustCompile(`([\d.]+ %) of (\d+) steps`).FindStringSubmatch(all)
	require.NotNil(t, share, "no share of the steps in %s", all)
	fmt.Fprintf(&b, "\nOf %s whole lives, compared step by step, %s are equal to their end, %s up to a declared difference, %s up to where Kafka's\n"+
		"answers hang on its own threads, and %s differ undeclared; %s of their %s steps were compared.\n",
		grouped(count(t, all, `(\d+) lives`)), grouped(count(t, all, `(\d+) equal to the end`)), grouped(count(t, all, `(\d+) up to a declared`)),
		grouped(count(t, all, `(\d+) up to where`)), grouped(count(t, all, `(\d+) differ undeclared`)), share[1], grouped(number(t, share[2])))
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
	sum := 0
	for _, f := range found {
		sum += number(t, f[1])
	}
	return sum
}

// grouped is a number with its thousands set apart.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
