package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/packages"
)

func real(t *testing.T) (*data, *catalogue) {
	t.Helper()
	d, err := readData(documented)
	require.NoError(t, err)
	c, err := build(libraryCodes(), d)
	require.NoError(t, err)
	return d, c
}

// What is written reads back as the codes that were meant, whatever signs their messages have.
func TestRenderedCatalogueReadsBack(t *testing.T) {
	_, c := real(t)
	type entry struct {
		Code      int
		Retriable bool
		Message   string
	}
	var got struct {
		Codes, Unanswered map[string]entry
		Settings          []string
		Callbacks         []string
		Documented        map[string][]string
	}
	require.NoError(t, yaml.Load(c.render(), &got, yaml.WithKnownFields()))
	require.Len(t, got.Codes, len(c.codes))
	for _, x := range c.codes {
		require.Equal(t, entry{x.number, x.retriable, x.message}, got.Codes[x.name], x.name)
	}
	require.Len(t, got.Unanswered, len(c.ends))
	for _, x := range c.ends {
		require.Equal(t, entry{0, x.retriable, x.message}, got.Unanswered[x.name], x.name)
	}
	require.Equal(t, c.settings, got.Settings)
	require.Equal(t, c.callbacks, got.Callbacks)
	require.Len(t, got.Documented, len(c.documented))
	for _, r := range c.documented {
		require.Equal(t, r.codes, got.Documented[r.api], r.api)
		require.Contains(t, r.codes, "NONE", "%s: no response documents success", r.api)
	}
}

// Kafka numbers its codes without a gap from -1 on; a gap means that the library's list was not read whole.
func TestLibraryCodesHaveNoGap(t *testing.T) {
	for i, x := range libraryCodes() {
		require.Equal(t, i-1, x.number, "after %s there is a gap", x.name)
	}
}

// The codes that documented.yaml says franz-go's definitions name are those that they name.
func TestDocumentedByFranz(t *testing.T) {
	d, c := real(t)
	names := map[string]bool{}
	for _, x := range c.codes {
		names[x.name] = true
	}
	comments := errorCodeComments(t)
	word := regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+\b`)
	for api, sources := range d.Documented {
		if len(sources["franz-go"]) == 0 {
			continue
		}
		structName := api + "Response"
		if api == "OffsetCommit" { // which has a code for each partition and none for the whole
			structName = "OffsetCommitResponseTopicPartition"
		}
		said := map[string]bool{"NONE": true}
		for _, w := range word.FindAllString(comments[structName], -1) {
			if names[w] {
				said[w] = true
			}
		}
		kept := map[string]bool{}
		for _, name := range sources["franz-go"] {
			kept[name] = true
		}
		require.Equal(t, said, kept, "%s: documented.yaml and kmsg.%s.ErrorCode name different codes", api, structName)
	}
}

// errorCodeComments are the comments on the field ErrorCode of each struct of package kmsg, by the struct's name.
func errorCodeComments(t *testing.T) map[string]string {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.NeedFiles}, "github.com/twmb/franz-go/pkg/kmsg")
	require.NoError(t, err)
	require.Len(t, pkgs, 1)
	out := map[string]string{}
	for _, file := range pkgs[0].GoFiles {
		if filepath.Base(file) != "generated.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range s.Fields.List {
					if len(field.Names) == 1 && field.Names[0].Name == "ErrorCode" {
						out[spec.Name.Name] = field.Doc.Text()
					}
				}
			}
			return false
		})
	}
	require.NotEmpty(t, out, "kmsg's generated.go has no field ErrorCode any more")
	return out
}

func TestBuildRefuses(t *testing.T) {
	library := []code{{name: "NONE"}, {name: "OLD_NAME", number: 1, retriable: true}, {name: "OTHER", number: 2}}
	for name, c := range map[string]struct{ text, want string }{
		"a correction that changes nothing":  {`corrections: {OLD_NAME: {retriable: true, why: w}}`, "OLD_NAME is no longer needed: kerr too says retriable: true"},
		"a name that kerr has by now":        {`corrections: {OTHER: {name: OTHER, why: w}}`, "OTHER is no longer needed: kerr too has this name"},
		"a code that kerr no longer has":     {`corrections: {GONE: {retriable: true, why: w}}`, "kerr has no code GONE"},
		"a correction without a reason":      {`corrections: {OLD_NAME: {retriable: false}}`, "OLD_NAME needs a why"},
		"a correction of nothing":            {`corrections: {OLD_NAME: {why: w}}`, "OLD_NAME corrects nothing"},
		"a name that two codes have":         {`corrections: {OLD_NAME: {name: OTHER, why: w}}`, "OTHER is the name of two codes"},
		"an end with the name of a code":     {`unanswered: [{name: OTHER}]`, "OTHER is the name of two codes"},
		"a documented code that is none":     {`documented: {A: {brokers: [NOTHING]}}`, "A: brokers: no error code is named NOTHING"},
		"a documented end without an answer": {"unanswered: [{name: LOST}]\ndocumented: {A: {brokers: [LOST]}}", "no error code is named LOST"},
		"a code documented twice":            {`documented: {A: {brokers: [NONE], schema: [NONE]}}`, "A: NONE is there twice"},
		"an unknown source":                  {`documented: {A: {hearsay: [NONE]}}`, "unknown source hearsay"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := readData([]byte(c.text))
			require.NoError(t, err)
			_, err = build(library, d)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestReadDataRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"an unknown key":             `correction: {}`,
		"an unknown key of an entry": `corrections: {A: {retryable: true}}`,
		"an unknown fact of an end":  `unanswered: [{name: LOST, retryable: true}]`,
		"a key twice":                "documented: {}\ndocumented: {}",
		"ends that are words":        `unanswered: [LOST]`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readData([]byte(text))
			require.ErrorContains(t, err, "documented.yaml")
		})
	}
}

func TestCorrectionsApply(t *testing.T) {
	d, err := readData([]byte(`corrections: {OLD_NAME: {name: NEW_NAME, retriable: false, why: w}}`))
	require.NoError(t, err)
	library := []code{{name: "OLD_NAME", number: 1, retriable: true, message: "m"}}
	c, err := build(library, d)
	require.NoError(t, err)
	require.Equal(t, []code{{name: "NEW_NAME", number: 1, message: "m"}}, c.codes)
	require.Equal(t, "OLD_NAME", library[0].name, "build changed its input")
}

func TestRunWritesAndChecks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kafka.yaml")
	require.ErrorContains(t, run(path, true), "is stale", "a missing file is stale")
	require.NoFileExists(t, path, "-check wrote")
	require.NoError(t, run(path, false))
	require.NoError(t, run(path, true))

	require.NoError(t, os.WriteFile(path, []byte("codes: {}\n"), 0o644))
	require.ErrorContains(t, run(path, true), "is stale")
	require.NoError(t, run(path, false))
	require.NoError(t, run(path, true))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "a temporary file was left behind")

	require.Error(t, run(filepath.Join(t.TempDir(), "missing", "kafka.yaml"), false))
}
