// Package fsm has the few types that generated machines share, and a state machine over github.com/looplab/fsm that is typed,
// small, and free of that library's hazards. Most users meet it through a generated package such as fsm/classic.
//
//	d, err := fsm.NewDefinition(closed, door.String, []fsm.Edge[door]{
//		{Event: "open", From: closed, To: opened}, {Event: "close", From: opened, To: closed}})
//	…
//	m := d.Machine(fsm.Hooks[door]{Enter: func(d door) { fmt.Println("now", d) }})
//	err = m.Fire("open")
//
// It decides nothing about protocols, reads no clock, starts no goroutine, takes no lock of its own, and runs no code of its
// user inside looplab/fsm. A Definition and its machines belong to one goroutine.
package fsm

// GeneratedCodeOfShape2_RunGoGenerate is what generated packages ask for, so that code which was made for other shapes of
// this package's types fails to compile under a name that says what to do. The number grows with each such change.
const GeneratedCodeOfShape2_RunGoGenerate = true
