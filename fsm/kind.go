package fsm

// Kind says what an input of a machine is.
type Kind uint8

// The kinds of inputs.
const (
	KindResponse Kind = iota + 1 // the answer to a request, or its end without one
	KindLoop                     // one turn of a loop
	KindEvent                    // anything else that happens
)

var kindNames = Names[Kind]{Of: "kind", List: []string{"", "response", "loop", "event"}}

// String is "response", "loop" or "event".
func (k Kind) String() string { return kindNames.String(k) }

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
