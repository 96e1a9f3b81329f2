package spec

import "slices"

// backoffs checks that the results of a group that ask for a backoff agree on whether a timer is started, which says how long
// it lasts: one that does not would be tried again at once.
func (k *checker) backoffs() {
	for _, g := range k.m.Results {
		var with *Result
		for _, x := range g.Results {
			if x.Class == Backoff && startsTimer(x) {
				with = x
			}
		}
		for _, x := range g.Results {
			if with != nil && x.Class == Backoff && !startsTimer(x) && !k.broken[x] {
				k.conflict(NoBackoff, x.Pos, with.Pos, "%s asks for a backoff, and starts no timer as %s does: it would be tried again at once", x.Name, with.Name)
			}
		}
	}
}

func startsTimer(x *Result) bool {
	return slices.ContainsFunc(x.Do, func(d Do) bool { return len(d.Effect.Starts) > 0 })
}
