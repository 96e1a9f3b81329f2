package franz

import (
	"encoding/binary"
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the fuzz targets try, without a fuzzer that follows the code, and so much faster: as much of it as these say. Two
// processes that begin at different seeds share the work. The first hundred million answers have shown nothing, nor has about
// a million scripts.
var (
	scripts = flag.Uint64("scripts", 200, "how many hostile scripts TestTransportSurvivesAnything plays")
	answers = flag.Uint64("answers", 20_000, "how many spoilt answers TestMemberSurvivesAnyAnswer takes")
	from    = flag.Uint64("from", 0, "the seed of the first of them")
)

func TestTransportSurvivesAnything(t *testing.T) {
	requests := uint64(0)
	for seed := *from; seed < *from+*scripts; seed++ {
		r := rand.New(rand.NewPCG(seed, 2))
		script := noise(r, r.IntN(2<<r.IntN(8)))
		if requests += endure(t, script); t.Failed() {
			t.Fatalf("seed %d: %x", seed, script)
		}
	}
	require.Greater(t, requests, *scripts, "hardly anything was asked for")
	t.Logf("%d scripts, in which %d requests were sent", *scripts, requests)
}

func TestMemberSurvivesAnyAnswer(t *testing.T) {
	read := uint64(0)
	for seed := *from; seed < *from+*answers; seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		api, version := byte(r.IntN(len(answered))), byte(r.IntN(10))
		body := spoilt(r, api, version)
		if takeAnswer(t, api, version, body) {
			read++
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s, version %d: %x", seed, answered[api].key.Name(), version, body)
		}
	}
	require.Greater(t, read, *answers/4, "hardly any is an answer")
	require.Less(t, read, *answers, "none is spoilt")
	t.Logf("%d answers, of which %d could be read", *answers, read)
}

// spoilt is an answer, or what is left of one.
func spoilt(r *rand.Rand, api, version byte) []byte {
	of := answered[api]
	resp := of.key.Response()
	v := int16(version) % (resp.MaxVersion() + 1)
	var whole []byte
	if r.IntN(3) == 0 {
		whole = codeAnswer(of.key, v, 0, int16(r.IntN(256)-20))
	} else {
		whole = goodAnswer(of.key, v, 0, &script{rest: noise(r, 1)})
	}
	resp.SetVersion(v)
	body := whole[len(head(resp, 0)):]
	for range r.IntN(4) {
		at := r.IntN(len(body) + 1)
		switch r.IntN(5) {
		case 0:
			body = body[:at]
		case 1:
			body = append(body[:at:at], append(noise(r, r.IntN(16)), body[at:]...)...)
		case 2:
			copy(body[at:], noise(r, 1+r.IntN(4)))
		case 3:
			copy(body[at:], binary.BigEndian.AppendUint32(nil, []uint32{1<<31 - 1, 1 << 31, 1<<32 - 1, 0, 1 << 16}[r.IntN(5)]))
		case 4:
			body = append(body, body[at:]...)
		}
	}
	return body
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}
