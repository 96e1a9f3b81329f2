package spec

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Load reads the specification at path, and the catalogue that it names from `catalogue/NAME.yaml` beside it. The error is
// Findings for a specification that is wrong, and that of the file system for one that cannot be read.
func Load(path string) (*Machine, error) {
	text, err := readSome(path)
	if err != nil {
		return nil, fmt.Errorf("read the specification: %w", err)
	}
	return Parse(path, text, func(name string) ([]byte, error) {
		return readSome(filepath.Join(filepath.Dir(path), filepath.FromSlash(cataloguePath(name))))
	})
}

// readSome reads a file, and no more of it than shows that it is too large.
func readSome(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes+1))
}

// Parse reads a specification from memory. name is the path that findings print; its last part is what rules cite. catalogue
// returns the text of the catalogue with the name that the specification gives; it may be nil where none is named.
// The error is Findings.
func Parse(name string, text []byte, catalogue func(name string) ([]byte, error)) (*Machine, error) {
	r := &reader{source: &source{path: filepath.ToSlash(name), begin: "a specification begins with `machine: NAME`", report: &report{}}, catalogue: catalogue}
	root := r.compose(text)
	if root == nil {
		return nil, r.report.err()
	}
	file := r.path[strings.LastIndex(r.path, "/")+1:]
	if r.read(root, file) {
		r.check()
	}
	if err := r.report.err(); err != nil {
		return nil, err
	}
	return r.m, nil
}

// cataloguePath is where a catalogue stands, seen from the folder of the specification.
func cataloguePath(name string) string { return "catalogue/" + name + ".yaml" }
