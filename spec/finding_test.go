package spec_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// TestFindings holds what is printed for wrong specifications against testdata/findings, one file for each kind of finding:
// why it is one, and the smallest specifications that have it. `go test ./spec -run TestFindings -rewrite` writes what is
// printed now; read the diff.
//
// The command `catalogue` sets what `catalogue: small` reads from then on. `parse` reads a specification. Its input may be
// `quoted` as in Go, `repeat=n` times, `joined` without line ends; `id=` prints findings of that kind only.
func TestFindings(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "findings"), func(t *testing.T, path string) {
		catalogue := []byte(nil)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "catalogue" {
				catalogue = []byte(d.Input + "\n")
				return ""
			}
			require.Equal(t, "parse", d.Cmd, d.Pos)
			_, err := spec.Parse("light.yaml", []byte(input(t, d)), func(name string) ([]byte, error) {
				if name != "small" {
					return nil, fmt.Errorf("there is none")
				}
				return catalogue, nil
			})
			if err == nil {
				return "nothing is wrong\n"
			}
			var findings spec.Findings
			require.ErrorAs(t, err, &findings, "%s: what Parse returns for a text", d.Pos)
			if d.HasArg("id") {
				var id string
				d.ScanArgs(t, "id", &id)
				findings = slices.DeleteFunc(findings, func(f *spec.Finding) bool { return string(f.ID) != id })
			}
			return findings.Error() + "\n"
		})
	})
}

func input(t *testing.T, d *datadriven.TestData) string {
	text := d.Input
	if d.HasArg("quoted") {
		var err error
		text, err = strconv.Unquote(text)
		require.NoError(t, err, d.Pos)
	}
	if !d.HasArg("joined") {
		text += "\n"
	}
	if d.HasArg("repeat") {
		var n int
		d.ScanArgs(t, "repeat", &n)
		text = strings.Repeat(text, n)
	}
	return text
}

// TestEveryIDHasACase demands a file in testdata/findings for every ID in the code, in which a finding of that ID is printed.
func TestEveryIDHasACase(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "ids.go", nil, 0)
	require.NoError(t, err)
	ids := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			id, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			require.NoError(t, err)
			require.False(t, ids[id], "the ID %s stands twice", id)
			ids[id] = true
		}
		return true
	})
	require.NotEmpty(t, ids)
	for id := range ids {
		text, err := os.ReadFile(filepath.Join("testdata", "findings", id+".txt"))
		require.NoError(t, err, "write a case for %s", id)
		require.Contains(t, string(text), " ("+id+")", "the case for %s does not print it", id)
	}
	files, err := os.ReadDir(filepath.Join("testdata", "findings"))
	require.NoError(t, err)
	require.Len(t, files, len(ids), "a file in testdata/findings is named after no ID")
}

// TestFindingsAreAnError says how a caller tells a wrong specification from one that cannot be read.
func TestFindingsAreAnError(t *testing.T) {
	_, err := spec.Parse("light.yaml", nil, nil)
	var findings spec.Findings
	require.ErrorAs(t, err, &findings)
	require.True(t, findings.Has(spec.Empty))
	require.False(t, findings.Has(spec.Gap))

	_, err = spec.Load(filepath.Join("testdata", "no such file.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.False(t, errors.As(err, &findings), "a missing file is not a wrong specification")
}
