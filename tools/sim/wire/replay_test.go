package wire

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/heartbeat"
)

// What a member was told over the wire, a fresh Core makes the same of.
func TestTracesReplay(t *testing.T) {
	p := drawPlan(3, scene().length, 0)
	for name, trace := range p.play(t, flaw{}).traces {
		report, err := heartbeat.Replay(bytes.NewReader(trace))
		require.NoError(t, err, "%s", name)
		require.Nil(t, report.Difference, "%s: %s", name, report.Difference)
	}
}

// A member that does not want to know that it was kicked out: the report says which faults it takes to see that, and
// writes what replays.
func TestAFailureIsReported(t *testing.T) {
	proud := flaw{send: func(ctx context.Context, r heartbeat.Request, t heartbeat.Transport) heartbeat.Response {
		answer := t.Send(ctx, r)
		if (r.API == classic.InputHeartbeat || r.API == classic.InputOffsetCommit) && answer.Code == classic.CodeUnknownMemberID {
			answer.Code = classic.CodeNone
		}
		return answer
	}}
	r := scene().play(t, proud)
	require.True(t, r.failed())
	dir := t.TempDir()
	text := r.report(t, dir)
	require.Contains(t, text, "seed 1: ")
	require.Contains(t, text, "fails by the first 2 of its 4 faults", "it takes the second one, and no other")
	require.Contains(t, text, "50.000s m2 is kicked out")
	require.Contains(t, text, "again: go test ./tools/sim/wire -run TestSeeds -seeds=1 -from=1 -minutes=4 -faults=2")
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no trace was written: %s", text)
	for _, f := range files {
		trace, err := os.Open(f)
		require.NoError(t, err)
		defer trace.Close()
		report, err := heartbeat.Replay(trace)
		require.NoError(t, err)
		require.Nil(t, report.Difference)
		require.Contains(t, text, "go run ./tools/kbeat replay "+f)
	}
}
