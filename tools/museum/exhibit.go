package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// exhibit is a bug that a client of Kafka had, as a change of this project: what it would take to have it here.
type exhibit struct {
	name     string
	bug      string   // what is wrong
	source   string   // where it was reported
	people   string   // what it does to who runs it
	refused  string   // the finding by which the validator refuses it, or ""
	killedBy []string // tests of heartbeat that fail of it, or `sim seed N: INVARIANT`: lives of a group in which it breaks that
	hangs    []string // tests of heartbeat that do not end, where that is what the bug does
	changes  []change
}

// change puts lines of a file in the place of others.
type change struct {
	file     string
	old, now []byte
}

// readExhibits reads all bugs of a folder.
func readExhibits(dir string) ([]exhibit, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no bugs in it", dir)
	}
	var out []exhibit
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		x, err := parseExhibit(strings.TrimSuffix(filepath.Base(name), ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, x)
	}
	return out, nil
}

// parseExhibit reads a line `key: text` for each field, and then pairs of `-- old FILE --` and `-- new FILE --`.
func parseExhibit(name string, text []byte) (exhibit, error) {
	archive := txtar.Parse(text)
	x := exhibit{name: name}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			return x, fmt.Errorf("%q: a line `key: text` is wanted", line)
		}
		switch key {
		case "bug":
			x.bug = value
		case "source":
			x.source = value
		case "people":
			x.people = value
		case "refused":
			x.refused = value
		case "killed by":
			x.killedBy = append(x.killedBy, value)
		case "hangs":
			x.hangs = append(x.hangs, value)
		default:
			return x, fmt.Errorf("unknown key %q: bug, source, people, refused, killed by or hangs is wanted", key)
		}
	}
	if x.bug == "" || x.source == "" || x.people == "" {
		return x, fmt.Errorf("bug, source and people must be said")
	}
	if (x.refused == "") == (len(x.tests()) == 0) {
		return x, fmt.Errorf("say either by which finding the validator refuses it (`refused`), or by which tests it is `killed by`, or which it `hangs`")
	}
	if len(archive.Files) == 0 || len(archive.Files)%2 != 0 {
		return x, fmt.Errorf("pairs of `-- old FILE --` and `-- new FILE --` are wanted")
	}
	for i := 0; i < len(archive.Files); i += 2 {
		old, now := archive.Files[i], archive.Files[i+1]
		from, isOld := strings.CutPrefix(old.Name, "old ")
		to, isNew := strings.CutPrefix(now.Name, "new ")
		if !isOld || !isNew || from != to {
			return x, fmt.Errorf("after `-- %s --` stands `-- %s --`: `old FILE` and `new FILE` are wanted, with the same file", old.Name, now.Name)
		}
		x.changes = append(x.changes, change{from, old.Data, now.Data})
	}
	return x, nil
}

// apply makes the changes in the files as they stand in the tree below root, and returns those that have changed, by path.
func (x exhibit) apply(root string) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, c := range x.changes {
		text, begun := out[c.file]
		if !begun {
			var err error
			if text, err = os.ReadFile(filepath.Join(root, c.file)); err != nil {
				return nil, err
			}
		}
		switch n := occurrences(text, c.old); {
		case n != 1:
			return nil, fmt.Errorf("the old lines stand %d times in %s, not once: say them as they are by now\n%s", n, c.file, c.old)
		case bytes.Equal(c.old, c.now):
			return nil, fmt.Errorf("the change of %s changes nothing", c.file)
		case c.file == specification && bytes.Count(c.old, []byte("\n")) != bytes.Count(c.now, []byte("\n")):
			return nil, fmt.Errorf("the specification must keep its lines, which transcripts cite: as many new ones as old ones are wanted")
		}
		at := index(text, c.old)
		out[c.file] = append(append(append([]byte(nil), text[:at]...), c.now...), text[at+len(c.old):]...)
	}
	return out, nil
}

// index is where whole lines stand in a text, or -1.
func index(text, lines []byte) int {
	if bytes.HasPrefix(text, lines) {
		return 0
	}
	at := bytes.Index(text, append([]byte("\n"), lines...))
	if at < 0 {
		return -1
	}
	return at + 1
}

func occurrences(text, lines []byte) int {
	n := 0
	for {
		at := index(text, lines)
		if at < 0 {
			return n
		}
		n++
		text = text[at+1:]
	}
}

// tests are those that the bug must not live through.
func (x exhibit) tests() []string { return slices.Concat(x.killedBy, x.hangs) }

// inSpecification reports whether the bug is one of the rules alone.
func (x exhibit) inSpecification() bool {
	for _, c := range x.changes {
		if c.file != specification {
			return false
		}
	}
	return true
}
