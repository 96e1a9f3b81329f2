package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// tally counts verdicts by kind of mutant.
type tally struct {
	kinds map[string]map[verdict]int
	total map[verdict]int
}

func count(results []result) tally {
	t := tally{map[string]map[verdict]int{}, map[verdict]int{}}
	for _, r := range results {
		if t.kinds[r.kind] == nil {
			t.kinds[r.kind] = map[verdict]int{}
		}
		t.kinds[r.kind][r.verdict]++
		t.total[r.verdict]++
	}
	return t
}

// print writes a line for each kind. What is harmless means the same as what it was made from.
func (t tally) print(out io.Writer) {
	columns := []verdict{refused, cells, lives, tests, alive, harmless}
	fmt.Fprintf(out, "%-32s %8s %8s %8s %8s %8s %8s\n", "one word of the specification", "refused", "cells", "lives", "tests", "nobody", "harmless")
	line := func(kind string, n map[verdict]int) {
		fmt.Fprintf(out, "%-32s", kind)
		for _, v := range columns {
			fmt.Fprintf(out, " %8d", n[v])
		}
		fmt.Fprintln(out)
	}
	for _, kind := range slices.Sorted(maps.Keys(t.kinds)) {
		line(kind, t.kinds[kind])
	}
	line("all", t.total)
}
