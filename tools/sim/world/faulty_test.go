package world

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

// faulty is a Core that misbehaves. What it wants can be exchanged, and what it is told.
type faulty struct {
	*heartbeat.Core
	now    time.Duration
	kept   []byte                                                 // the assignment before
	extra  uint64                                                 // requests that the Core knows nothing of
	open   []heartbeat.Request                                    // that are not answered
	late   uint64                                                 // the request that was answered, whatever the Core takes it for
	hears  func(f *faulty, in heartbeat.Input) heartbeat.Input    // what the Core is told instead; nil: nothing
	speaks func(f *faulty, o heartbeat.Output) []heartbeat.Output // what is wanted instead; nil: that
	adds   func(f *faulty, in heartbeat.Input) []heartbeat.Output // what is wanted besides; nil: nothing
}

func (f *faulty) Step(now time.Duration, in heartbeat.Input) (wanted []heartbeat.Output) {
	f.now = now
	told := in
	if f.hears != nil {
		told = f.hears(f, in)
	}
	if told != nil {
		wanted = f.step(told)
	}
	if f.adds != nil {
		wanted = append(wanted, f.adds(f, in)...)
	}
	return wanted
}

func (f *faulty) step(in heartbeat.Input) (wanted []heartbeat.Output) {
	for _, o := range slices.Clone(f.Core.Step(f.now, in)) {
		if f.speaks == nil {
			wanted = append(wanted, o)
		} else {
			wanted = append(wanted, f.speaks(f, o)...)
		}
	}
	return wanted
}

// more is a request that the Core knows nothing of. Its answer is kept from the Core, which ignores it.
func (f *faulty) more(r heartbeat.Request) heartbeat.Output {
	f.extra++
	r.ID = 1<<40 + f.extra
	return r
}

// Each invariant is broken by a member that deserves it, and by no other reason.
func TestMistakesAreFound(t *testing.T) {
	broken := map[judge.Invariant]bool{}
	for _, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			plan := NewPlan(m.seed, small)
			if m.plan != nil {
				m.plan(&plan)
			}
			good, err := Run(plan, Options{})
			require.NoError(t, err)
			require.Empty(t, good.Violations)
			o, err := Run(plan, Options{NewCore: m.core})
			require.NoError(t, err)
			require.NotEmpty(t, o.Violations, "nobody has noticed. When plans are drawn otherwise, look for a seed in which the mistake matters")
			for _, v := range o.Violations {
				require.Equal(t, m.breaks, v.Invariant, v.Story())
			}
			require.NotEmpty(t, o.Violations[0].Around)
		})
		broken[m.breaks] = true
	}
	for _, i := range judge.Invariants() {
		require.True(t, broken[i], "no mistake breaks %s", i)
	}
}

// Of what a failure does not need nothing is left.
func TestShrink(t *testing.T) {
	all := mistakes()
	m := all[slices.IndexFunc(all, func(m mistake) bool { return m.breaks == judge.NoGhost })] // which needs a member that leaves
	plan := NewPlan(m.seed, small)
	o, err := Run(plan, Options{NewCore: m.core})
	require.NoError(t, err)
	s, err := Shrink(plan, Options{NewCore: m.core}, o.Violations[0])
	require.NoError(t, err)
	require.Equal(t, m.breaks, s.Violation.Invariant)
	var kinds []ActKind
	for _, i := range s.Acts {
		kinds = append(kinds, plan.Acts[i].Kind)
	}
	require.Equal(t, []ActKind{Birth, Leave}, kinds)
	again, err := Shrink(plan, Options{NewCore: m.core}, o.Violations[0])
	require.NoError(t, err)
	require.Equal(t, s.Acts, again.Acts)
}
