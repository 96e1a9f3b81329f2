package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/commandline"
)

// called runs the command and returns its exit code and what it prints.
func called(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, &out, &err)
	return code, out.String(), err.String()
}

// factsOf are facts with a head.
func factsOf(version string, lines ...string) []byte {
	text := fmt.Sprintf(`{"kafka":%q,"jars":{"a.jar":"00"},"facts":%d}`, version, len(lines))
	return []byte(strings.Join(append([]string{text}, lines...), "\n") + "\n")
}

func TestWrongCalls(t *testing.T) {
	for _, c := range []struct {
		args string
		says string
	}{
		{"", "say check, write, diff, show or lives"},
		{"ask", "unknown command"},
		{"check cells walls", `"walls" is no program; there are `},
		{"write walls", `"walls" is no program; there are `},
		{"check --kafka 4.2.1", "unknown flag: --kafka"},
		{"check --dir no-such-folder", `--dir "no-such-folder": no such folder`},
		{"diff --kafka 4.2.1 --dir oracle_test.go", `--dir "oracle_test.go": no such folder`},
		{"show", "name one program, not 0"},
		{"show cells loop", "name one program, not 2"},
		{"show walls", `"walls" is no program; there are lives, cells, callers, loop`},
		{"lives", `required flag(s) "to" not set`},
		{"lives --to no-such-folder", `--to "no-such-folder": no such folder`},
		{"lives --to . --count 0", "--count 0: at least one life"},
		{"lives --to . --count x", `--count "x": a whole number`},
		{"diff --dir .", `required flag(s) "kafka" not set`},
		{"diff --dir . --kafka newest", `--kafka "newest": a version is numbers and dots, such as 4.2.1`},
		{"diff --dir . --kafka=", `--kafka "": a version is numbers and dots`},
	} {
		t.Run(c.args, func(t *testing.T) {
			code, stdout, stderr := called(t, strings.Fields(c.args)...)
			require.Equal(t, commandline.ExitUsage, code, stderr)
			require.Contains(t, stderr, c.says)
			require.Empty(t, stdout)
		})
	}
}

// Each program has its file, and a key that tells its facts apart; the files are of one Kafka, and have no name and no time in
// them.
func TestCommittedFacts(t *testing.T) {
	dir := filepath.Join("..", "..", "heartbeat", "testdata", "oracle")
	jars := map[string]string(nil)
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			_, err := sources.ReadFile("java/src/org/apache/kafka/clients/consumer/internals/" + p.class + ".java")
			require.NoError(t, err)
			path := filepath.Join(dir, p.file())
			packed, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0}, packed[:8], "not packed by the oracle; `go run ./tools/oracle write` does")
			text, err := unpack(path)
			require.NoError(t, err)
			h, err := readHead(text)
			require.NoError(t, err)
			if jars == nil {
				jars = h.Jars
			}
			require.Equal(t, jars, h.Jars, "facts of several Kafkas; `go run ./tools/oracle write` renews them")
			_, err = readSheet(p, text)
			require.NoError(t, err)
		})
	}
	extra, err := strangers(dir, programs())
	require.NoError(t, err)
	require.Empty(t, extra, "no program makes these facts")
}

func TestHead(t *testing.T) {
	h, err := readHead(factsOf("4.3.1", `{"a":1}`, `{"a":2}`))
	require.NoError(t, err)
	require.Equal(t, "4.3.1", h.Kafka)
	require.Equal(t, 2, *h.Facts)
	for name, c := range map[string]struct{ text, says string }{
		"nothing":       {"", "the first line is not the head of facts"},
		"no head":       {`{"a":1}` + "\n", "the first line is not the head of facts"},
		"no JSON":       {"kafka\n", "the first line is not the head of facts"},
		"a head cut":    {`{"kafka":"4.3.1","jars":{"a.jar":"00"},"facts":0}`, "the first line is not the head of facts"},
		"a line cut":    {`{"kafka":"4.3.1","jars":{"a.jar":"00"},"facts":1}` + "\n{", "the last line is cut off"},
		"a line lost":   {`{"kafka":"4.3.1","jars":{"a.jar":"00"},"facts":2}` + "\n{}\n", "the head promises 2 facts, and there are 1"},
		"a line gained": {`{"kafka":"4.3.1","jars":{"a.jar":"00"},"facts":0}` + "\n{}\n", "the head promises 0 facts, and there are 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readHead([]byte(c.text))
			require.EqualError(t, err, c.says)
		})
	}
}

// The same facts are the same bytes, in whatever file and whenever.
func TestPacked(t *testing.T) {
	text := factsOf("4.3.1", `{"a":1}`)
	one, two := filepath.Join(t.TempDir(), "one"+suffix), filepath.Join(t.TempDir(), "two"+suffix)
	require.NoError(t, replace(one, text))
	require.NoError(t, os.WriteFile(two, []byte("what was there before"), 0o600))
	require.NoError(t, replace(two, text))
	a, err := os.ReadFile(one)
	require.NoError(t, err)
	b, err := os.ReadFile(two)
	require.NoError(t, err)
	require.Equal(t, a, b)
	require.Equal(t, []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0}, a[:8], "gzip's header has flags or a time")
	there, err := unpack(one)
	require.NoError(t, err)
	require.Equal(t, string(text), string(there))
	left, err := filepath.Glob(filepath.Join(filepath.Dir(two), "*"))
	require.NoError(t, err)
	require.Equal(t, []string{two}, left, "temporary files are left")
}

func TestCheckNamesWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	asked := factsOf("4.3.1", `{"code":"A","after":{"state":"STABLE","id":1}}`, `{"code":"B"}`)
	p := func(name string) program { return program{name: name} }
	put := func(name string, text []byte) { require.NoError(t, replace(filepath.Join(dir, name+suffix), text)) }
	put("same", asked)
	require.NoError(t, compareAll(dir, []answer{{program: p("same"), facts: asked}}, []program{p("same")}))

	put("changed", factsOf("4.3.1", `{"code":"A","after":{"state":"UNJOINED","id":1}}`, `{"code":"B"}`))
	put("order", factsOf("4.3.1", `{"after":{"state":"STABLE","id":1},"code":"A"}`, `{"code":"B"}`))
	put("short", factsOf("4.3.1", `{"code":"A","after":{"state":"STABLE","id":1}}`))
	put("long", append(bytes.Clone(asked), `{"code":"C"}`+"\n"...))
	put("older", factsOf("4.3.0", `{"code":"A","after":{"state":"STABLE","id":1}}`, `{"code":"B"}`))
	put("stranger", asked)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "torn"+suffix), []byte("this was never packed"), 0o600))
	var answers []answer
	all := []program{p("not asked for")}
	for _, name := range []string{"same", "changed", "order", "short", "long", "older", "torn", "missing"} {
		answers = append(answers, answer{program: p(name), facts: asked})
		all = append(all, p(name))
	}
	put("not asked for", nil)
	err := compareAll(dir, answers, all)
	require.Error(t, err)
	said := strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
	for _, want := range []string{
		`changed.ndjson.gz: line 2 differs: after.state "UNJOINED" → "STABLE"`,
		`order.ndjson.gz: line 2 differs: the same fields, written otherwise`,
		`short.ndjson.gz: line 1 differs: facts 1 → 2`,
		`long.ndjson.gz: line 4 is one too many: {"code":"C"}`,
		`older.ndjson.gz: line 1 differs: kafka "4.3.0" → "4.3.1"`,
		`torn.ndjson.gz: gzip: invalid header`,
		`missing.ndjson.gz: missing`,
		`stranger.ndjson.gz: no program makes it`,
		"`go run ./tools/oracle write` renews them",
	} {
		require.Contains(t, said, want)
	}
	require.Equal(t, commandline.ExitFailed, commandline.ExitCode(err))
	require.NotContains(t, said, "same.ndjson.gz")
	require.NotContains(t, said, "not asked for")
}

// Of a file that cannot be read nobody knows whether it is what Kafka says: the advice to renew it would be wrong.
func TestFactsThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	p := program{name: "folder"}
	require.NoError(t, os.Mkdir(filepath.Join(dir, p.file()), 0o777))
	err := compareAll(dir, []answer{{program: p, facts: factsOf("4.3.1")}}, []program{p})
	require.ErrorContains(t, err, "folder.ndjson.gz: is a directory")
	require.NotContains(t, err.Error(), "renews")
	require.Equal(t, commandline.ExitIO, commandline.ExitCode(err))
}

// A version that there is not is said to be none, with what Maven says and the versions that there are. That Maven cannot ask for
// it says nothing of the version.
func TestAVersionThatCannotBeHad(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for said, says := range map[string]string{
		"Could not find artifact kafka-clients:jar:9.9": "kafka-clients 9.9, or the jar of its tests, cannot be had: maven cannot resolve the jars: " +
			"Could not find artifact kafka-clients:jar:9.9; versions that are known to work are 4.3.1, ",
		"Cannot access central in offline mode": "maven cannot resolve the jars: Cannot access central in offline mode\n",
	} {
		mvn := "#!/bin/sh\necho '[ERROR] " + said + "'\necho '[ERROR] '\nexit 1\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mvn"), []byte(mvn), 0o755))
		code, stdout, stderr := called(t, "diff", "--kafka", "9.9", "--dir", dir)
		require.Equal(t, commandline.ExitFailed, code)
		require.Empty(t, stdout)
		require.Equal(t, "oracle: "+says, stderr[:min(len(stderr), len("oracle: "+says))])
	}
}

// Whatever names a version names one that was asked.
func TestTheVersionsOfTheDocuments(t *testing.T) {
	pom, err := sources.ReadFile("java/pom.xml")
	require.NoError(t, err)
	ours := regexp.MustCompile(`<kafka.version>(.*)</kafka.version>`).FindSubmatch(pom)
	require.NotNil(t, ours)
	require.Equal(t, knownVersions()[0].number, string(ours[1]), "the pom's is the newest")
	root := filepath.Join("..", "..")
	for _, document := range []string{"main.go", "diff.go", filepath.Join(root, "README.md"), filepath.Join(root, "Makefile"),
		filepath.Join(root, "heartbeat", "testdata", "oracle", "README.md")} {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		named := regexp.MustCompile(`(?:KAFKA=|--kafka |such as )(\d[0-9.]*\d)`).FindAllSubmatch(text, -1)
		require.NotEmpty(t, named, document)
		for _, n := range named {
			require.Contains(t, knownVersions(), version{number: string(n[1])}, "%s names a version that was not asked with all programs", document)
		}
	}
}
