package gen

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotGenerated is wrapped where a file that is to be written exists and does not bear the generator's mark.
var ErrNotGenerated = errors.New("the file was not made by fsmgen: move it away, or name another directory")

// ErrOtherPackage is wrapped where a directory holds Go files of another package than the one that is to be written.
var ErrOtherPackage = errors.New("the machine's name is the name of its package: rename one, or name another directory")

// Kind says how a file in a directory differs from what was rendered.
type Kind string

// The kinds of differences.
const (
	Missing     Kind = "missing"
	Stale       Kind = "stale"
	Superfluous Kind = "superfluous" // bears the generator's mark, and was not rendered
)

// Difference is a file that is not as it was rendered.
type Difference struct {
	Kind Kind
	Name string
}

// Compare lists what differs between dir and files, sorted by name, and changes nothing. A directory that does not exist
// misses every file.
func Compare(dir string, files []File) ([]Difference, error) {
	if at, err := os.Stat(dir); err == nil && !at.IsDir() {
		return nil, fmt.Errorf("%s is a file: name the directory of the package", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if err := onePackage(dir, entries, files); err != nil {
		return nil, err
	}
	var out []Difference
	wanted := map[string]bool{}
	for _, f := range files {
		wanted[f.Name] = true
		have, err := os.ReadFile(filepath.Join(dir, f.Name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			out = append(out, Difference{Missing, f.Name})
		case err != nil:
			return nil, fmt.Errorf("compare: %w", err)
		case bytes.Equal(have, f.Data):
		case !marked(have):
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, f.Name), ErrNotGenerated)
		default:
			out = append(out, Difference{Stale, f.Name})
		}
	}
	for _, e := range entries {
		if wanted[e.Name()] || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		have, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if marked(have) {
			out = append(out, Difference{Superfluous, e.Name()})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// onePackage refuses a directory in which another package is, whoever made it: Go would not compile the two.
func onePackage(dir string, entries []fs.DirEntry, files []File) error {
	i := slices.IndexFunc(files, func(f File) bool { return strings.HasSuffix(f.Name, ".go") })
	if i < 0 {
		return nil
	}
	wanted := packageOf(files[i].Name, files[i].Data)
	if wanted == "" {
		return nil
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if !e.Type().IsRegular() || filepath.Ext(path) != ".go" || strings.HasPrefix(e.Name(), ".") || strings.HasPrefix(e.Name(), "_") {
			continue
		}
		if have := packageOf(path, nil); have != "" && strings.TrimSuffix(have, "_test") != strings.TrimSuffix(wanted, "_test") {
			return fmt.Errorf("%s is of package %s, and the machine is called %s: %w", path, have, wanted, ErrOtherPackage)
		}
	}
	return nil
}

// packageOf is the package of a Go file, which is read where data is nil; "" where it does not say.
func packageOf(path string, data []byte) string {
	var source any
	if data != nil {
		source = data
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, source, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return parsed.Name.Name
}

// marked reports whether the first line is that of a generated file, of whatever language.
func marked(data []byte) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	return bytes.Contains(first, []byte(marker))
}
