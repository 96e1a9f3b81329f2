package spec

import "slices"

// traffic checks that what is begun comes to an end, and that what ends was begun.
func (k *checker) traffic() {
	for _, in := range k.m.Responses {
		if !slices.ContainsFunc(k.m.Effects, func(e *Effect) bool { return slices.Contains(e.Sends, in) }) {
			k.say(NeverSent, in.Pos, "%s is answered, and no effect `sends` it", in.Name)
		}
	}
	for _, in := range k.m.Inputs() {
		if in.Kind != Response && !k.answersSomething(in) {
			continue
		}
		for _, rule := range in.Rules() {
			if rule.Result != nil && rule.Result.Class == Pending && !k.broken[rule] && !slices.ContainsFunc(rule.Effects(), k.goesOn) {
				k.say(NothingPending, rule.Pos, "%s: %s, and nothing is under way that could end it: an effect with `sends` or `answered_by` is missing", rule.Name, rule.Result.Name)
			}
		}
	}
}

func (k *checker) answersSomething(in *Input) bool {
	return slices.ContainsFunc(k.m.Effects, func(e *Effect) bool { return slices.Contains(e.AnsweredBy, in) })
}

// goesOn reports whether an effect begins something that another input ends, or sets a flag for which a loop does that.
func (k *checker) goesOn(d Do) bool {
	return len(d.Effect.Sends)+len(d.Effect.AnsweredBy) > 0 || slices.ContainsFunc(d.Effect.Sets, k.awaitedByLoop)
}

// awaitedByLoop reports whether a loop has a rule that clears a flag, so that what it stands for comes to an end there.
func (k *checker) awaitedByLoop(f *Flag) bool {
	return slices.ContainsFunc(k.m.Loops, func(in *Input) bool {
		return slices.ContainsFunc(in.Rules(), func(r *Rule) bool {
			return slices.ContainsFunc(r.Effects(), func(d Do) bool { return slices.Contains(d.Effect.Clears, f) })
		})
	})
}

// marks checks the flags by which a machine remembers that something is under way: an effect that waits for an answer sets
// one, and is done only where it is not set. So each answer clears it, unless it goes on waiting: one that forgets it leaves
// a machine that never does that again.
func (k *checker) marks() {
	var marks []*Flag
	for _, e := range k.m.Effects {
		for _, f := range e.Sets {
			if len(e.Sends)+len(e.AnsweredBy) > 0 && e.Only != nil && slices.ContainsFunc(e.Only.Tests, func(t Test) bool { return t.Flag == f && !t.Want }) {
				marks = append(marks, f)
			}
		}
	}
	for _, e := range k.m.Effects {
		for _, f := range e.Sets {
			if !slices.Contains(marks, f) {
				continue
			}
			for _, in := range slices.Concat(e.Sends, e.AnsweredBy) {
				k.leftMarked(in, f)
			}
		}
	}
}

func (k *checker) leftMarked(in *Input, f *Flag) {
	for _, rule := range in.Rules() {
		if !k.broken[rule] && !k.endsWaiting(rule, f) && k.first(LeftMarked, rule, f) {
			k.conflict(LeftMarked, rule.Pos, f.Pos, "%s: what began this has set %s, and this end does not clear it: it would never begin again", rule.Name, f.Name)
		}
	}
}

// endsWaiting reports whether a rule clears a flag, or is not the end.
func (k *checker) endsWaiting(rule *Rule, f *Flag) bool {
	if rule.Result != nil && (rule.Result.Class == Pending || rule.Result.Class == Ignored) {
		return true
	}
	return slices.ContainsFunc(rule.Effects(), func(d Do) bool { return k.goesOn(d) || slices.Contains(d.Effect.Clears, f) })
}
