// Command kbeat is members of a Kafka group, by the specification that this module is generated from.
//
//	kbeat run                                             a group on an embedded cluster, to which things happen
//	kbeat run --brokers HOST:PORT --group G --topic T     a real member of a real group, until Ctrl-C
//	kbeat replay FILE                                     what a member did, done again from its trace
//
// It exits with 1 where a group is not as it should be, a member has failed or a replay differs, 2 for a trace that is
// none, 64 where it is called wrongly, 69 where no broker answers, 74 where a file cannot be read or written, or the output
// cannot be written, and 130 where it was interrupted before it was done.
package main

import "os"

func main() {
	os.Exit(interruptible(func(s session) int { return run(s, os.Args[1:]) }, os.Stdin, os.Stdout, os.Stderr))
}
