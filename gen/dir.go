package gen

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNotGenerated is wrapped where a file that is to be written exists and does not bear the generator's mark.
var ErrNotGenerated = errors.New("the file was not made by fsmgen: move it away, or name another directory")

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
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("compare: %w", err)
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

// marked says whether the first line is that of a generated file, of whatever language.
func marked(data []byte) bool {
	first, _, _ := bytes.Cut(data, []byte("\n"))
	return bytes.Contains(first, []byte(marker))
}
