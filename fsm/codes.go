package fsm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// CodeInfo is what a catalogue says of one code.
type CodeInfo struct {
	Number    int16 // on the wire; below the wire's numbers for the ways in which a request ends without an answer
	Name      string
	Retriable bool
	Message   string
}

// Codes is a catalogue, in the order of the numbers. It is not to be changed.
type Codes []CodeInfo

// Find is the entry of a number; false where the catalogue has none.
func (c Codes) Find(number int16) (CodeInfo, bool) {
	i, ok := slices.BinarySearchFunc(c, number, func(e CodeInfo, n int16) int { return cmp.Compare(e.Number, n) })
	if !ok {
		return CodeInfo{}, false
	}
	return c[i], true
}

// Name is the name of a number; one that the catalogue does not know is "UNKNOWN(999)".
func (c Codes) Name(number int16) string {
	if e, ok := c.Find(number); ok {
		return e.Name
	}
	return fmt.Sprintf("UNKNOWN(%d)", number)
}

// Parse reads what Name wrote; an unknown name is an *UnknownNameError.
func (c Codes) Parse(name string) (int16, error) {
	if i := slices.IndexFunc(c, func(e CodeInfo) bool { return e.Name == name }); i >= 0 {
		return c[i].Number, nil
	}
	if digits, ok := strings.CutPrefix(name, "UNKNOWN("); ok {
		if n, err := strconv.ParseInt(strings.TrimSuffix(digits, ")"), 10, 16); err == nil && c.Name(int16(n)) == name {
			return int16(n), nil
		}
	}
	names := make([]string, len(c))
	for i, e := range c {
		names[i] = e.Name
	}
	return 0, &UnknownNameError{Of: "code", Name: name, Near: near(name, names)}
}
