package gen

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

const head = "// " + marker + "\n"

func file(name, body string) File { return File{name, []byte(head + body)} }

// contents are all files of a directory, hidden ones too.
func contents(t *testing.T, dir string) map[string]string {
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		out[e.Name()] = string(data)
	}
	return out
}

// before is a directory with a file that will be stale, one that is as it should be, one too many, and one of somebody else.
func before(t *testing.T) (dir string, files []File) {
	dir = t.TempDir()
	require.NoError(t, Write(dir, []File{file("stale.go", "old"), file("same.go", "same"), file("superfluous.go", "")}))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "doc.go"), []byte("package p\n"), 0o644))
	return dir, []File{file("missing.go", "new"), file("same.go", "same"), file("stale.go", "new")}
}

func TestWrite(t *testing.T) {
	dir, files := before(t)
	same, err := os.Stat(filepath.Join(dir, "same.go"))
	require.NoError(t, err)
	differences, err := Compare(dir, files)
	require.NoError(t, err)
	require.Equal(t, []Difference{{Missing, "missing.go"}, {Stale, "stale.go"}, {Superfluous, "superfluous.go"}}, differences)

	require.NoError(t, Write(dir, files))
	require.Equal(t, map[string]string{
		"doc.go": "package p\n", "missing.go": head + "new", "same.go": head + "same", "stale.go": head + "new",
	}, contents(t, dir))
	differences, err = Compare(dir, files)
	require.NoError(t, err)
	require.Empty(t, differences)
	after, err := os.Stat(filepath.Join(dir, "same.go"))
	require.NoError(t, err)
	require.True(t, os.SameFile(same, after) && same.ModTime().Equal(after.ModTime()), "a file that is as it should be is not touched")
}

func TestWriteMakesTheDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	differences, err := Compare(dir, []File{file("a.go", "")})
	require.NoError(t, err)
	require.Equal(t, []Difference{{Missing, "a.go"}}, differences)
	require.NoDirExists(t, dir, "comparing changes nothing")
	require.NoError(t, Write(dir, []File{file("a.go", "")}))
	require.Equal(t, map[string]string{"a.go": head}, contents(t, dir))

	require.ErrorIs(t, Write(filepath.Join(dir, "two", "deep"), []File{file("a.go", "")}), os.ErrNotExist)
	require.ErrorContains(t, Write(filepath.Join(dir, "a.go"), []File{file("a.go", "")}), "a.go is a file: name the directory of the package")
	require.Equal(t, map[string]string{"a.go": head}, contents(t, dir))
}

func TestWriteKeepsWhatItDidNotMake(t *testing.T) {
	dir, files := before(t)
	kept := contents(t, dir)
	err := Write(dir, append(files, file("doc.go", "")))
	require.ErrorIs(t, err, ErrNotGenerated)
	require.ErrorContains(t, err, "doc.go")
	require.Equal(t, kept, contents(t, dir))
}

// TestWriteWholeOrNotAtAll lets each step of a change fail in turn: the directory is then as it was, without a trace.
func TestWriteWholeOrNotAtAll(t *testing.T) {
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	for _, c := range []struct {
		what   string
		steps  int
		broken func(step *int, at int) disk
	}{
		{"write", 2, func(step *int, at int) disk {
			return disk{func(f *os.File, data []byte) (int, error) {
				if *step++; *step == at {
					n, _ := f.Write(data[:len(data)/2])
					return n, full
				}
				return f.Write(data)
			}, os.Rename, os.Remove}
		}},
		{"rename", 2, func(step *int, at int) disk {
			return disk{(*os.File).Write, func(from, to string) error {
				if *step++; *step == at {
					return full
				}
				return os.Rename(from, to)
			}, os.Remove}
		}},
		{"remove", 1, func(step *int, at int) disk {
			return disk{(*os.File).Write, os.Rename, func(name string) error {
				if *step++; *step == at {
					return full
				}
				return os.Remove(name)
			}}
		}},
	} {
		for at := 1; at <= c.steps; at++ {
			dir, files := before(t)
			kept := contents(t, dir)
			step := 0
			err := replace(c.broken(&step, at), dir, files)
			require.ErrorIs(t, err, syscall.ENOSPC, "%s %d", c.what, at)
			require.Equal(t, kept, contents(t, dir), "%s %d", c.what, at)
		}
		dir, files := before(t)
		step := 0
		require.NoError(t, replace(c.broken(&step, 0), dir, files))
		require.Equal(t, c.steps, step, "%s: every step was let fail", c.what)
	}

	dir := filepath.Join(t.TempDir(), "new")
	broken := disk{func(*os.File, []byte) (int, error) { return 0, full }, os.Rename, os.Remove}
	require.ErrorIs(t, replace(broken, dir, []File{file("a.go", "")}), syscall.ENOSPC)
	require.NoDirExists(t, dir, "a directory that was made for the files goes with them")
}

func TestUndoThatFailsIsReported(t *testing.T) {
	dir, files := before(t)
	lost := errors.New("the disk is gone")
	err := replace(disk{(*os.File).Write, func(from, to string) error {
		if filepath.Base(to) == "stale.go" {
			require.NoError(t, os.Remove(filepath.Join(dir, "missing.go")))
			return lost
		}
		return os.Rename(from, to)
	}, os.Remove}, dir, files)
	require.ErrorIs(t, err, lost)
	require.ErrorIs(t, err, os.ErrNotExist, "what could not be put back is named")
}
