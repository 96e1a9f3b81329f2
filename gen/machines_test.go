package gen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machines are specifications of all kinds: all constructs of the notation, published automata, another protocol of Kafka.
var machines = []string{
	"testdata/door/spec.yaml",
	"testdata/pager/spec.yaml",
	"../spec/testdata/machines/consumer.yaml",
	"../spec/testdata/machines/grpc.yaml",
	"../spec/testdata/machines/lcp.yaml",
}

// TestMachines compiles what is rendered, and runs the tests in it, and beside them an example of a hand-written handler.
func TestMachines(t *testing.T) {
	home := workshop(t)
	for i, path := range machines {
		dir := filepath.Join(home, string(rune('a'+i)))
		require.NoError(t, Write(dir, render(t, path)))
		if example, err := os.ReadFile(filepath.Join(filepath.Dir(path), "example_test.go")); err == nil {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "example_test.go"), example, 0o644))
		}
	}
	all := "./" + filepath.ToSlash(home) + "/..."
	out, err := goCommand(t, "test", "-vet=all", all)
	require.NoError(t, err, out)
	require.Equal(t, len(machines), strings.Count(out, "ok  \t"), out)
}

// TestMixedFilesDoNotCompile puts one file of another generation into a package, and a package of another shape beside it.
func TestMixedFilesDoNotCompile(t *testing.T) {
	dir := filepath.Join(workshop(t), "mixed")
	files := render(t, "testdata/door/spec.yaml")
	require.NoError(t, Write(dir, files))

	change := func(name, old, now string) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(data), old)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(data), old, now, 1)), 0o644))
	}
	change("events_gen.go", "generation_", "generation_of_last_week_")
	out, err := goCommand(t, "build", "./"+filepath.ToSlash(dir))
	require.Error(t, err)
	require.Regexp(t, `undefined: generation_of_last_week_[0-9a-f]{8}_runGoGenerate`, out)

	change("events_gen.go", "generation_of_last_week_", "generation_")
	change("rules_gen.go", "GeneratedCodeOfShape2_", "GeneratedCodeOfShape0_")
	out, err = goCommand(t, "build", "./"+filepath.ToSlash(dir))
	require.Error(t, err)
	require.Contains(t, out, "undefined: fsm.GeneratedCodeOfShape0_RunGoGenerate")
}

// workshop is a folder of this module that goes with the test: what is rendered imports the module.
func workshop(t *testing.T) string {
	dir, err := os.MkdirTemp("testdata", "workshop-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func goCommand(t *testing.T, args ...string) (string, error) {
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	return string(out), err
}
