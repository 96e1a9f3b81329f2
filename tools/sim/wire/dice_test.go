package wire

import (
	"math/rand/v2"
	"time"
)

// dice is what one goroutine decides by. It belongs to one at a time.
type dice struct {
	*rand.Rand
	seed, who uint64
}

func newDice(seed, who uint64) dice { return dice{rand.New(rand.NewPCG(seed, who)), seed, who} }

// fork are the nth dice beside these: the same, however often these were rolled.
func (d dice) fork(n uint64) dice {
	r := rand.New(rand.NewPCG(d.seed^0x9e3779b97f4a7c15*(n+1), d.who+n))
	return newDice(r.Uint64(), r.Uint64())
}

// between is a time from least to most.
func (d dice) between(least, most time.Duration) time.Duration {
	return least + time.Duration(d.Int64N(int64(most-least)/int64(time.Microsecond)+1))*time.Microsecond
}

// one is by chance one of some.
func one[T any](d dice, of ...T) T { return of[d.IntN(len(of))] }
