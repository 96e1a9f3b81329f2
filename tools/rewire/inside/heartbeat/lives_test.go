//go:build specmutants

package heartbeat

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// mostLives is how many of the lives that a mutant concerns are lived with it.
const mostLives = 300

// livesBaseline is what comes of the committed lives with the specification as it is.
type livesBaseline struct {
	facts    []*lifeFact
	outcomes []string
	points   map[classic.Point][]int
	rules    map[classic.Point]string
}

// observeLives lives all of them.
func (b *baseline) observeLives(t *testing.T, i *classic.Interpreter, noted *[]classic.Point) {
	b.lives = livesBaseline{points: map[classic.Point][]int{}, rules: map[classic.Point]string{}}
	l := &b.lives
	eachLife(t, "testdata/oracle/lives.ndjson.gz", func(f *lifeFact) {
		n := len(l.facts)
		l.facts = append(l.facts, f)
		*noted = (*noted)[:0]
		l.outcomes = append(l.outcomes, cameOut(t, b.machine, f))
		for _, p := range *noted {
			if lives := l.points[p]; len(lives) == 0 || lives[len(lives)-1] != n {
				l.points[p] = append(lives, n)
			}
		}
	})
	for p := range l.points {
		l.rules[p] = b.done(i, i.Decide(p))
	}
}

// cameOut is how a life compares: to its end, or up to what, and how far, and what was there instead.
func cameOut(t *testing.T, m *spec.Machine, f *lifeFact) string {
	c := newLivesTally()
	c.relive(t, reading(t, m), f)
	return fmt.Sprint(*c.families[f.Family], c.ends, c.failed, c.differences.report(m))
}

// differ lives the lives that lead to a decision which is now another one until one comes out otherwise, and names it. Where
// members begin otherwise, or timers run otherwise, that is all of them.
func (l *livesBaseline) differ(t *testing.T, b *baseline, i *classic.Interpreter, m *spec.Machine, all bool) (by string) {
	concerned := map[int]bool{}
	for n := range l.facts {
		concerned[n] = all
	}
	for p, lives := range l.points {
		if b.done(i, i.Decide(p)) != l.rules[p] {
			for _, n := range lives {
				concerned[n] = true
			}
		}
	}
	var chosen []int
	for n, is := range concerned {
		if is {
			chosen = append(chosen, n)
		}
	}
	slices.Sort(chosen)
	for k := 0; k < len(chosen) && by == ""; k += 1 + len(chosen)/mostLives {
		f := l.facts[chosen[k]]
		ended := false
		t.Run("life", func(t *testing.T) {
			defer func() {
				if x := recover(); x != nil {
					by = fmt.Sprintf("life %d: panic: %v", f.Life, x)
					t.SkipNow()
				}
			}()
			if got := cameOut(t, m, f); got != l.outcomes[chosen[k]] {
				by = fmt.Sprintf("life %d (%s): comes out as %s, not as %s", f.Life, f.Family, got, l.outcomes[chosen[k]])
			}
			ended = true
		})
		if by == "" && !ended {
			by = fmt.Sprintf("life %d (%s): it breaks what no life may break", f.Life, f.Family)
		}
	}
	return by
}
