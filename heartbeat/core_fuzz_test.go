package heartbeat

import (
	"strconv"
	"testing"
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
		newLife(t, &dice{data}).run()
	})
}

func TestCoreSurvivesAnything(t *testing.T) {
	for seed := range uint64(500) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { newLife(t, newDice(seed, 600)).run() })
	}
}
