package gen

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

var rewrite = flag.Bool("rewrite", false, "write what is rendered to testdata; review the difference")

// TestGolden renders testdata/*/spec.yaml and compares with the folder `want` beside it: the files, or in `error` what is wrong.
func TestGolden(t *testing.T) {
	specs, err := filepath.Glob("testdata/*/spec.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, specs)
	for _, path := range specs {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			files := render(t, path)
			want := filepath.Join(filepath.Dir(path), "want")
			if *rewrite {
				require.NoError(t, os.RemoveAll(want))
				require.NoError(t, os.Mkdir(want, 0o777))
				for _, f := range files {
					require.NoError(t, os.WriteFile(filepath.Join(want, f.Name), f.Data, 0o644))
				}
			}
			var names []string
			for _, f := range files {
				names = append(names, f.Name)
				data, err := os.ReadFile(filepath.Join(want, f.Name))
				require.NoError(t, err)
				require.Equal(t, string(data), string(f.Data), "%s: go test ./gen -rewrite, if this is wanted", f.Name)
			}
			require.ElementsMatch(t, names, fileNames(t, want))
		})
	}
}

// render is what becomes of a specification: files, or one file with what is wrong. It has no trace of when and where.
func render(t *testing.T, path string) []File {
	m, err := spec.Load(path)
	require.NoError(t, err)
	files, err := Render(m)
	if err != nil {
		require.NotContains(t, err.Error(), "render ", "what was rendered is no Go")
		return []File{{"error", []byte(err.Error() + "\n")}}
	}
	again, err := spec.Load(path)
	require.NoError(t, err)
	twice, err := Render(again)
	require.NoError(t, err)
	require.Equal(t, files, twice, "the same specification gives the same bytes")
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, f := range files {
		require.NotContains(t, string(f.Data), here, f.Name)
		require.NotContains(t, string(f.Data), filepath.Dir(path), f.Name)
		first, _, _ := strings.Cut(string(f.Data), "\n")
		require.Contains(t, first, marker, f.Name)
	}
	return files
}

func fileNames(t *testing.T, dir string) []string {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
