package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/rewire"
)

// root is the tree, seen from here.
var root = filepath.Join("..", "..")

// TestEachBugCanBeMade holds every bug against the files as they are: its lines stand there, once, and the rules that come
// of it are refused as it says, or taken.
func TestEachBugCanBeMade(t *testing.T) {
	all, err := readExhibits(filepath.Join(root, museum))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 16)
	t.Chdir(root)
	for _, x := range all {
		changed, err := x.apply(".")
		require.NoError(t, err, x.name)
		require.NotEmpty(t, changed, x.name)
		if text, ok := changed[specification]; ok {
			require.NoError(t, refuses(text, x.refused), x.name)
		}
	}
}

// TestEachKillerExists looks for the tests that are named, and for the transcripts.
func TestEachKillerExists(t *testing.T) {
	all, err := readExhibits(filepath.Join(root, museum))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, rewire.Driven, "*_test.go"))
	require.NoError(t, err)
	tests := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)`).FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
	}
	for _, x := range all {
		for _, killer := range x.tests() {
			if file, ok := scenarioOf(killer); ok {
				require.FileExists(t, filepath.Join(root, "heartbeat", "testdata", "scenarios", file), x.name)
				continue
			}
			if _, ok := seedOf(killer); ok {
				continue
			}
			require.True(t, tests[killer], "%s: there is no test %s", x.name, killer)
		}
	}
}

// TestTable holds the page against the bugs.
func TestTable(t *testing.T) {
	all, err := readExhibits(filepath.Join(root, museum))
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, museum, "README.md"))
	require.NoError(t, err)
	require.Equal(t, string(table(all)), string(page), "go run ./tools/museum -write")
}

const small = `bug: two is three
source: nowhere
people: none
killed by: TestX
-- old f --
two
-- new f --
three
`

// TestApply says which bugs cannot be made.
func TestApply(t *testing.T) {
	for text, want := range map[string]string{
		"one\ntwo\nthree\n":      "",
		"one\ntwo\nand\ntwo\n":   "the old lines stand 2 times in f, not once",
		"one\ntwo and a half\n":  "the old lines stand 0 times in f, not once",
		"one\nminus two\nthree":  "the old lines stand 0 times in f, not once",
		"two\nis first\nthree\n": "",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte(text), 0o600))
		x, err := parseExhibit("small", []byte(small))
		require.NoError(t, err)
		changed, err := x.apply(dir)
		if want != "" {
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NoError(t, err, text)
		require.NotContains(t, string(changed["f"]), "two\n")
		require.Contains(t, string(changed["f"]), "three\n")
	}
	x, err := parseExhibit("small", []byte(small))
	require.NoError(t, err)
	x.changes[0].now = x.changes[0].old
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("two\n"), 0o600))
	_, err = x.apply(dir)
	require.ErrorContains(t, err, "changes nothing")
}

// TestParseExhibit says what is wrong with one.
func TestParseExhibit(t *testing.T) {
	for text, want := range map[string]string{
		"bug\n":                          "a line `key: text` is wanted",
		"colour: red\n":                  `unknown key "colour"`,
		"bug: b\n":                       "bug, source and people must be said",
		"bug: b\nsource: s\npeople: p\n": "say either by which finding",
		"bug: b\nsource: s\npeople: p\nrefused: x\nkilled by: TestX\n":                               "say either by which finding",
		"bug: b\nsource: s\npeople: p\nrefused: x\n":                                                 "pairs of",
		"bug: b\nsource: s\npeople: p\nrefused: x\n-- old f --\na\n-- new g --\nb\n":                 "with the same file",
		"bug: b\nsource: s\npeople: p\nrefused: x\n-- old f --\na\n-- new f --\nb\n-- old f --\na\n": "pairs of",
	} {
		_, err := parseExhibit("x", []byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

// TestRefuses tells what the validator takes from what it refuses, and for what.
func TestRefuses(t *testing.T) {
	t.Chdir(root)
	text, err := os.ReadFile(specification)
	require.NoError(t, err)
	require.NoError(t, refuses(text, ""))
	require.ErrorContains(t, refuses(text, "gap"), "does not refuse it by gap")
	require.NoError(t, refuses([]byte("machine: 1\n"), "missing"))
	require.ErrorContains(t, refuses([]byte("machine: 1\n"), ""), "say so (`refused: ")
}

// TestEndings says which endings of a test kill: that it fails, and no other.
func TestEndings(t *testing.T) {
	for name, c := range map[string]struct {
		test, out string
		exited    bool
		want      ending
	}{
		"passed":              {"TestX", "PASS\n", false, passes},
		"failed":              {"TestX", "--- FAIL: TestX (0.00s)\n    x_test.go:7: two is not three\nFAIL\n", true, fails},
		"a part failed":       {"TestX/two", "--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/two (0.00s)\nFAIL\n", true, fails},
		"a table is":          {"TestScenarios/two", "    --- FAIL: TestScenarios/two (0.00s)\n        transcript_tables_test.go:58: \n            \tError Trace:\t/a/transcript_tables_test.go:58\n", true, fails},
		"a demand is unmet":   {"TestScenarios/two", "    --- FAIL: TestScenarios/two (0.00s)\n        two:7: wanted: no sent JoinGroup; but it has: sent JoinGroup\n", true, fails},
		"no demand is unmet":  {"TestScenarios/two", "    --- FAIL: TestScenarios/two (0.00s)\n        two:7: unknown command\n", true, breaks},
		"another failed":      {"TestX/two", "--- FAIL: TestX (0.00s)\n    --- FAIL: TestX/two_and_more (0.00s)\nFAIL\n", true, breaks},
		"a leak is no test's": {"TestX", "PASS\ngoleak: Errors on successful test run\n", true, breaks},
		"panicked":            {"TestX", "--- FAIL: TestX (0.00s)\npanic: two is not three [recovered, repanicked]\n", true, breaks},
		"before any test":     {"TestX", "panic: spec/classic.yaml:7: unknown flag\n\ngoroutine 1 [running]:\n", true, breaks},
		"crashed":             {"TestX", "fatal error: concurrent map writes\n", true, breaks},
		"timed out":           {"TestX", "panic: test timed out after 1m0s\n\trunning tests:\n\t\tTestX (1m0s)\n", true, hangs},
		"waits for ever":      {"TestX", "--- FAIL: TestX (0.00s)\npanic: deadlock: main bubble goroutine has exited but blocked goroutines remain\n", true, hangs},
		"says panic":          {"TestX", "--- FAIL: TestX (0.00s)\n    x_test.go:7: the poll ends by panic: broken\nFAIL\n", true, fails},
	} {
		require.Equal(t, c.want, endingOf(c.test, c.out, c.exited), name)
	}
}

// TestEndingsOfSeeds says the same of lives.
func TestEndingsOfSeeds(t *testing.T) {
	s, ok := seedOf("sim seed 7: one_owner")
	require.True(t, ok)
	require.Equal(t, seed{"7", "one_owner"}, s)
	_, ok = seedOf("sim seed 7")
	require.False(t, ok, "what it breaks is to be said")
	require.Equal(t, passes, endingOfSeed(s, "nothing\n", false))
	require.Equal(t, fails, endingOfSeed(s, "  0 m1 stops\none_owner at 8.700s: m1: works beside m2\n", true))
	require.Equal(t, breaks, endingOfSeed(s, "no_silence at 8.700s: m1: no heartbeat\n", true))
	require.Equal(t, breaks, endingOfSeed(s, "one_owner at 8.700s: m1: works beside m2\npanic: oh\n", true))
	require.Equal(t, breaks, endingOfSeed(s, "unknown flag\n", true))
}

// TestOnlyAFailureKills runs a test of this very binary that ends in each way.
func TestOnlyAFailureKills(t *testing.T) {
	binary, err := os.Executable()
	require.NoError(t, err)
	t.Chdir(root)
	b := &bench{work: t.TempDir()}
	for _, want := range []ending{passes, fails, breaks, hangs} {
		most := patience
		if want == hangs {
			most = time.Second
		}
		end, out, err := b.runTest(t.Context(), binary, string(want), "TestEnds", most)
		require.NoError(t, err)
		require.Equal(t, want, end, out)
	}
	_, _, err = b.runTest(t.Context(), binary, "", "TestOfNobody", patience)
	require.ErrorContains(t, err, "there is no test TestOfNobody")
}

// TestEnds is run by TestOnlyAFailureKills, and ends as the rules that it is given are named.
func TestEnds(t *testing.T) {
	switch ending(filepath.Base(os.Getenv("KBEAT_SPECIFICATION"))) {
	case fails:
		t.Error("as it is to")
	case breaks:
		panic("as it is to")
	case hangs:
		select {}
	}
}

// TestScenarioAlone copies one scenario, to be run without the others.
func TestScenarioAlone(t *testing.T) {
	t.Chdir(root)
	dir, err := alone(t.TempDir(), "leave_on_close")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "scenarios", "*"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	want, err := os.ReadFile(filepath.Join(scenarios, "leave_on_close"))
	require.NoError(t, err)
	got, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
	_, err = alone(t.TempDir(), "of_nobody")
	require.Error(t, err)
}
