package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Finding is one thing that is wrong in a specification or its catalogue.
type Finding struct {
	ID    ID
	Text  string // what is wrong with what, and what to do about it
	At    Place
	Other *Place // the other line, where two lines conflict
}

// Place is a position together with the line that is found there.
type Place struct {
	File string
	Pos
	Source string // the whole line, without its end
}

// Findings is the error that Load and Parse return for a specification that can be read and is refused: everything that
// was found in one pass, in the order of the files' lines.
type Findings []*Finding

// maxFindings bounds what is kept of one pass: after so many, the rest is noise and costs only time.
const maxFindings = 100

// sourceWidth is how much of a line is printed, in runes.
const sourceWidth = 120

// Error prints every finding with its line and a caret under it.
func (f Findings) Error() string {
	parts := make([]string, len(f))
	for i, x := range f {
		parts[i] = x.String()
	}
	return strings.Join(parts, "\n")
}

// Has reports whether one of the findings is of this kind.
func (f Findings) Has(id ID) bool {
	return slices.ContainsFunc(f, func(x *Finding) bool { return x.ID == id })
}

// String is `path:line:col: message (ID)`, the line, a caret under it, and the other line if there is one.
func (f *Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s (%s)", f.At.File, f.At.Line, f.At.Col, f.Text, f.ID)
	f.At.quote(&b)
	if f.Other != nil {
		fmt.Fprintf(&b, "\n%s:%d:%d: the other one", f.Other.File, f.Other.Line, f.Other.Col)
		f.Other.quote(&b)
	}
	return b.String()
}

// quote writes the line with a caret under the column. Of a long line only the surroundings are shown; what a terminal
// would not print as one column is shown as a blank, so that the caret stays where it belongs.
func (p *Place) quote(b *strings.Builder) {
	line, col := []rune(p.Source), p.Col-1
	col = min(max(col, 0), len(line))
	from := 0
	if col > sourceWidth-20 {
		from = col - sourceWidth/2
	}
	to := min(from+sourceWidth, len(line))
	shown := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfeff || r == 0x2028 || r == 0x2029 || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, string(line[from:to]))
	if strings.TrimSpace(shown) == "" {
		return
	}
	fmt.Fprintf(b, "\n    %s\n    %s^", strings.TrimRight(shown, " "), strings.Repeat(" ", col-from))
}

// report collects findings of all files that one Load reads.
type report struct {
	found   []*Finding
	seen    map[string]bool
	dropped int
}

func (r *report) add(f *Finding) {
	key := fmt.Sprintf("%s:%d:%d:%s:%s", f.At.File, f.At.Line, f.At.Col, f.ID, f.Text)
	if r.seen[key] {
		return
	}
	if len(r.found) >= maxFindings {
		r.dropped++
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[key] = true
	r.found = append(r.found, f)
}

// full says that more findings would not be kept, so that costly checks can be left out.
func (r *report) full() bool { return len(r.found) >= maxFindings }

func (r *report) err() error {
	if len(r.found) == 0 {
		return nil
	}
	out := Findings(slices.Clone(r.found))
	slices.SortStableFunc(out, func(a, b *Finding) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Col, b.At.Col),
			cmp.Compare(a.ID, b.ID))
	})
	if r.dropped > 0 {
		last := *out[len(out)-1]
		out = append(out, &Finding{ID: TooMuch, At: last.At,
			Text: fmt.Sprintf("%d findings are listed and %d are left out: mend these first", len(r.found), r.dropped)})
	}
	return out
}
