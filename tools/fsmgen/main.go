// Command fsmgen turns a specification into a Go package: its types, decisions, handlers, machine, tests and documents.
//
//	fsmgen generate spec/classic.yaml -o fsm/classic   write what has changed, whole or not at all
//	fsmgen check spec/classic.yaml -o fsm/classic      write nothing, and name each file that is missing, stale or superfluous
//
// It exits with 1 where check finds differences, 2 where the specification is wrong, 64 where it is called wrongly, and 74
// where a file cannot be read or written, or the output cannot be written.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
