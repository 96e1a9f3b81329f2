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
