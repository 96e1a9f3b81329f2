package heartbeat

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// The cells say what Kafka's client does with one answer; lives say what it does with all that happens to it. Here a Core
// lives each of them again, and is compared after each step. A life is compared to its end, or up to where a rule that
// says `deviates` has made a difference; what must be relaxed is in lifeRelaxations. testdata/oracle/figures_lives has what
// came out.
func TestOracleOfLives(t *testing.T) {
	r, c := newOracleReading(t), newLivesTally()
	defer c.tell(t)
	eachLife(t, "testdata/oracle/lives.ndjson.gz", func(f *lifeFact) { c.relive(t, r, f) })
	datadriven.RunTest(t, "testdata/oracle/figures_lives", func(t *testing.T, d *datadriven.TestData) string {
		switch d.Cmd {
		case "lives":
			return c.figures()
		case "structures":
			return c.structures()
		case "relaxations":
			return c.relaxations()
		case "rules":
			return c.rules(r.machine)
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
	require.Empty(t, c.unused(), "no life needs these, or some do though rareLifeEnds has them: delete them there")
	c.differences.hold(t, r.machine)
}

// Any other lives compare as the committed ones do: `make oracle LIVES=10000 SEED=7` makes them.
func TestOracleOfFreshLives(t *testing.T) {
	dir := os.Getenv("ORACLE_LIVES")
	if dir == "" {
		t.Skip("ORACLE_LIVES names no folder of fresh lives; make oracle LIVES=10000 SEED=7 makes one")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.ndjson.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no lives in %s", dir)
	r, c := newOracleReading(t), newLivesTally()
	defer c.tell(t)
	var head factsHead
	for _, file := range files {
		head = eachLife(t, file, func(f *lifeFact) { c.relive(t, r, f) })
	}
	t.Logf("lives of Apache Kafka %s, seed %d\n%s\ncompared up to\n%s\nrelaxed\n%s\nrules\n%s",
		head.Kafka, head.Seed, c.figures(), c.upTo(), c.relaxations(), c.rules(r.machine))
	t.Logf("in short: %s", c.verdict())
}
