package commandline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// Writer remembers the first error of another one: who prints line after line asks once, at the end.
type Writer struct {
	To  io.Writer
	Err error
}

func (w *Writer) Write(b []byte) (int, error) {
	n, err := w.To.Write(b)
	w.Err = cmp.Or(w.Err, err)
	return n, err
}

// after is how a command has ended that has written there. An outcome that nobody can read is none, so that is told whatever
// the outcome was.
func (w *Writer) after(err error) error {
	if w.Err == nil {
		return err
	}
	if errors.Is(err, ErrSaid) {
		err = nil
	}
	return &failure{ExitIO, errors.Join(err, fmt.Errorf("the outcome cannot be written: %w", w.Err))}
}

// Run does a command's work, tells of its error, and returns the code to exit with: ExitFailed, where the error has none.
func Run(name string, stdout, stderr io.Writer, work func(out io.Writer) error) int {
	out := &Writer{To: stdout}
	err := work(out)
	return Exit(stderr, name, out.after(Fail(ExitFailed, err)))
}

// Execute lets a cobra command do what the arguments say. Nothing has been told of the error that it returns; an error
// without a code is one of the command line.
func Execute(ctx context.Context, root *cobra.Command, args []string, stdout, stderr io.Writer) error {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	out := &Writer{To: stdout}
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(stderr)
	return out.after(root.ExecuteContext(ctx))
}
