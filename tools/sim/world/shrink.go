package world

import (
	"slices"

	"github.com/kbeat/kbeat/tools/sim/judge"
)

// Shortest is what is left of a plan that fails.
type Shortest struct {
	Acts      []int // indices into the plan's acts
	Violation judge.Violation
	Runs      int // that it took to find out
}

// mostRuns bounds the search for what a failure needs.
const mostRuns = 600

// Shrink leaves out of a failing plan whatever its failure does not need: all acts after it, then halves, quarters, and
// at last single acts. The same invariant must be broken all the time. v is the plan's first violation.
func Shrink(plan Plan, options Options, v judge.Violation) (Shortest, error) {
	s := Shortest{Violation: v}
	for i, a := range plan.Acts {
		if a.At <= v.At {
			s.Acts = append(s.Acts, i)
		}
	}
	fails := func(acts []int) (bool, error) {
		s.Runs++
		o, err := Run(plan.Only(acts), options)
		if err != nil || len(o.Violations) == 0 || o.Violations[0].Invariant != v.Invariant {
			return false, err
		}
		s.Violation = o.Violations[0]
		s.Acts = slices.DeleteFunc(acts, func(i int) bool { return plan.Acts[i].At > s.Violation.At })
		return true, nil
	}
	for size := len(s.Acts); size > 0 && s.Runs < mostRuns; {
		before := len(s.Acts)
		for start := 0; start < len(s.Acts) && s.Runs < mostRuns; {
			rest := slices.Concat(s.Acts[:start], s.Acts[min(start+size, len(s.Acts)):])
			smaller, err := fails(rest)
			if err != nil {
				return s, err
			}
			if !smaller {
				start += size
			}
		}
		if size > 1 || len(s.Acts) == before { // what was needed may not be any more
			size /= 2
		}
	}
	return s, nil
}
