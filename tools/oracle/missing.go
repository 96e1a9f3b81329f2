package main

import (
	"fmt"
	"slices"
	"strings"
)

// missing is what the compiler does not find in a version of Kafka, each with the programs that need it.
type missing []need

type need struct {
	what     string
	programs []string
}

func (m *missing) add(p program, compilerSays string) {
	for what := range strings.Lines(compilerSays) {
		what = strings.TrimSuffix(what, "\n")
		i := slices.IndexFunc(*m, func(n need) bool { return n.what == what })
		if i < 0 {
			i = len(*m)
			*m = append(*m, need{what: what})
		}
		if !slices.Contains((*m)[i].programs, p.name) {
			(*m)[i].programs = append((*m)[i].programs, p.name)
		}
	}
}

// report lists what is missing, those things together that the same programs need, and first what most do.
func (m missing) report(version string) string {
	var b strings.Builder
	m = slices.Clone(m)
	slices.SortStableFunc(m, func(a, b need) int { return len(b.programs) - len(a.programs) })
	for len(m) > 0 {
		of := m[0].programs
		fmt.Fprintf(&b, "%s: Kafka %s has not what they are compiled with\n", strings.Join(of, ", "), version)
		var rest missing
		for _, n := range m {
			if slices.Equal(n.programs, of) {
				fmt.Fprintf(&b, "\t%s\n", n.what)
			} else {
				rest = append(rest, n)
			}
		}
		m = rest
	}
	return b.String()
}
