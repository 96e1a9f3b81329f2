package classic

import (
	"math"
	"slices"
	"testing"
	"time"

	looplab "github.com/looplab/fsm"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/fsmtest"
)

func BenchmarkDecide(b *testing.B) {
	measure(b, func(l loops, p fsmtest.Point) loop {
		decide, _ := l(p)
		return decide
	}, func(*testing.B, State, *Rule, float64) {})
}

// BenchmarkHandle also reports how long looplab/fsm alone takes to move as the rule does, and how many times longer that is.
func BenchmarkHandle(b *testing.B) {
	measure(b, func(l loops, p fsmtest.Point) loop {
		_, handle := l(p)
		return handle
	}, func(b *testing.B, from State, r *Rule, ours float64) {
		theirs := looplabNanoseconds(b, from, r)
		b.ReportMetric(theirs, "looplab-ns/op")
		b.ReportMetric(theirs/ours, "times")
	})
}

// measure runs one of the loops of each response, at its usual points and at the one that takes longest.
func measure(b *testing.B, pick func(loops, fsmtest.Point) loop, report func(b *testing.B, from State, r *Rule, ours float64)) {
	for _, r := range responses {
		at := func(p fsmtest.Point) func(b *testing.B) {
			return func(b *testing.B) {
				best, rule := math.MaxFloat64, (*Rule)(nil)
				do := pick(r.loops, p)
				for b.Loop() {
					var took float64
					took, rule = nanoseconds(do, 2000)
					best = min(best, took)
				}
				// What else the machine does only ever adds to a round: the best one is what the code takes.
				b.ReportMetric(best, "ns/op")
				report(b, memoryAt(p).State, rule, best)
			}
		}
		b.Run(r.table.Input, func(b *testing.B) {
			for _, c := range r.codes {
				b.Run(c.String(), at(usualPoint(b, r.subject, r.usual, c)))
			}
			b.Run("worst", func(b *testing.B) {
				p := dearest(b, r.subject, func(p fsmtest.Point) loop { return pick(r.loops, p) })
				b.Log(p)
				at(p)(b)
			})
		})
	}
}

// nanoseconds is how long one of n calls takes.
func nanoseconds(do loop, n int) (float64, *Rule) {
	began := time.Now()
	rule := do(n)
	return float64(time.Since(began).Nanoseconds()) / float64(n), rule
}

// usualPoint is where the answer finds a member that knows its coordinator, and of which nothing else is said.
func usualPoint(b *testing.B, s subject, usual State, c Code) (point fsmtest.Point) {
	found := false
	require.NoError(b, space.Points(s.table, func(p fsmtest.Point, _ int) {
		if found || p.Others || p.Code != c.String() || p.State != usual.String() {
			return
		}
		for _, a := range s.table.Asks {
			if p.Is(a.Name) != (a.Name == CoordinatorKnown.String()) {
				return
			}
		}
		point, found = p, true
	}))
	require.True(b, found, "no point of %s has %s in %s", s.table.Input, c, usual)
	return point
}

// dearest is the point that takes longest, among the first ones of each rule with each code. They are measured in turn, so that
// what disturbs one round of a point does not disturb all.
func dearest(b *testing.B, s subject, loopAt func(fsmtest.Point) loop) fsmtest.Point {
	type row struct {
		rule int
		code string
	}
	seen := map[row]bool{}
	var points []fsmtest.Point
	var do []loop
	require.NoError(b, space.Points(s.table, func(p fsmtest.Point, rule int) {
		if !seen[row{rule, p.Code}] {
			seen[row{rule, p.Code}] = true
			points, do = append(points, p), append(do, loopAt(p))
		}
	}))
	best := slices.Repeat([]float64{math.MaxFloat64}, len(points))
	for range 200 {
		for i := range points {
			took, _ := nanoseconds(do[i], 500)
			best[i] = min(best[i], took)
		}
	}
	return points[slices.Index(best, slices.Max(best))]
}

// looplabNanoseconds is how long looplab/fsm takes to be put into a state and to fire an event that leads where the rule does.
func looplabNanoseconds(b *testing.B, from State, r *Rule) float64 {
	machine := looplab.NewFSM(from.String(), looplab.Events{{Name: r.Name, Src: []string{from.String()}, Dst: r.Next(from).String()}}, nil)
	best := math.MaxFloat64
	for range 50 {
		took, _ := nanoseconds(func(n int) *Rule {
			for range n {
				machine.SetState(from.String())
				if err := machine.Event(b.Context(), r.Name); err != nil && r.Next(from) != from {
					b.Fatal(err)
				}
			}
			return r
		}, 500)
		best = min(best, took)
	}
	return best
}

// BenchmarkMachine is the typed machine, as a member publishes its state through it.
func BenchmarkMachine(b *testing.B) {
	d, err := Definition()
	require.NoError(b, err)
	machine := NewMachine(d, fsm.Hooks[State]{})
	rule := DecideHeartbeat(Memory{State: Stable, Flags: CoordinatorKnown}, CodeIllegalGeneration, HeartbeatGuards{})
	for b.Loop() {
		if err := machine.Reset(Stable); err != nil {
			b.Fatal(err)
		}
		if err := machine.Fire(rule); err != nil {
			b.Fatal(err)
		}
	}
}
