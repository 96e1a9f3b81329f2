// Package sample chooses some of many, the same ones for the same seed.
package sample

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"
)

// Choose takes n items: of each kind as many, as far as there are. Whether one is chosen follows from its name, and hardly
// from what else there is, so that a sample stays nearly the same when an item comes or goes.
func Choose[T any](items []T, kind, name func(T) string, n int, seed uint64) []T {
	byKind := map[string][]lot[T]{}
	var kinds []string
	for _, x := range items {
		k := kind(x)
		if byKind[k] == nil {
			kinds = append(kinds, k)
		}
		byKind[k] = append(byKind[k], lot[T]{x, draw(seed, name(x))})
	}
	slices.Sort(kinds)
	for _, k := range kinds {
		slices.SortStableFunc(byKind[k], func(a, b lot[T]) int { return cmp.Compare(a.number, b.number) })
	}
	var out []T
	for len(out) < min(n, len(items)) {
		for _, k := range kinds {
			if rest := byKind[k]; len(rest) > 0 && len(out) < n {
				out, byKind[k] = append(out, rest[0].item), rest[1:]
			}
		}
	}
	return out
}

// lot is an item with the number that it has drawn: of those of its kind the least are chosen.
type lot[T any] struct {
	item   T
	number uint64
}

func draw(seed uint64, name string) uint64 {
	h := fnv.New64a()
	h.Write(strconv.AppendUint(nil, seed, 10)) // never fails
	h.Write([]byte(":" + name))
	// The last bytes of a name move the hash's upper bits little; this mixes them.
	x := h.Sum64()
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	return x ^ x>>33
}
