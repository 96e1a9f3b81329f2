// Command oracle asks Apache Kafka's own classes what a member of a group does, and holds what they say against the facts in
// heartbeat/testdata/oracle, with which the tests compare the specification.
//
//	oracle check                  name each file of facts that is not what Kafka says
//	oracle write                  renew the files
//	oracle diff --kafka 4.2.1     print what another version of Kafka does else
//	oracle show cells             print the facts of one program
//	oracle lives --to FOLDER      let Kafka's client live lives of any number and seed
//
// The programs are in java/, one for each file; they need Java 17, and Maven, which fetches Kafka's client with its tests. What
// a new one needs beside its class is a line in programs.go.
//
// It exits with 1 where facts differ or Kafka cannot be asked, 64 where it is called wrongly, and 74 where a file cannot be
// read or written, or the output cannot be written.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
