package spec_test

import (
	"fmt"

	"github.com/kbeat/kbeat/spec"
)

// A specification is read from memory, and what is wrong with it is printed.
func ExampleParse() {
	const text = `machine: door
states:
  CLOSED: {initial: true, doc: nobody comes in}
  OPEN:   everybody does
guards:
  member:
    locked: somebody has turned the key
events:
  knock:
    locked in CLOSED: ignored
    OPEN:             CLOSED
  pull:
    CLOSED: OPNE
    OPEN:   ignored
`
	_, err := spec.Parse("door.yaml", []byte(text), nil)
	fmt.Println(err)
	// Output:
	// door.yaml:10:5: knock: nothing decides in CLOSED with not locked (gap)
	//         locked in CLOSED: ignored
	//         ^
	// door.yaml:13:13: pull: OPNE is neither a result nor a state; did you mean OPEN? (unknown-name)
	//         CLOSED: OPNE
	//                 ^
}

// Every cell of a machine can be looked at.
func ExampleMachine_Cells() {
	const text = `machine: door
states:
  CLOSED: {initial: true, doc: nobody comes in}
  OPEN:   everybody does
guards:
  member:
    locked: somebody has turned the key
events:
  pull:
    locked in CLOSED:     ignored
    not locked in CLOSED: OPEN
    OPEN:                 CLOSED
`
	m, err := spec.Parse("door.yaml", []byte(text), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Cells() {
		fmt.Printf("%s in %-6s locked=%-5t: %s\n", c.Input.Name, c.State.Name, c.Values["locked"], c.Rule.Name)
	}
	// Output:
	// pull in CLOSED locked=false: pull/not locked in CLOSED
	// pull in CLOSED locked=true : pull/locked in CLOSED
	// pull in OPEN   locked=false: pull/OPEN
	// pull in OPEN   locked=true : pull/OPEN
}
