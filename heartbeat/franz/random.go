package franz

import (
	crypto "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"sync"
)

// random spreads what many processes would otherwise do in the same moment. It is safe for concurrent use.
type random struct {
	mu     sync.Mutex
	source *rand.Rand
}

func newRandom(seed uint64) *random { return &random{source: rand.New(rand.NewPCG(seed, 0))} }

// float64 is a number in [0, 1).
func (r *random) float64() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Float64()
}

func (r *random) uint64() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Uint64()
}

// drawSeed is a number that no other transport draws.
func drawSeed() uint64 {
	var b [8]byte
	crypto.Read(b[:]) // never fails
	return binary.NativeEndian.Uint64(b[:])
}
