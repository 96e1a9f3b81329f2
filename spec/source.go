package spec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Limits of a text. A specification is written and reviewed by people; what is larger is none, and is refused before it
// costs time and memory beyond all proportion.
const (
	maxBytes = 1 << 18
	maxLine  = 1000 // runes
	maxDepth = 50   // of nested collections
	maxItems = 500  // of one mapping or list
)

// source is a text that is read, and where findings about it go.
type source struct {
	path   string // as findings print it
	begin  string // what an empty file is told
	lines  []string
	report *report
	empty  map[*yaml.Node]bool // values that are missing, and reported

	tooMuch bool // of something to go on
}

// say reports a finding.
func (s *source) say(id ID, pos Pos, format string, args ...any) { s.add(id, pos, nil, format, args) }

// conflict reports a finding that concerns two places.
func (s *source) conflict(id ID, pos, other Pos, format string, args ...any) {
	s.add(id, pos, &other, format, args)
}

func (s *source) add(id ID, pos Pos, other *Pos, format string, args []any) {
	f := &Finding{ID: id, Text: fmt.Sprintf(format, args...), At: s.at(pos)}
	if other != nil {
		place := s.at(*other)
		f.Other = &place
	}
	s.report.add(f)
}

func (s *source) at(p Pos) Place {
	p.Line, p.Col = max(p.Line, 1), max(p.Col, 1)
	place := Place{File: s.path, Pos: p}
	if p.Line <= len(s.lines) {
		place.Source = s.lines[p.Line-1]
	}
	return place
}

// compose reads the text as one YAML document whose root is a mapping. It returns nil after reporting why it is none.
func (s *source) compose(text []byte) *yaml.Node {
	if len(text) > maxBytes {
		s.say(TooMuch, Pos{}, "the file has more than %d bytes, which is the most that is read: split it into several machines", maxBytes)
		return nil
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	s.lines = strings.Split(string(text), "\n")
	if !s.readable() {
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithV4Defaults(), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		s.say(Syntax, Pos{}, "%v", err)
		return nil
	}
	var doc, next yaml.Node
	if err := loader.Load(&doc); err != nil {
		s.unparsed(err)
		return nil
	}
	if err := loader.Load(&next); err == nil {
		s.say(Documents, Pos{next.Line, next.Column}, "a second document begins here: one machine is one document; take the --- out")
	} else if !errors.Is(err, io.EOF) {
		s.unparsed(err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		s.say(Shape, Pos{doc.Line, doc.Column}, "a mapping is wanted at the top: machine, states, …")
		return nil
	}
	if s.refuse(doc.Content[0]); s.tooMuch {
		return nil
	}
	return doc.Content[0]
}

// readable refuses what is no text, before the YAML scanner sees it.
func (s *source) readable() bool {
	ok := true
	for i, line := range s.lines {
		at := func(offset int) Pos { return Pos{i + 1, 1 + utf8.RuneCountInString(line[:offset])} }
		for j, r := range line {
			switch {
			case r == utf8.RuneError && !strings.HasPrefix(line[j:], "\uFFFD"):
				s.say(NotText, at(j), "byte 0x%02x is not UTF-8: is this a text file?", line[j])
				return false
			case r < ' ' && r != '\t', r == 0x7f:
				s.say(NotText, at(j), "control character 0x%02x: is this a text file?", r)
				return false
			}
		}
		if n := utf8.RuneCountInString(line); n > maxLine {
			s.say(TooMuch, Pos{i + 1, maxLine + 1}, "the line has %d characters, at most %d are read: break it", n, maxLine)
			ok = false
		}
	}
	return ok
}

// unparsed reports what the YAML parser says.
func (s *source) unparsed(err error) {
	var one *yaml.LoadError
	if errors.Is(err, io.EOF) {
		s.say(Empty, Pos{}, "the file says nothing: %s", s.begin)
		return
	}
	if !errors.As(err, &one) {
		s.say(Syntax, Pos{}, "no YAML: %v", err)
		return
	}
	message := one.Message
	if one.ContextMsg != "" {
		message = one.ContextMsg + ": " + message
	}
	where := Pos{one.Mark.Line, one.Mark.Column}
	if strings.HasPrefix(strings.TrimLeft(s.at(where).Source, " "), "\t") {
		message = "indent by blanks, not by tabs"
	}
	s.say(Syntax, where, "no YAML: %s", message)
}

// refuse reports what YAML allows and this notation does not: a rule is read where it stands, so nothing may be said in
// one place and meant in another, and every scalar is the text that is seen.
func (s *source) refuse(n *yaml.Node) {
	pos := Pos{n.Line, n.Column}
	switch {
	case n.Kind == yaml.AliasNode:
		s.say(Anchor, pos, "the alias *%s is refused: a rule is read where it stands; write it out", n.Value)
	case n.Anchor != "":
		s.say(Anchor, pos, "the anchor &%s is refused: a rule is read where it stands", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0 || n.Tag == "!":
		s.say(Tag, pos, "the tag %s is refused: quote a text that begins with an exclamation mark, and write `not` for a negation", n.Tag)
	}
	if n.Kind == yaml.MappingNode && len(n.Content) > 2*maxItems || n.Kind == yaml.SequenceNode && len(n.Content) > maxItems {
		s.say(TooMuch, pos, "more than %d entries, which nobody reviews", maxItems)
		s.tooMuch = true
		return
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode && c.Value == "<<" {
			s.say(MergeKey, Pos{c.Line, c.Column}, "merge keys are refused: a rule is read where it stands; write it out")
		}
		s.refuse(c)
	}
}

// sum is the SHA-256, in hex, over what the text says: its keys and values in their order. Comments, blank lines, layout
// and the kind of line ends are no part of it.
func sum(root *yaml.Node) string {
	h := sha256.New()
	var line []byte
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		line = strconv.AppendInt(line[:0], int64(n.Kind), 10)
		line = strconv.AppendInt(append(line, ' '), int64(len(n.Content)), 10)
		line = strconv.AppendInt(append(line, ' '), int64(len(n.Value)), 10)
		line = append(append(line, ':'), n.Value...)
		h.Write(append(line, '\n'))
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(root)
	return hex.EncodeToString(h.Sum(nil))
}
