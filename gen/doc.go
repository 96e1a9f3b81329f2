// Package gen turns a specification, as package spec has read it, into files: the Go code that decides what it says, the
// tables that test that code, and the documents about it.
//
//	machine, err := spec.Load("spec/classic.yaml")
//	…
//	files, err := gen.Render(machine)
//	…
//	err = gen.Write("fsm/classic", files)
//
// The same specification gives the same bytes on each run. Rendering writes nothing, and what is rendered holds no time, no
// version and no path. The package knows nothing of Kafka: whatever a file says of it comes from the specification.
package gen
