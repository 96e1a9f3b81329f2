package spec

// hidden reports the lines that never decide, and of what lies below them nothing more.
func (k *checker) hidden(at *step) {
	if at.rule != nil {
		return
	}
	for i := range at.arms {
		a := &at.arms[i]
		if a.chosen {
			k.hidden(a.then)
			continue
		}
		k.assume(a.arm.Then)
		if twin := at.twin(i); twin != nil {
			k.conflict(SameCondition, a.arm.Pos, twin.arm.Pos, "the same condition stands above: this line never decides")
			continue
		}
		if a.both {
			continue
		}
		what := "this line never decides: what it asks for never holds here"
		if a.arm.When == nil {
			what = "this else never decides: the lines above take every case"
		}
		if a.hidden != nil {
			k.conflict(DeadRule, a.arm.Pos, a.hidden.arm.Pos, "this line never decides: the lines above it take every case")
		} else {
			k.say(DeadRule, a.arm.Pos, "%s", what)
		}
	}
}

// twin is an earlier arm with the same condition, however it is written.
func (s *step) twin(i int) *path {
	for j := range i {
		if same(s.arms[j].arm.When, s.arms[i].arm.When) {
			return &s.arms[j]
		}
	}
	return nil
}

// same reports whether two conditions ask the same.
func same(a, b *Condition) bool {
	if a == nil || b == nil {
		return a == b
	}
	if len(a.Tests) != len(b.Tests) || (a.States == nil) != (b.States == nil) || len(a.States) != len(b.States) {
		return false
	}
	for i := range a.States {
		if a.States[i] != b.States[i] {
			return false
		}
	}
	wants := map[string]bool{}
	for _, t := range a.Tests {
		wants[t.Name()] = t.Want
	}
	for _, t := range b.Tests {
		if want, ok := wants[t.Name()]; !ok || want != t.Want {
			return false
		}
	}
	return true
}
