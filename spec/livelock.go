package spec

import (
	"slices"
	"strings"
)

// spot is a state with the answers to everything that a loop asks.
type spot struct {
	state  int
	values uint64
}

// turn is what a rule that goes again at once does to a spot.
type turn struct {
	sets, clears uint64
	to           int // state, or -1
}

// livelock follows the lines of a loop that go again at once, with all that the machine itself remembers: a circle never
// comes to rest. What only the outside can change is taken to stay as it is; a rule that may change an answer of the
// outside (it starts a timer that is asked for, or takes or drops identity) ends the search.
func (k *checker) livelock(p *plan) {
	if p.in.Kind != Loop {
		return
	}
	turns := map[*Rule]*turn{}
	rests := newVisited(p)
	for _, v := range p.answers(nil) {
		for state := range k.m.States {
			k.follow(p, turns, rests, spot{state, v})
		}
	}
}

// follow walks from one spot until the loop rests, or comes to where it was seen to rest before, and reports a circle.
func (k *checker) follow(p *plan, turns map[*Rule]*turn, rests *visited, at spot) {
	var way []spot
	var rules []*Rule
	var buf [8]*path
	on := map[spot]bool(nil) // the way, when it is long
	for !rests.has(at) {
		s := p.root.decide(at.state, at.values, buf[:0])
		if s == nil || s.rule.Result == nil || s.rule.Result.Class != Retry {
			break
		}
		t, known := turns[s.rule]
		if !known {
			t = p.turn(s.rule)
			turns[s.rule] = t
		}
		if t == nil {
			break
		}
		if i := slices.Index(way[:min(len(way), 16)], at); i >= 0 || on[at] {
			if i < 0 {
				i = slices.Index(way, at)
			}
			k.circle(rules[i:])
			break
		}
		if way, rules = append(way, at), append(rules, s.rule); len(way) > 16 {
			if on == nil {
				on = map[spot]bool{}
			}
			on[at] = true
		}
		if at.values = at.values&^t.clears | t.sets; t.to >= 0 {
			at.state = t.to
		}
	}
	for _, s := range way {
		rests.add(s)
	}
}

// circle reports the rules that lead back to where they began.
func (k *checker) circle(rules []*Rule) {
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

// turn is what a rule changes of what its loop asks; nil where it may change answers of the outside.
func (p *plan) turn(rule *Rule) *turn {
	t := &turn{to: -1}
	for _, d := range rule.Effects() {
		e := d.Effect
		if len(e.Drops)+len(e.Takes) > 0 {
			return nil
		}
		for _, timer := range e.Starts {
			if timer.Guard != nil && p.mask(timer.Guard.Name) != 0 {
				return nil
			}
		}
		for _, f := range e.Sets {
			t.sets, t.clears = t.sets|p.mask(f.Name), t.clears&^p.mask(f.Name)
		}
		for _, f := range e.Clears {
			t.clears, t.sets = t.clears|p.mask(f.Name), t.sets&^p.mask(f.Name)
		}
	}
	if n := len(rule.To); n > 0 {
		t.to = rule.To[n-1].Index
	}
	return t
}

// mask is the bit of what is asked, or none.
func (p *plan) mask(name string) uint64 {
	if b, asked := p.bit[name]; asked {
		return 1 << b
	}
	return 0
}

// visited is a set of spots: a bit for each where few bits are enough, else a map.
type visited struct {
	dense  []uint64
	states int
	sparse map[spot]bool
}

func newVisited(p *plan) *visited {
	v := &visited{states: p.states}
	if len(p.bit) <= maxQuestions {
		v.dense = make([]uint64, (p.states<<len(p.bit))/64+1)
	} else {
		v.sparse = map[spot]bool{}
	}
	return v
}

func (v *visited) has(s spot) bool {
	if v.dense == nil {
		return v.sparse[s]
	}
	i := s.values*uint64(v.states) + uint64(s.state)
	return v.dense[i/64]&(1<<(i%64)) != 0
}

func (v *visited) add(s spot) {
	if v.dense == nil {
		v.sparse[s] = true
		return
	}
	i := s.values*uint64(v.states) + uint64(s.state)
	v.dense[i/64] |= 1 << (i % 64)
}
