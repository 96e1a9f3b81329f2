package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path"
	"regexp"
	"strings"
)

// Lines of a Go file that somebody wrote: from noteLines on one asks what the second concept is, above mostLines there is one.
const (
	noteLines = 300
	mostLines = 500
)

// word is something that no tracked file may contain, and why.
type word struct {
	pattern *regexp.Regexp
	why     string
}

var words = []word{
	{regexp.MustCompile(`(^|[^\w.])/(work|root|home)/`), "a path of one machine means nothing on another"},
	{regexp.MustCompile(`/tmp/kbeat`), "a path of one machine means nothing on another"},
	{regexp.MustCompile(`proxy\.golang\.org|repo1?\.maven\.(org|apache\.org)|registry\.npmjs\.org|pypi\.org|deb\.debian\.org|crates\.io`), "whoever builds chooses the registry; name none"},
	{regexp.MustCompile(`(?i)\bhelper session|\bissue #`), "a file speaks of what is, not of how it came about"},
	{regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`), "what is not done is done now or not begun"},
}

var generatedMark = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// checkFiles looks at the text of tracked files. Binary files and lint itself, which must name what it bans, are left out.
func checkFiles(tree fs.FS, names []string) ([]finding, error) {
	var found []finding
	for _, name := range names {
		text, err := fs.ReadFile(tree, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, not yet committed
		}
		if err != nil {
			return found, err
		}
		if bytes.IndexByte(text, 0) >= 0 || strings.HasPrefix(name, "tools/lint/") {
			continue
		}
		found = append(found, checkWords(name, text)...)
		if path.Ext(name) == ".go" && !generatedMark.Match(text) {
			found = append(found, checkSize(name, bytes.Count(text, []byte("\n")))...)
		}
	}
	return found, nil
}

func checkWords(name string, text []byte) []finding {
	var found []finding
	for i, line := range bytes.Split(text, []byte("\n")) {
		for _, w := range words {
			if at := w.pattern.Find(line); at != nil {
				found = append(found, finding{file: name, line: i + 1, rule: "words", text: fmt.Sprintf("%q: %s", bytes.TrimSpace(at), w.why)})
			}
		}
	}
	return found
}

func checkSize(name string, lines int) []finding {
	switch {
	case lines > mostLines:
		return []finding{{file: name, line: lines, rule: "size", text: fmt.Sprintf("%d lines: the file has more than one concept; split it", lines)}}
	case lines > noteLines:
		return []finding{{file: name, line: lines, rule: "size", note: true, text: fmt.Sprintf("%d lines: is there a second concept in it?", lines)}}
	}
	return nil
}

// trackedFiles are the files below dir that git tracks, or would with `git add .`.
func trackedFiles(dir string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.Split(strings.TrimRight(string(out), "\x00"), "\x00"), nil
}
