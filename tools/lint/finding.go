package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
)

// finding is one place that breaks a rule, or, as a note, that may deserve a look.
type finding struct {
	file string
	line int
	rule string
	text string
	note bool
}

func (f finding) String() string {
	if f.note {
		return fmt.Sprintf("%s:%d: note: %s (%s)", f.file, f.line, f.text, f.rule)
	}
	return fmt.Sprintf("%s:%d: %s (%s)", f.file, f.line, f.text, f.rule)
}

func broken(found []finding) bool {
	return slices.ContainsFunc(found, func(f finding) bool { return !f.note })
}

func sorted(found []finding) []finding {
	slices.SortFunc(found, func(a, b finding) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.text, b.text))
	})
	return found
}

// relative is path as seen from dir, for a reader who stands there.
func relative(dir, path string) string {
	root, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	short, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(short)
}
