package spec

import (
	"slices"
	"strings"
)

// turn is one way through a loop that goes again at once.
type turn struct {
	rule *Rule
	next spot
}

// spot is a state with the answers to everything that the loop asks.
type spot struct {
	state  int
	values uint64
}

// livelock follows the lines of a loop that go again at once, with all that the machine itself remembers: a circle never
// comes to rest. What only the outside can change is taken to stay as it is; a rule that may change an answer of the
// outside (it starts a timer that is asked for, or takes or drops identity) ends the search.
func (k *checker) livelock(p *plan) {
	if p.in.Kind != Loop {
		return
	}
	turns := map[spot]turn{}
	buf := make([]*path, 0, 8)
	for _, v := range p.answers(nil) {
		for state := range k.m.States {
			at := p.root.decide(state, v, buf)
			if at == nil || at.rule.Result == nil || at.rule.Result.Class != Retry {
				continue
			}
			if next, ok := p.after(at.rule, state, v); ok {
				turns[spot{state, v}] = turn{at.rule, next}
			}
		}
	}
	rest := map[spot]bool{} // spots from which the loop comes to rest, or that are reported
	for _, v := range p.answers(nil) {
		for state := range k.m.States {
			k.follow(turns, rest, spot{state, v})
		}
	}
}

// follow walks from one spot until the loop rests, and reports the circle if it does not.
func (k *checker) follow(turns map[spot]turn, rest map[spot]bool, at spot) {
	var way []spot
	for {
		t, again := turns[at]
		if !again || rest[at] {
			break
		}
		if i := slices.Index(way, at); i >= 0 {
			k.circle(turns, way[i:])
			break
		}
		way = append(way, at)
		at = t.next
	}
	for _, s := range way {
		rest[s] = true
	}
}

func (k *checker) circle(turns map[spot]turn, way []spot) {
	var rules []*Rule
	for _, s := range way {
		rules = append(rules, turns[s].rule)
	}
	first := slices.MinFunc(rules, func(a, b *Rule) int { return a.Pos.Line - b.Pos.Line })
	if !k.first(Livelock, first, nil) {
		return
	}
	var names []string
	for _, r := range rules {
		if r != first && !slices.Contains(names, r.Name) {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		k.say(Livelock, first.Pos, "%s: again at once, and nothing that the loop asks for has changed", first.Name)
		return
	}
	k.say(Livelock, first.Pos, "%s: again at once, and so by way of %s back to here: the loop never rests", first.Name, strings.Join(names, ", "))
}

// after is where a rule leaves the loop. It is unknown (false) where the rule may change answers of the outside.
func (p *plan) after(rule *Rule, state int, v uint64) (spot, bool) {
	for _, d := range rule.Effects() {
		e := d.Effect
		if len(e.Drops)+len(e.Takes) > 0 {
			return spot{}, false
		}
		for _, t := range e.Starts {
			if t.Guard != nil {
				if _, asked := p.bit[t.Guard.Name]; asked {
					return spot{}, false
				}
			}
		}
		for _, f := range e.Sets {
			if b, asked := p.bit[f.Name]; asked {
				v |= 1 << b
			}
		}
		for _, f := range e.Clears {
			if b, asked := p.bit[f.Name]; asked {
				v &^= 1 << b
			}
		}
	}
	if n := len(rule.To); n > 0 {
		state = rule.To[n-1].Index
	}
	return spot{state, v}, true
}
