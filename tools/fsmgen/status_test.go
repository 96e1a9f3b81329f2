package main

import (
	"errors"
	"os/exec"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// status runs a command and wants this exit code of it.
func status(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: status code command…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	have := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		have = exit.ExitCode()
	}
	if have != want {
		ts.Fatalf("exit code %d, and %d is wanted", have, want)
	}
}
