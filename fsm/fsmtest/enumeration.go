package fsmtest

import (
	"encoding"
	"fmt"
)

// Enumeration is a generated type whose values have names.
type Enumeration interface {
	~uint8
	fmt.Stringer
	encoding.TextMarshaler
}

// Names lists where an enumeration is not these names, the first of which is that of first: written, read, and refused.
func Names[E Enumeration](first E, parse func(string) (E, error), names ...string) []string {
	var out []string
	for i, name := range names {
		e := first + E(i)
		text, err := e.MarshalText()
		if e.String() != name || string(text) != name || err != nil {
			out = append(out, fmt.Sprintf("%T %d is written %s and %s (%v), and %s is wanted", e, uint8(e), e, text, err, name))
		}
		if back, err := parse(name); back != e || err != nil {
			out = append(out, fmt.Sprintf("%s is read as %T %d (%v), and %d is wanted", name, e, uint8(back), err, uint8(e)))
		}
	}
	after := first + E(len(names))
	if text, err := after.MarshalText(); err == nil {
		out = append(out, fmt.Sprintf("%T %d is written %s, and an error is wanted", after, uint8(after), text))
	}
	if e, err := parse(after.String()); err == nil {
		out = append(out, fmt.Sprintf("%s is read as %T %d, and an error is wanted", after, e, uint8(e)))
	}
	return out
}
