package spec

import (
	"strings"
	"unicode/utf8"
)

// word is a scalar, or a part of one, with its place in the text.
type word struct {
	text  string
	pos   Pos
	folds []fold
}

// fold says where a plain scalar of several lines goes on: its text from byte offset on stands at pos.
type fold struct {
	offset int
	pos    Pos
}

// cut is the part between two byte offsets, without the blanks around it.
func (w word) cut(from, to int) word {
	part := w.text[from:to]
	from += len(part) - len(strings.TrimLeft(part, " "))
	out := word{text: strings.Trim(part, " "), pos: w.place(from)}
	for _, f := range w.folds {
		if f.offset > from {
			out.folds = append(out.folds, fold{f.offset - from, f.pos})
		}
	}
	return out
}

func (w word) place(offset int) Pos {
	start, pos := 0, w.pos
	for _, f := range w.folds {
		if f.offset <= offset {
			start, pos = f.offset, f.pos
		}
	}
	pos.Col += utf8.RuneCountInString(w.text[start:offset])
	return pos
}

// split cuts the word at each separator.
func (w word) split(sep string) []word {
	var out []word
	from := 0
	for {
		i := strings.Index(w.text[from:], sep)
		if i < 0 {
			return append(out, w.cut(from, len(w.text)))
		}
		out = append(out, w.cut(from, from+i))
		from += i + len(sep)
	}
}

// after is the word without a prefix that it has.
func (w word) after(prefix string) word { return w.cut(len(prefix), len(w.text)) }

// texts are the bare texts of words.
func texts(ws []word) []string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = w.text
	}
	return out
}
