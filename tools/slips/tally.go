package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// share of the slips that change something which may be silent, in percent.
const allowed = 2.0

// tally counts outcomes by kind of slip.
type tally struct {
	by     map[string]*[4]int
	total  [4]int
	lines  int            // silent by deleting a line
	checks map[string]int // how often each kind of finding refused a slip
}

func count(results []result) tally {
	t := tally{by: map[string]*[4]int{}, checks: map[string]int{}}
	for _, r := range results {
		if t.by[r.kind] == nil {
			t.by[r.kind] = &[4]int{}
		}
		t.by[r.kind][r.outcome]++
		t.total[r.outcome]++
		if r.outcome == silent && r.kind == deleted {
			t.lines++
		}
		slices.Sort(r.ids)
		for _, id := range slices.Compact(r.ids) {
			t.checks[id]++
		}
	}
	return t
}

func (t *tally) add(o tally) {
	for i, n := range o.total {
		t.total[i] += n
	}
	t.lines += o.lines
}

// print writes one line for each kind of slip.
func (t *tally) print(w io.Writer, path string, results []result, verbose bool) {
	fmt.Fprintf(w, "%-28s refused  harmless  silent\n", path)
	for _, k := range kinds() {
		if n := t.by[k]; n != nil {
			fmt.Fprintf(w, "  %-26s %7d  %8d  %6d\n", k, n[refused], n[harmless], n[silent])
		}
	}
	fmt.Fprintf(w, "  %-26s %7d  %8d  %6d\n", "all", t.total[refused], t.total[harmless], t.total[silent])
	if verbose {
		ids := slices.SortedFunc(maps.Keys(t.checks), func(a, b string) int { return cmp.Or(t.checks[b]-t.checks[a], strings.Compare(a, b)) })
		for i, id := range ids {
			ids[i] = fmt.Sprintf("%s %d", id, t.checks[id])
		}
		fmt.Fprintf(w, "  refused by: %s\n", strings.Join(ids, ", "))
	}
	for _, r := range results {
		switch {
		case r.outcome == crashed:
			fmt.Fprintf(w, "  CRASH  %s, line %d: %s\n    %s\n", r.kind, r.line, r.was, r.detail)
		case r.outcome == silent && verbose:
			fmt.Fprintf(w, "  silent: %s, line %d: %s\n", r.kind, r.line, r.was)
		}
	}
}

// verdict writes the totals, and reports whether they are good enough.
func (t *tally) verdict(w io.Writer) bool {
	changing := t.total[refused] + t.total[silent]
	share := 100 * float64(t.total[silent]) / float64(max(changing, 1))
	fmt.Fprintf(w, "%d of %d slips that are refused or change something are silent (%.1f %%, allowed %.1f %%); %d by a deleted line, allowed 0; %d crashes\n",
		t.total[silent], changing, share, allowed, t.lines, t.total[crashed])
	return share <= allowed && t.lines == 0 && t.total[crashed] == 0
}
