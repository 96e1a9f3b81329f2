package spec

import "slices"

// misspelt looks for slips in names that are not declared anywhere: callbacks, parameters and settings. One that stands only
// once, and differs in one letter from another that stands more often, is that other one with a slip.
func (k *checker) misspelt() {
	var calls, parameters, settings []word
	for _, e := range k.m.Effects {
		for _, c := range e.Calls {
			calls = append(calls, word{text: c, pos: e.Pos})
		}
		if e.Parameter != "" {
			parameters = append(parameters, word{text: e.Parameter, pos: e.Pos})
		}
	}
	for _, l := range k.m.limits() {
		for _, t := range l.Terms {
			if t.Setting != "" {
				settings = append(settings, word{text: t.Setting, pos: t.Pos})
			}
		}
	}
	k.misspeltAmong("callback", calls)
	k.misspeltAmong("parameter", parameters)
	k.misspeltAmong("setting", settings)
}

func (k *checker) misspeltAmong(what string, names []word) {
	times := map[string]int{}
	for _, w := range names {
		times[w.text]++
	}
	var often []string
	for _, w := range names {
		if times[w.text] > 1 && !slices.Contains(often, w.text) {
			often = append(often, w.text)
		}
	}
	for _, w := range names {
		if best := nearest(w.text, often); times[w.text] == 1 && best != "" && distance(w.text, best) == 1 {
			k.say(Misspelt, w.pos, "%s %s stands only here, and %s elsewhere: is it the same?", what, w.text, best)
		}
	}
}
