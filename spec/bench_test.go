package spec_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// BenchmarkParse reads and checks the classic protocol: what every generation and every slip pays.
func BenchmarkParse(b *testing.B) {
	text, err := os.ReadFile("classic.yaml")
	require.NoError(b, err)
	catalogue, err := os.ReadFile(filepath.Join("catalogue", "kafka.yaml"))
	require.NoError(b, err)
	for b.Loop() {
		_, err := spec.Parse("classic.yaml", text, func(string) ([]byte, error) { return catalogue, nil })
		require.NoError(b, err)
	}
}
