// Package spec reads specifications of protocol machines: which reaction follows from which answer, in which state.
//
// A specification is a YAML file that a reviewer who knows the protocol can read. Load turns it into a Machine in which every
// name points at its declaration, or says with line, column and caret everything that is wrong with it:
//
//	m, err := spec.Load("spec/classic.yaml")
//	if err != nil {
//		return err // spec.Findings, which prints one paragraph for each thing that is wrong
//	}
//	for _, cell := range m.Cells() { … } // every state, code and answer, with the rule that decides
//
// A Machine that Load returned decides every cell, and decides it once; its rules keep the preconditions of their effects,
// the declared edges and the invariants; what is declared is used. The checks are made so that a slip of the pen does not
// go unseen: of those that tools/slips makes in the text of a specification, hardly any changes what is decided in silence.
//
// The package knows nothing of generated code and nothing of any one protocol. It reads the files that it is given, never
// writes, starts no goroutine and keeps no state. Its functions may be called concurrently.
package spec
