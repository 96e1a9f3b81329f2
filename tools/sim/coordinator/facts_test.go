package coordinator_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
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
		if s.restarts() {
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
			differs[s.name] = diff(s.facts, told)
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

// diff are the lines that differ: those of facts that are missing, and those that are there instead.
func diff(facts, told string) (lines string) {
	a, b := strings.SplitAfter(facts, "\n"), strings.SplitAfter(told, "\n")
	common := make([][]int, len(a)+1) // how many lines a[i:] and b[j:] have in common
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case i < len(a) && common[i+1][j] == common[i][j]:
			lines += "- " + a[i]
			i++
		default:
			lines += "+ " + b[j]
			j++
		}
	}
	return lines
}
