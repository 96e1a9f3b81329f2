package commandline

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// The exit codes that commands share, beside 0. Those above 63 are of sysexits.h.
const (
	ExitFailed = 1  // what is looked at is not as it should be
	ExitUsage  = 64 // the command is called wrongly
	ExitIO     = 74 // a file cannot be read or written, or the output cannot
)

// ErrSaid is a failure that the command has told of already.
var ErrSaid = errors.New("not as it should be")

// failure is an error with the code to exit with.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// Fail is err with the code to exit with, unless it has one already, or nil.
func Fail(code int, err error) error {
	if err == nil || errors.As(err, new(*failure)) {
		return err
	}
	return &failure{code, err}
}

// ExitCode is what to exit with after an error: Fail's code, and ExitUsage for an error that has none. Help is no error.
func ExitCode(err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if f := (*failure)(nil); errors.As(err, &f) {
		return f.code
	}
	return ExitUsage
}

// Exit tells of an error that has not been told, in the name of a command, and is the code to exit with.
func Exit(stderr io.Writer, name string, err error) int {
	if err != nil && !errors.Is(err, ErrSaid) {
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
	}
	return ExitCode(err)
}
