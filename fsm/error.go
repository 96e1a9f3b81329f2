package fsm

import "strings"

// ErrorKind says where the error of a result comes from.
type ErrorKind uint8

// Where errors come from.
const (
	ErrorNone  ErrorKind = iota // the result is no error
	ErrorOwn                    // the code that was answered, or the failure itself
	ErrorCode                   // always the same code of the catalogue
	ErrorNamed                  // an error that has no code
)

var errorKindNames = Names[ErrorKind]{Of: "error kind", List: []string{"none", "own", "code", "named"}}

// String is "none", "own", "code" or "named".
func (k ErrorKind) String() string { return errorKindNames.String(k) }

// ErrorText is how generated errors describe themselves: the name, and what it means where that is known.
func ErrorText(name, message string) string {
	if message == "" {
		return name
	}
	return name + ": " + strings.TrimSuffix(message, ".")
}
