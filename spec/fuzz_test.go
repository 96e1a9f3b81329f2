package spec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// fuzzCatalogue is small, so that the fuzzer reaches responses with few letters.
const fuzzCatalogue = `codes:
  NONE: {code: 0}
  BUSY: {code: 1, retriable: true}
unanswered:
  GONE: the line is dead
documented:
  Ask: [NONE]
`

// FuzzParse looks for texts that make the reader panic or hang, for findings that cannot be printed, and for machines that
// pass every check and leave a cell undecided. Its corpus is kept in testdata/fuzz.
func FuzzParse(f *testing.F) {
	paths, err := filepath.Glob("testdata/findings/*.txt")
	require.NoError(f, err)
	for _, path := range append(paths, "testdata/machines/grpc.yaml") {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		if filepath.Ext(path) == ".yaml" {
			f.Add(text)
			continue
		}
		for _, part := range strings.Split(string(text), "\nparse\n")[1:] {
			input, _, _ := strings.Cut(part, "\n----\n")
			f.Add([]byte(input + "\n"))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := spec.Parse("fuzz.yaml", text, func(string) ([]byte, error) { return []byte(fuzzCatalogue), nil })
		if err != nil {
			var findings spec.Findings
			require.ErrorAs(t, err, &findings)
			require.NotEmpty(t, findings.Error())
			for _, x := range findings {
				require.NotEmpty(t, x.ID)
				require.GreaterOrEqual(t, x.At.Line, 1)
				require.GreaterOrEqual(t, x.At.Col, 1)
			}
			return
		}
		for _, c := range m.Cells() {
			require.NotNil(t, c.Rule, "%s in %s is undecided", c.Input.Name, c.State.Name)
			require.NotEmpty(t, c.Rule.Name)
		}
	})
}

// FuzzCatalogue does the same for catalogues.
func FuzzCatalogue(f *testing.F) {
	f.Add([]byte(fuzzCatalogue))
	f.Add([]byte("codes: {NONE: {code: -1, message: none}}\nsettings: [a.b]\ncallbacks: [onA]\n"))
	const text = "machine: light\ncatalogue: small\nstates:\n  RED: {initial: true, doc: stop}\n  GREEN: go\nevents:\n  switch:\n    RED: GREEN\n    GREEN: RED\n"
	f.Fuzz(func(t *testing.T, catalogue []byte) {
		m, err := spec.Parse("fuzz.yaml", []byte(text), func(string) ([]byte, error) { return catalogue, nil })
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		for i, c := range m.Catalogue.All() {
			require.Equal(t, i, c.Index)
			require.Same(t, c, m.Catalogue.Code(c.Name))
		}
	})
}
