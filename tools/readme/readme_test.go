// Package readme holds README.md against what it speaks of.
package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// block is the first block of README.md in a language.
func block(t *testing.T, language string) string {
	t.Helper()
	return blockAfter(t, "", language)
}

// blockAfter is the first one behind a text.
func blockAfter(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(read(t, "README.md"), text)
	require.True(t, found, "README.md does not say %s", text)
	_, rest, found = strings.Cut(rest, "```"+language+"\n")
	require.True(t, found, "README.md has no block of %s", language)
	block, _, found := strings.Cut(rest, "```")
	require.True(t, found, "README.md does not end its block of %s", language)
	return block
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	require.NoError(t, err)
	return string(text)
}

// The program that a reader copies compiles, and is formatted.
func TestExampleCompiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(block(t, "go")), 0o644))
	build := exec.Command("go", "build", "-o", os.DevNull, file)
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command("gofmt", "-l", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Empty(t, string(out), "README.md: the example is not as gofmt has it")
}

// What README.md shows of an example stands in that example, which is compiled and run, as it is.
func TestExcerptsAreTheExamples(t *testing.T) {
	parts := strings.Split(read(t, "README.md"), "[whole example](")[1:]
	require.NotEmpty(t, parts)
	for _, part := range parts {
		name, rest, _ := strings.Cut(part, ")")
		rest, _, _ = strings.Cut(rest, "It does not cover")
		example, blocks := read(t, name), strings.Split(rest, "```go\n")[1:]
		require.NotEmpty(t, blocks, "README.md shows nothing of %s, or does not say what it does not cover", name)
		for _, b := range blocks {
			b, _, _ = strings.Cut(b, "```")
			require.True(t, strings.Contains(example, b), "README.md shows of %s what it does not have, or not like this:\n%s", name, b)
		}
	}
}

// The rows that README.md shows stand in the specification as they are.
func TestRowsAreTheSpecifications(t *testing.T) {
	rows := block(t, "yaml")
	require.True(t, strings.Contains(read(t, "spec/classic.yaml"), rows), "README.md shows rows that spec/classic.yaml does not have, or not like this:\n%s", rows)
}

// The line of the specification that the screen cites is that of the rule.
func TestTheLineIsTheRules(t *testing.T) {
	readme := read(t, "README.md")
	cited := regexp.MustCompile(`(Heartbeat ILLEGAL_GENERATION .*classic\.yaml:)(\d+)`).FindStringSubmatch(readme)
	require.NotNil(t, cited, "README.md shows no rule with its line")
	above, _, found := strings.Cut(read(t, "spec/classic.yaml"), "{to: UNJOINED, do: reset_generation, result: failed,")
	require.True(t, found, "spec/classic.yaml has no such rule any more: show another in README.md")
	line := strconv.Itoa(1 + strings.Count(above, "\n"))
	if *rewrite {
		text := strings.Replace(readme, cited[0], cited[1]+line, 1)
		require.NoError(t, os.WriteFile(filepath.Join(root, "README.md"), []byte(text), 0o644))
		return
	}
	require.Equal(t, line, cited[2], "README.md cites another line than that of the rule: go test ./tools/readme -rewrite")
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// Who follows README.md in a module of his own has a generated package, whose tests pass.
func TestGenerateElsewhere(t *testing.T) {
	top, err := filepath.Abs(root)
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module elsewhere\n\ngo 1.26\n\nrequire github.com/kbeat/kbeat v0.0.0\n\nreplace github.com/kbeat/kbeat => " + top + "\n",
		"go.sum":        read(t, "go.sum"),
		"protocol.yaml": read(t, "spec/testdata/machines/grpc.yaml"),
		"doc.go":        blockAfter(t, "`doc.go`", "go"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	run := exec.Command("bash", "-ec", block(t, "sh"))
	run.Dir = dir
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "ok  ", "%s", out)
}

// Each make target and each file that README.md names exists.
func TestNamesExist(t *testing.T) {
	readme, makefile := read(t, "README.md"), read(t, "Makefile")
	targets := regexp.MustCompile(`\bmake ([a-z][a-z-]*)`).FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, targets)
	for _, target := range targets {
		require.Regexp(t, `(?m)^`+target[1]+`:`, makefile, "README.md names make %s", target[1])
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(readme, -1) {
		_, err := os.Stat(filepath.Join(root, link[1]))
		require.NoError(t, err, "README.md links to %s", link[1])
	}
}
