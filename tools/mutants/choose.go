package main

import (
	"math/rand/v2"
	"slices"
)

// choose takes n sites, the same ones for the same seed: of each kind as many, as far as there are.
func choose(sites []site, n int, seed uint64) []site {
	random := rand.New(rand.NewPCG(seed, 0))
	byKind := map[string][]site{}
	var kinds []string
	for _, s := range sites {
		if byKind[s.kind] == nil {
			kinds = append(kinds, s.kind)
		}
		byKind[s.kind] = append(byKind[s.kind], s)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		random.Shuffle(len(byKind[k]), func(i, j int) { byKind[k][i], byKind[k][j] = byKind[k][j], byKind[k][i] })
	}
	var out []site
	for len(out) < min(n, len(sites)) {
		for _, k := range kinds {
			if rest := byKind[k]; len(rest) > 0 && len(out) < n {
				out, byKind[k] = append(out, rest[0]), rest[1:]
			}
		}
	}
	return out
}
