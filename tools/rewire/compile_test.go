package rewire

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/tools/overlay"
)

// What is put inside still compiles together with the tests of the packages that it is put into: a name that both have, or one
// that is gone, would otherwise show only where the tests are compiled to try mutants.
func TestInsideCompiles(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	files, err := Files()
	require.NoError(t, err)
	for _, dir := range []string{Generated, Driven} {
		t.Run(dir, func(t *testing.T) {
			require.NoError(t, overlay.Check(t.Context(), t.TempDir(), dir, files, "-tags", Tag))
		})
	}
}
