package commandline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// full is a disk on which there is no room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

const unwritten = "the outcome cannot be written: no space left on device\n"

// How a command has ended is told once, on stderr, and by its code; an output that cannot be written is an end of its own, which
// hides no other one.
func TestHowACommandEnds(t *testing.T) {
	broken := errors.New("it is broken")
	for _, c := range []struct {
		what string
		err  error
		code int
		says string // by Run
		lost string // where nothing can be written
	}{
		{"well", nil, 0, "", "tool: " + unwritten},
		{"an error", broken, ExitFailed, "tool: it is broken\n", "tool: it is broken\n" + unwritten},
		{"an error with a code", fmt.Errorf("so: %w", Fail(2, broken)), 2, "tool: so: it is broken\n", "tool: so: it is broken\n" + unwritten},
		{"told already", Fail(2, ErrSaid), 2, "", "tool: " + unwritten},
	} {
		t.Run(c.what, func(t *testing.T) {
			work := func(out io.Writer) error {
				fmt.Fprint(out, "one line, ")
				fmt.Fprint(out, "and another")
				return c.err
			}
			var stdout, stderr bytes.Buffer
			require.Equal(t, c.code, Run("tool", &stdout, &stderr, work))
			require.Equal(t, "one line, and another", stdout.String())
			require.Equal(t, c.says, stderr.String())
			stderr.Reset()
			require.Equal(t, ExitIO, Run("tool", full{}, &stderr, work))
			require.Equal(t, c.lost, stderr.String())

			root := func() *cobra.Command {
				return &cobra.Command{Use: "tool", RunE: func(cmd *cobra.Command, _ []string) error { return work(cmd.OutOrStdout()) }}
			}
			stdout.Reset()
			code := c.code
			if c.err == broken {
				code = ExitUsage // what a cobra command says without a code is about the command line
			}
			require.Equal(t, code, ExitCode(Execute(context.Background(), root(), nil, &stdout, io.Discard)))
			require.Equal(t, "one line, and another", stdout.String())
			stderr.Reset()
			require.Equal(t, ExitIO, Exit(&stderr, "tool", Execute(context.Background(), root(), nil, full{}, io.Discard)))
			require.Equal(t, c.lost, stderr.String())
		})
	}
}

// What fails deeper down knows best what its failure is.
func TestAFailureKeepsItsCode(t *testing.T) {
	require.NoError(t, Fail(2, nil))
	require.Equal(t, 2, ExitCode(Fail(ExitFailed, fmt.Errorf("so: %w", Fail(2, io.EOF)))))
	require.ErrorIs(t, Fail(2, io.EOF), io.EOF)
}

// A writer that fails once has lost something, even if the rest can be written.
func TestAWriterRemembersItsFirstError(t *testing.T) {
	w := &Writer{To: full{}}
	fmt.Fprint(w, "lost")
	var rest bytes.Buffer
	w.To = &rest
	fmt.Fprint(w, "kept")
	require.Equal(t, "kept", rest.String())
	require.ErrorIs(t, w.Err, syscall.ENOSPC)
}

func TestFolder(t *testing.T) {
	require.NoError(t, Folder("dir", t.TempDir()))
	require.EqualError(t, Folder("dir", "run_test.go"), `--dir "run_test.go": no such folder`)
	require.EqualError(t, Folder("to", ""), `--to "": no such folder`)
}
