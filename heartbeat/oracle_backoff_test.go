package heartbeat

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// backoffFact is what Kafka's ExponentialBackoff answers. Without jitter there is one pause.
type backoffFact struct {
	Initial, Multiplier, Max int
	Jitter                   float64
	Attempts                 int
	Pause                    int
	Draws                    []uint64 // random numbers, of 53 bits
	Pauses                   []int    // for these
	Least, Most              int      // of many other draws
}

func (f backoffFact) String() string {
	return fmt.Sprintf("backoff from %d to %d ms by %d, jitter %g, after %d failures", f.Initial, f.Max, f.Multiplier, f.Jitter, f.Attempts)
}

// apart says why the pauses of a fact have no counterpart here.
func (f backoffFact) apart() string {
	switch {
	case f.Multiplier != 2:
		return "no setting of Kafka's client has a pause grow by another factor than 2"
	case f.Initial < 1 || f.Max < 1:
		return "Config takes 0 for the default"
	case f.Max < f.Initial:
		return "Config refuses a greatest backoff below the first"
	}
	return ""
}

// compareBackoff holds the pauses of a Core against Kafka's: for the same random numbers they are the same, and among others
// no pause lies outside Kafka's bounds.
func compareBackoff(t *testing.T, c *oracleTally) (facts int, more string) {
	all := readFacts[backoffFact](t, "timers_backoff")
	apart, reasons := map[string]int{}, []string(nil)
	rounded := 0
	for _, f := range all {
		if why := f.apart(); why != "" {
			if apart[why] == 0 {
				reasons = append(reasons, why)
			}
			apart[why]++
			continue
		}
		want, got := f.core(), f.kafka()
		if shortByRounding(want, got) {
			rounded++
		}
		c.compare(f, nil, want, got)
	}
	if rounded > 0 {
		more = fmt.Sprintf("%d of the equal but for a millisecond: %s\n", rounded, kafkaRounds)
	}
	for _, why := range reasons {
		more += fmt.Sprintf("%d cannot be here: %s\n", apart[why], why)
	}
	return len(all), more
}

// kafkaRounds is what is not counted as a difference.
const kafkaRounds = "Kafka goes by logarithms to the greatest pause, and by another product to the jitter; in floating point either can miss by one"

// shortByRounding reports whether pauses differ by a millisecond, and lets those be equal.
func shortByRounding(want, got factView) bool {
	rounded := false
	for aspect := range want {
		w, _ := strconv.Atoi(want[aspect])
		g, err := strconv.Atoi(got[aspect])
		if err == nil && (w == g+1 || w == g-1) {
			want[aspect], rounded = got[aspect], true
		}
	}
	return rounded
}

func (f backoffFact) kafka() factView {
	if f.Jitter == 0 {
		return factView{"pause": fmt.Sprint(f.Pause)}
	}
	view := factView{"least": "as Kafka's", "most": "as Kafka's"}
	for i, pause := range f.Pauses {
		view[fmt.Sprintf("pause %d", i)] = fmt.Sprint(pause)
	}
	return view
}

func (f backoffFact) core() factView {
	pause := func(j *jitter) int {
		return int(backoff(time.Duration(f.Initial)*time.Millisecond, time.Duration(f.Max)*time.Millisecond, f.Attempts, f.Jitter, j) / time.Millisecond)
	}
	drawn := func(bits uint64) int {
		j := jitterThatDraws(bits)
		return pause(&j)
	}
	if f.Jitter == 0 {
		return factView{"pause": fmt.Sprint(pause(nil))}
	}
	least, most := drawn(0), drawn(1<<53-1)
	view := factView{"least": near(least, f.Least, most-least), "most": near(f.Most, most, most-least)}
	for i, bits := range f.Draws {
		view[fmt.Sprintf("pause %d", i)] = fmt.Sprint(drawn(bits))
	}
	return view
}

// near reports whether a bound is where what was drawn often comes close to it, from inside.
func near(low, high, width int) string {
	if low <= high && float64(high-low) <= 0.01*float64(width)+1 {
		return "as Kafka's"
	}
	return fmt.Sprintf("%d of %d", low, high)
}

// jitterThatDraws is a jitter whose next number is bits / 2^53: SplitMix64 can be gone through backwards.
func jitterThatDraws(bits uint64) jitter {
	z := bits << 11
	for _, step := range []struct {
		shift  uint
		factor uint64
	}{{31, 0x94d049bb133111eb}, {27, 0xbf58476d1ce4e5b9}, {30, 0}} {
		z ^= z>>step.shift ^ z>>(2*step.shift)
		if step.factor != 0 {
			z *= inverse(step.factor)
		}
	}
	return jitter(z - 0x9e3779b97f4a7c15)
}

// inverse is what an odd number is to be multiplied with to make 1.
func inverse(n uint64) uint64 {
	x := n
	for range 6 { // each turn doubles the bits that are right
		x *= 2 - n*x
	}
	return x
}

func TestJitterThatDraws(t *testing.T) {
	for _, bits := range []uint64{0, 1, 1 << 52, 1<<53 - 1, 0x123456789abcd} {
		j := jitterThatDraws(bits)
		require.Equal(t, float64(bits)/(1<<53), j.next())
	}
}
