// Package sample chooses some of many, the same ones for the same seed.
package sample

import (
	"math/rand/v2"
	"slices"
)

// Choose takes n items: of each kind as many, as far as there are.
func Choose[T any](items []T, kind func(T) string, n int, seed uint64) []T {
	random := rand.New(rand.NewPCG(seed, 0))
	byKind := map[string][]T{}
	var kinds []string
	for _, x := range items {
		k := kind(x)
		if byKind[k] == nil {
			kinds = append(kinds, k)
		}
		byKind[k] = append(byKind[k], x)
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		random.Shuffle(len(byKind[k]), func(i, j int) { byKind[k][i], byKind[k][j] = byKind[k][j], byKind[k][i] })
	}
	var out []T
	for len(out) < min(n, len(items)) {
		for _, k := range kinds {
			if rest := byKind[k]; len(rest) > 0 && len(out) < n {
				out, byKind[k] = append(out, rest[0]), rest[1:]
			}
		}
	}
	return out
}
