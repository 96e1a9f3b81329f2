package spec

import "slices"

// classes checks that what a result is agrees with what it says and does: what is raised or passed over is a failure, and
// says which; who is still waiting has not failed; and a pause follows a failure.
func (k *checker) classes() {
	for _, g := range k.m.Results {
		for _, x := range g.Results {
			if k.broken[x] {
				continue
			}
			switch {
			case x.Error == "" && (x.Class == Fatal || x.Class == Ignored):
				k.say(WrongClass, x.Pos, "%s is %s, and says of no `error` what has failed: own, a code, or a name under `errors`", x.Name, x.Class)
			case x.Error != "" && x.Class == Pending:
				k.say(WrongClass, x.Pos, "%s is %s and has an `error`: what goes on has not failed yet", x.Name, x.Class)
			case x.Class != "" && x.Class != Backoff && x.Class != Fatal && startsPause(x):
				k.say(WrongClass, x.Pos, "%s is %s, and starts a pause that grows with each failure: that is a backoff, or fatal", x.Name, x.Class)
			}
		}
	}
}

// startsPause reports whether a result starts a timer whose length grows from the first attempt on, and does not forget how far
// it has grown.
func startsPause(x *Result) bool {
	var starts, forgets []*Timer
	for _, d := range x.Do {
		starts, forgets = append(starts, d.Effect.Starts...), append(forgets, d.Effect.Forgets...)
	}
	return slices.ContainsFunc(starts, func(t *Timer) bool { return t.Most > 0 && t.Free == 0 && !slices.Contains(forgets, t) })
}
