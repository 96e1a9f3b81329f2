package world

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/heartbeat"
	"github.com/kbeat/kbeat/tools/sim/judge"
)

var small = Size{Length: 3 * time.Minute, Fewest: 3, Most: 8}

func TestNothingIsBroken(t *testing.T) {
	for seed := range uint64(15) {
		o, err := Run(NewPlan(seed, small), Options{})
		require.NoError(t, err)
		for _, v := range o.Violations {
			t.Errorf("go run ./tools/sim seed %d --minutes 3 --members 3-8: %s", seed, v.Story())
		}
	}
}

// The same seed gives the same events, and another one gives others.
func TestSameSeedSameBytes(t *testing.T) {
	sums := map[string]uint64{}
	for seed := range uint64(6) {
		sum := func() string {
			h := sha256.New()
			_, err := Run(NewPlan(seed, small), Options{Saw: func(e judge.Event) { fmt.Fprintln(h, e) }})
			require.NoError(t, err)
			return fmt.Sprintf("%x", h.Sum(nil))
		}
		first := sum()
		require.Equal(t, first, sum(), "seed %d", seed)
		require.NotContains(t, sums, first)
		sums[first] = seed
	}
}

// What a member of a simulation did can be done again from its trace.
func TestTracesReplay(t *testing.T) {
	traces := map[string]*bytes.Buffer{}
	_, err := Run(NewPlan(3, small), Options{Trace: func(name string) io.Writer {
		traces[name] = &bytes.Buffer{}
		return traces[name]
	}})
	require.NoError(t, err)
	require.Greater(t, len(traces), 3)
	for name, trace := range traces {
		report, err := heartbeat.Replay(trace)
		require.NoError(t, err, name)
		require.Nil(t, report.Difference, name)
		require.Positive(t, report.Outputs, name)
	}
}

// A plan is within its bounds, whatever the seed: it ends its disturbances in time for the group to settle.
func TestPlans(t *testing.T) {
	kinds := map[ActKind]int{}
	for seed := range uint64(300) {
		p := NewPlan(seed, small)
		require.GreaterOrEqual(t, len(p.People), small.Fewest)
		require.LessOrEqual(t, len(p.People), small.Most)
		require.Greater(t, p.Length-p.Calm, judge.Settle(&p.Config))
		for i, a := range p.Acts {
			kinds[a.Kind]++
			require.LessOrEqual(t, a.At+a.For, p.Calm, "%d: %s", i, a)
			require.True(t, i == 0 || p.Acts[i-1].At <= a.At)
		}
	}
	require.Len(t, kinds, 24, "each kind of act is drawn")
}

// A seed on record, in a test or in a report, is the life that it was. What is drawn last shows whether anything was drawn
// before that was not.
func TestASeedStaysItsPlan(t *testing.T) {
	h := sha256.New()
	for seed := range uint64(50) {
		for _, a := range NewPlan(seed, small).Acts {
			fmt.Fprintln(h, seed, a)
		}
	}
	require.Equal(t, "ae2e6b55b862b6fc", fmt.Sprintf("%x", h.Sum(nil))[:16],
		"each seed is another life now. Draw what is new from a stream of its own; where the acts themselves have changed, renew this sum and all seeds on record")
}

// A group does what groups do: it is disturbed, rebalanced and commits.
func TestGroupsLive(t *testing.T) {
	o, err := Run(NewPlan(5, Size{Length: 10 * time.Minute, Fewest: 10, Most: 10}), Options{})
	require.NoError(t, err)
	require.Greater(t, o.Lived, 30*time.Minute)
	require.GreaterOrEqual(t, o.Rebalances, 5)
	require.Greater(t, o.Stored, 50)
	require.GreaterOrEqual(t, o.AskedLate, 5)
	require.Greater(t, len(o.Fired), 40)
}
