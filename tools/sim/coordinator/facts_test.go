package coordinator_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/rogpeppe/go-internal/diff"
	"github.com/stretchr/testify/require"
)

// TestModel plays the scripts to the model. It must say what Kafka has said, but for what testdata/model.txt declares to be
// left out, with the reason.
func TestModel(t *testing.T) {
	compare(t, "testdata/model.txt", func(s script) string { return play(t, s, newModel(t, s)) })
}

// TestKfake plays the scripts to franz-go's embedded cluster, in which members are tested. Where it is not as Kafka is
// declared in testdata/kfake.txt, with the reason.
func TestKfake(t *testing.T) {
	compare(t, "testdata/kfake.txt", func(s script) string {
		if s.restart() >= 0 {
			return s.facts // it keeps no group
		}
		return playToKfake(t, s)
	})
}

// compare holds what a backend tells against the facts. A file declares where they differ: a reason, the scripts that show
// it, and of each the lines of Kafka's that are missing and those that are there instead. `-rewrite` renews the lines.
func compare(t *testing.T, declared string, tell func(script) string) {
	differs := map[string]string{}
	for _, s := range scripts(t) {
		if told := tell(s); told != s.facts {
			differs[s.name] = difference(s.facts, told)
		}
	}
	defer func() { // datadriven ends the test at what it does not find
		for _, name := range slices.Sorted(maps.Keys(differs)) {
			t.Errorf("%s is not what Kafka has said (-), and that is not declared in %s:\n%s", name, declared, differs[name])
		}
	}()
	datadriven.RunTestAny(quiet{t}, declared, func(t testing.TB, d *datadriven.TestData) (found string) {
		require.Equal(t, "differs", d.Cmd, d.Pos)
		require.NotEmpty(t, d.Input, "%s: the reason is missing", d.Pos)
		for _, arg := range d.CmdArgs {
			require.Contains(t, differs, arg.Key, "%s: that does not differ from Kafka any more, or twice, or there is no such script", d.Pos)
			found += arg.Key + "\n" + differs[arg.Key]
			delete(differs, arg.Key)
		}
		return found
	})
}

// difference are the lines that differ: those of facts that are missing, and those that are there instead.
func difference(facts, told string) (lines string) {
	for line := range strings.Lines(string(diff.Diff("facts", []byte(facts), "told", []byte(told)))) {
		sign, text := line[:1], line[1:]
		if (sign == "-" || sign == "+") && !strings.HasPrefix(text, "--") && !strings.HasPrefix(text, "++") {
			lines += sign + " " + text
		}
	}
	return lines
}
