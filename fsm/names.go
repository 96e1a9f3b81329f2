package fsm

import (
	"fmt"
	"slices"
	"strings"
)

// Names are the names of an enumeration: List holds each at the index of its value, and "" where a value has none.
// Generated enumerations write and read themselves through it. It is not to be changed.
type Names[E ~uint8] struct {
	Of   string // what is named: "state"
	List []string
}

// String is the name of e, or Of and the number: "state(9)".
func (n *Names[E]) String(e E) string {
	if int(e) < len(n.List) && n.List[e] != "" {
		return n.List[e]
	}
	return fmt.Sprintf("%s(%d)", n.Of, uint8(e))
}

// Marshal is the name of e, and an error where it has none.
func (n *Names[E]) Marshal(e E) ([]byte, error) {
	if int(e) < len(n.List) && n.List[e] != "" {
		return []byte(n.List[e]), nil
	}
	return nil, fmt.Errorf("no %s has the number %d", n.Of, uint8(e))
}

// Parse finds the value with this name; an unknown name is an *UnknownNameError.
func (n *Names[E]) Parse(name string) (E, error) {
	if i := slices.Index(n.List, name); i >= 0 && name != "" {
		return E(i), nil
	}
	return 0, &UnknownNameError{Of: n.Of, Name: name, Near: near(name, n.List)}
}

// SetNames are the names of the members of a bit set: List holds the name of bit i at i, and "" where a bit has none.
type SetNames[S ~uint8 | ~uint16 | ~uint32 | ~uint64] struct {
	Of   string // what a member is: "flag"
	List []string
}

// nothing is how an empty set is written.
const nothing = "none"

// String joins the names of the members by "|"; an empty set is "none", a bit without a name its number.
func (n *SetNames[S]) String(s S) string {
	if s == 0 {
		return nothing
	}
	var names []string
	for i := 0; s>>i != 0; i++ {
		switch {
		case s>>i&1 == 0:
		case i < len(n.List) && n.List[i] != "":
			names = append(names, n.List[i])
		default:
			names = append(names, fmt.Sprintf("%s(%d)", n.Of, i))
		}
	}
	return strings.Join(names, "|")
}

// Marshal is String, and an error where a bit has no name.
func (n *SetNames[S]) Marshal(s S) ([]byte, error) {
	text := n.String(s)
	if strings.Contains(text, "(") {
		return nil, fmt.Errorf("not every member of %s is a %s", text, n.Of)
	}
	return []byte(text), nil
}

// Parse reads what String wrote; an unknown name is an *UnknownNameError.
func (n *SetNames[S]) Parse(text string) (S, error) {
	var s S
	if text == nothing {
		return s, nil
	}
	for name := range strings.SplitSeq(text, "|") {
		i := slices.Index(n.List, name)
		if i < 0 || name == "" {
			return 0, &UnknownNameError{Of: n.Of, Name: name, Near: near(name, n.List)}
		}
		s |= 1 << i
	}
	return s, nil
}

// UnknownNameError says that a text names nothing of its kind.
type UnknownNameError struct {
	Of   string // what was looked for: "state"
	Name string // the name that was given
	Near string // a name that exists and is nearly the same, or ""
}

func (e *UnknownNameError) Error() string {
	if e.Near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %s?", e.Of, e.Name, e.Near)
	}
	return fmt.Sprintf("unknown %s %q", e.Of, e.Name)
}
