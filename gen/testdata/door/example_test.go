package door

import (
	"fmt"

	"github.com/kbeat/kbeat/fsm"
)

// ears handle what is heard of a door.
type ears struct{}

func (ears) Creak()              { fmt.Println("  creak") }
func (ears) Rattle(how fsm.Text) { fmt.Println("  rattle", how) }

func Example() {
	m := Initial()
	say := func(r *Rule) { fmt.Printf("%s at %s: %s, %s\n", r, r.At(), m.State, r.Result) }
	say(HandlePush(&m, ears{}))
	say(HandleTurnKey(&m))
	say(HandlePull(&m, ears{}))
	say(HandleTurnKey(&m))
	say(HandlePush(&m, ears{}))
	// Output:
	//   creak
	// push/SHUT at spec.yaml:15: OPEN, none
	// turn_key/OPEN at spec.yaml:24: OPEN, illegal
	//   creak
	// pull/OPEN at spec.yaml:19: SHUT, none
	// turn_key/SHUT at spec.yaml:22: LOCKED, none
	//   rattle in vain
	// push/LOCKED at spec.yaml:17: LOCKED, none
}
