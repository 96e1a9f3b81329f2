package heartbeat

import (
	"flag"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// What TestCoreSurvivesAnything tries. The first 100 million lives, of 23 things that happen on the average, have shown nothing.
var (
	lives = flag.Uint64("lives", 2000, "how many lives TestCoreSurvivesAnything tries")
	from  = flag.Uint64("from", 0, "the seed of the first of them")
)

// Anything may happen to a member, in any order, at any time: it breaks none of the invariants, and finds back.
func FuzzCore(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(newDice(seed, 200).rest)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1000 {
			t.Skip()
		}
		l := newLife(t, &dice{data})
		l.run()
		l.stay()
	})
}

// What FuzzCore tries, without a fuzzer that follows the code, and so much faster: as many lives as -lives says, of all
// lengths, on all cores. Each finds back into the group, and some are watched staying there, which takes the longest.
func TestCoreSurvivesAnything(t *testing.T) {
	const shard = 10_000 // lives to a subtest: the name of each costs memory
	var inputs atomic.Uint64
	t.Run("lives", func(t *testing.T) {
		for first := *from; first < *from+*lives; first += min(shard, 1+*lives/16) {
			t.Run(strconv.FormatUint(first, 10), func(t *testing.T) {
				t.Parallel()
				for seed := first; seed < min(*from+*lives, first+min(shard, 1+*lives/16)); seed++ {
					inputs.Add(live(t, seed))
				}
			})
		}
	})
	require.Greater(t, inputs.Load(), *lives, "hardly anything has happened")
	t.Logf("%d lives, in which %d things have happened", *lives, inputs.Load())
}

// live lets a Core live the life of a seed, and says how many things have happened in it.
func live(t *testing.T, seed uint64) uint64 {
	defer func() {
		if t.Failed() {
			t.Logf("in the life of seed %d", seed)
		}
	}()
	l := newLife(t, newDice(seed, lengthOf(seed)))
	l.run()
	if seed%8 == 0 {
		l.stay()
	}
	return uint64(len(l.steps))
}

// lengthOf says for how many rolls of the dice anything happens in a life: short ones are as frequent as long ones.
func lengthOf(seed uint64) int {
	r := rand.New(rand.NewPCG(seed, 1))
	return r.IntN(2 << r.IntN(9))
}
