package gen

import (
	"fmt"
	"slices"
)

// strangers are numbers that the catalogue does not know: the outermost, and those beside its own.
func (p *plan) strangers() []int {
	var known []int
	for _, n := range p.codeNumbers {
		known = append(known, n)
	}
	var out []int
	for _, n := range []int{-1 << 15, slices.Min(known) - 1, slices.Max(known) + 1, 1<<15 - 1} {
		if n >= -1<<15 && n <= 1<<15-1 && !slices.Contains(known, n) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// unknownCode is how a generated Code prints such a number.
func unknownCode(n int) string { return fmt.Sprintf("UNKNOWN(%d)", n) }
