package spec

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// field is a key of a mapping and its value.
type field struct {
	key   word
	value *yaml.Node
}

// fields are the keys of a mapping in the order of the text, each once.
type fields []field

// get is the value of a key, or nil.
func (f fields) get(key string) *yaml.Node {
	for _, x := range f {
		if x.key.text == key {
			return x.value
		}
	}
	return nil
}

// where is the place of a key that exists.
func (f fields) where(key string) Pos {
	for _, x := range f {
		if x.key.text == key {
			return x.key.pos
		}
	}
	return Pos{}
}

func pos(n *yaml.Node) Pos { return Pos{n.Line, n.Column} }

func isScalar(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode }

// isEmpty says that nothing was written, as opposed to an empty text in quotes.
func isEmpty(n *yaml.Node) bool {
	return isScalar(n) && n.Value == "" && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0
}

// mapping reads a node whose keys are names or conditions, not words of the format. Nothing at all is an empty mapping,
// reported.
func (s *source) mapping(n *yaml.Node, what string) fields {
	all := s.pairs(n, what)
	for _, f := range all {
		s.valued(f, what)
	}
	return all
}

// known reads a mapping whose keys are words of the format.
func (s *source) known(n *yaml.Node, what string, at section) fields {
	var out fields
	for _, f := range s.pairs(n, what) {
		if isEmpty(f.value) && n.Style&yaml.FlowStyle != 0 && !at.has(f.key.text) {
			s.say(UnknownKey, f.key.pos, "%s: unknown key %s: a text that has a comma must be in quotes here", what, f.key.text)
			continue
		}
		meant := s.knows(f.key, what, at)
		if meant == f.key.text {
			s.valued(f, what)
		} else if out.get(meant) != nil {
			continue
		}
		if meant != "" {
			f.key.text = meant
			out = append(out, f)
		}
	}
	return out
}

// valued reports a key without a value.
func (s *source) valued(f field, what string) {
	if isEmpty(f.value) {
		if s.empty == nil {
			s.empty = map[*yaml.Node]bool{}
		}
		s.empty[f.value] = true
		s.say(Empty, f.key.pos, "%s: %s has no value: write one or take the key out", what, f.key.text)
	}
}

// pairs reads the keys of a mapping with their values, each key once.
func (s *source) pairs(n *yaml.Node, what string) fields {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		if isEmpty(n) {
			if !s.empty[n] {
				s.say(Empty, pos(n), "%s: nothing is said here", what)
			}
		} else {
			s.say(Shape, pos(n), "%s: keys with values are wanted here", what)
		}
		return nil
	}
	var out fields
	seen := map[string]Pos{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !isScalar(k) {
			s.say(Shape, pos(k), "%s: a key must be one word", what)
			continue
		}
		key := s.word(k)
		if key.text == "<<" {
			continue // reported as a merge key
		}
		if before, twice := seen[key.text]; twice {
			s.conflict(Duplicate, key.pos, before, "%s: %s is said twice", what, key.text)
			continue
		}
		seen[key.text] = key.pos
		out = append(out, field{key, v})
	}
	return out
}

// word reads a scalar with its place. Of a plain scalar of several lines it knows where each line goes on.
func (s *source) word(n *yaml.Node) word {
	w := word{text: n.Value, pos: pos(n)}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		w.pos.Col++
		return w
	}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || n.Line < 1 || n.Line > len(s.lines) {
		return w
	}
	rest := strings.TrimRight(fromColumn(s.lines[n.Line-1], n.Column), " \t")
	offset := 0
	for l := n.Line; !strings.HasPrefix(rest, w.text[offset:]); {
		if rest == "" || !strings.HasPrefix(w.text[offset:], rest) || l >= len(s.lines) {
			return w
		}
		offset += len(rest)
		for offset < len(w.text) && (w.text[offset] == ' ' || w.text[offset] == '\n') {
			offset++
		}
		full := s.lines[l]
		l++
		rest = strings.TrimSpace(full)
		w.folds = append(w.folds, fold{offset, Pos{l, 1 + len(full) - len(strings.TrimLeft(full, " \t"))}})
	}
	return w
}

// fromColumn is what stands in a line from a column on.
func fromColumn(line string, col int) string {
	n := 1
	for i := range line {
		if n == col {
			return line[i:]
		}
		n++
	}
	return ""
}

// scalar is the one word that is wanted here.
func (s *source) scalar(n *yaml.Node, what string) word {
	if n == nil {
		return word{}
	}
	if !isScalar(n) {
		s.say(Shape, pos(n), "%s: one word is wanted here", what)
		return word{pos: pos(n)}
	}
	return s.word(n)
}

// text is the text of a scalar that people read.
func (s *source) text(n *yaml.Node, what string) string { return s.scalar(n, what).text }

// words reads one word or a list of words, each of which stands once.
func (s *source) words(n *yaml.Node, what string) []word {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		if w := s.scalar(n, what); w.text != "" {
			return []word{w}
		}
		return nil
	}
	if len(n.Content) == 0 {
		s.say(Empty, pos(n), "%s: the list is empty; take the key out", what)
	}
	var out []word
	seen := map[string]Pos{}
	for _, c := range n.Content {
		w := s.scalar(c, what)
		if w.text == "" {
			if isScalar(c) {
				s.say(Empty, pos(c), "%s: an empty place in a list", what)
			}
			continue
		}
		if before, twice := seen[w.text]; twice {
			s.conflict(Duplicate, w.pos, before, "%s: %s stands twice in one list", what, w.text)
			continue
		}
		seen[w.text] = w.pos
		out = append(out, w)
	}
	return out
}

// truth reads true or false; what is missing is false.
func (s *source) truth(n *yaml.Node, what string) bool {
	if n == nil {
		return false
	}
	w := s.scalar(n, what)
	if w.text != "true" && w.text != "false" && w.text != "" {
		s.say(BadValue, w.pos, "%s is true or false, not %s", what, w.text)
	}
	return w.text != "" && w.text != "false" // what is wrong was meant to be said
}

// number reads an integer from least on.
func (s *source) number(n *yaml.Node, what string, least int) int {
	if n == nil {
		return 0
	}
	w := s.scalar(n, what)
	v, err := strconv.Atoi(w.text)
	if w.text != "" && (err != nil || v < least || v > 1<<40) {
		s.say(BadValue, w.pos, "%s is a whole number from %d on, not %s", what, least, w.text)
		return 0
	}
	return v
}
