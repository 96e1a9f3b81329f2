package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/sim/judge"
	"github.com/kbeat/kbeat/tools/sim/world"
)

// Whoever waits is told every ten seconds, and not about the end, which tells itself.
func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&out, func() time.Time { return now }, 6)
	broken := result{outcome: world.Outcome{Violations: []judge.Violation{{}}}}
	for _, r := range []result{{}, broken, {}, {}, broken, {}} {
		now = now.Add(4 * time.Second)
		p.ended(&r)
	}
	require.Equal(t, "sim: 3 of 6 seeds, 1 have failed\n", out.String())
}
