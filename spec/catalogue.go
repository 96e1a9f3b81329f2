package spec

import (
	"math"

	"go.yaml.in/yaml/v4"
)

// Code finds a code, or a way to end without one, by name; nil where there is none, also of a nil Catalogue.
func (c *Catalogue) Code(name string) *Code {
	if c == nil {
		return nil
	}
	return c.byName[name]
}

// names of all codes and unanswered ends.
func (c *Catalogue) names() []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, x := range c.All() {
		out = append(out, x.Name)
	}
	return out
}

// readCatalogue reads the catalogue that the machine names, if it names one, and reports whether there is something to go
// on with.
func (r *reader) readCatalogue() bool {
	n := r.top.get("catalogue")
	if n == nil {
		return true
	}
	name := r.scalar(n, "catalogue")
	if !isName(name.text) {
		if name.text != "" {
			r.say(BadValue, name.pos, "%q cannot be the name of a catalogue", name.text)
		}
		return false
	}
	if r.catalogue == nil {
		r.say(NoCatalogue, name.pos, "no catalogue can be read here")
		return false
	}
	text, err := r.catalogue(name.text)
	if err != nil {
		r.say(NoCatalogue, name.pos, "catalogue %s cannot be read: %v", name.text, err)
		return false
	}
	s := &source{path: r.beside(cataloguePath(name.text)), begin: "a catalogue begins with `codes:`", report: r.report}
	if root := s.compose(text); root != nil {
		r.m.Catalogue = s.readCodes(root, name.text)
	}
	return r.m.Catalogue != nil && len(r.m.Catalogue.Codes) > 0
}

// beside is the path of a file in the folder of the specification.
func (r *reader) beside(path string) string {
	return r.path[:len(r.path)-len(r.m.File)] + path
}

func (s *source) readCodes(root *yaml.Node, name string) *Catalogue {
	c := &Catalogue{Name: name, Documented: map[string][]*Code{}, byName: map[string]*Code{}}
	top := s.known(root, "the catalogue", atCatalogue)
	numbers := map[int]field{}
	for _, f := range s.mapping(top.get("codes"), "codes") {
		a := s.known(f.value, f.key.text, atCode)
		code := &Code{Name: f.key.text, Retriable: s.truth(a.get("retriable"), "retriable"), Message: s.text(a.get("message"), "message")}
		if n := a.get("code"); n == nil {
			s.say(Missing, f.key.pos, "%s has no code: its number on the wire", f.key.text)
		} else {
			code.Number = s.number(n, "code", math.MinInt16)
			if code.Number > math.MaxInt16 {
				s.say(BadValue, pos(n), "code %d is no number of 16 bits, as codes are on the wire", code.Number)
			}
			if before, twice := numbers[code.Number]; twice {
				s.conflict(Duplicate, pos(n), before.key.pos, "%s has the number of %s", f.key.text, before.key.text)
			}
			numbers[code.Number] = f
		}
		if s.declareCode(c, code, f.key) {
			c.Codes = append(c.Codes, code)
		}
	}
	for _, f := range s.mapping(top.get("unanswered"), "unanswered") {
		code := &Code{Name: f.key.text, Unanswered: true}
		if isScalar(f.value) {
			code.Message = f.value.Value
		} else if len(f.value.Content) > 0 {
			a := s.known(f.value, f.key.text, atUnanswered)
			code.Retriable = s.truth(a.get("retriable"), "retriable")
			code.Message = s.text(a.get("message"), "message")
			if code.Message == "" {
				code.Message = s.text(a.get("doc"), "doc")
			}
		}
		if s.declareCode(c, code, f.key) {
			c.Unanswered = append(c.Unanswered, code)
		}
	}
	for i, code := range c.All() {
		code.Index = i
	}
	c.Settings = texts(s.words(top.get("settings"), "settings"))
	c.Callbacks = texts(s.words(top.get("callbacks"), "callbacks"))
	for _, f := range s.mapping(top.get("documented"), "documented") {
		for _, w := range s.words(f.value, f.key.text) {
			if code := c.Code(w.text); code != nil {
				c.Documented[f.key.text] = append(c.Documented[f.key.text], code)
			} else {
				s.say(UnknownCode, w.pos, "%s: there is no code %s%s", f.key.text, w.text, near(w.text, c.names()))
			}
		}
	}
	return c
}

func (s *source) declareCode(c *Catalogue, code *Code, at word) bool {
	if !isName(code.Name) || isReserved(code.Name) {
		s.say(BadValue, at.pos, "%q cannot be the name of a code", code.Name)
		return false
	}
	if c.byName[code.Name] != nil {
		s.say(Duplicate, at.pos, "%s is a code already", code.Name)
		return false
	}
	c.byName[code.Name] = code
	return true
}
