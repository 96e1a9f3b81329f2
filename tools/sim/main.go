// Command sim lets groups of members live in virtual time, disturbs them, and judges them.
//
//	sim run --seeds 500          groups from 500 seeds: what is broken, and by the fewest disturbances
//	sim seed 17 [--only 1,4]     one of them, told event by event
//
// A seed that fails prints itself, the disturbances that its failure needs, and the name of a file: the trace of the member
// that has failed, which `go run ./tools/kbeat replay FILE` takes. What is simulated is said in package world, what the
// coordinator does in package coordinator, and what must not be broken in package judge. A long run tells on stderr how far it
// is.
//
// It exits with 1 where an invariant was broken, 64 where it is called wrongly, and 74 where a file or the output cannot be
// written.
package main

import "os"

func main() { os.Exit(command(os.Args[1:], os.Stdout, os.Stderr)) }
