// Package overlay compiles a package or its tests with some of its files replaced, and leaves the tree as it is.
package overlay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Files are what stands in the place of files, or is added where there is none, by their path.
type Files map[string][]byte

// Check compiles the package and its tests in the same way as TestBinary, but links nothing and leaves no binary.
func Check(ctx context.Context, work, dir string, files Files, flags ...string) error {
	return compile(ctx, work, dir, files, append([]string{"list", "-test", "-export", "-f", ""}, flags...))
}

// TestBinary compiles the tests of package dir, as they are with files in place, into the file out. What go says when they
// do not compile is part of the error. work is a folder for its own files.
func TestBinary(ctx context.Context, work, dir, out string, files Files, flags ...string) error {
	return compile(ctx, work, dir, files, append([]string{"test", "-c", "-vet=off", "-o", out}, flags...))
}

// Program compiles the program of package dir in the same way.
func Program(ctx context.Context, work, dir, out string, files Files, flags ...string) error {
	return compile(ctx, work, dir, files, append([]string{"build", "-o", out}, flags...))
}

func compile(ctx context.Context, work, dir string, files Files, args []string) error {
	replace := map[string]string{}
	for path, text := range files {
		place, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		replacement := filepath.Join(work, strconv.Itoa(len(replace))+"-"+filepath.Base(path))
		if err := os.WriteFile(replacement, text, 0o600); err != nil {
			return err
		}
		replace[place] = replacement
	}
	index, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	overlay := filepath.Join(work, "overlay.json")
	if err := os.WriteFile(overlay, index, 0o600); err != nil {
		return err
	}
	args = append(args, "-overlay", overlay, "./"+filepath.ToSlash(dir))
	text, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s does not compile: %w\n%s", dir, err, text)
	}
	return nil
}
