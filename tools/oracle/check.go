package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

func checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [PROGRAM…]",
		Short: "Name each file of facts that is not what Kafka says",
		Args:  arePrograms,
	}
	dir := dirFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		answers, err := askAll(cmd.Context(), programsNamed(args), cmd.OutOrStdout())
		if err != nil {
			return commandline.Fail(commandline.ExitFailed, err)
		}
		if err := compareAll(*dir, answers, programs()); err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "what is committed of %d programs is what Kafka says\n", len(answers))
		return nil
	}
	return cmd
}

func writeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "write [PROGRAM…]",
		Short: "Renew the files of facts",
		Args:  arePrograms,
	}
	dir := dirFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		answers, err := askAll(cmd.Context(), programsNamed(args), cmd.OutOrStdout())
		if err != nil {
			return commandline.Fail(commandline.ExitFailed, err)
		}
		for _, a := range answers {
			path := filepath.Join(*dir, a.program.file())
			// Another release of Go may compress the same facts to other bytes, which are not worth a change.
			if there, err := unpack(path); err == nil && bytes.Equal(there, a.facts) {
				continue
			}
			if err := replace(path, a.facts); err != nil {
				return commandline.Fail(commandline.ExitIO, err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: renewed\n", path)
		}
		return nil
	}
	return cmd
}

// answer is what a program has found, or why it has found nothing.
type answer struct {
	program program
	facts   []byte
	err     error
}

// askAll compiles the programs against the Kafka of the pom and runs them, as many at a time as there are cores. It says how long
// each took.
func askAll(ctx context.Context, all []program, out io.Writer) ([]answer, error) {
	o, err := newOracle(ctx, "")
	if err != nil {
		return nil, err
	}
	defer o.release()
	if err := o.compile(ctx, all...); err != nil {
		return nil, err
	}
	answers := o.askEach(ctx, all, out)
	var errs []error
	for _, a := range answers {
		errs = append(errs, a.err)
	}
	return answers, errors.Join(errs...)
}

func (o *oracle) askEach(ctx context.Context, all []program, out io.Writer) []answer {
	answers := make([]answer, len(all))
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	var saying sync.Mutex
	for i, p := range all {
		cores <- struct{}{}
		wait.Go(func() {
			defer func() { <-cores }()
			began := time.Now()
			facts, err := o.ask(ctx, p)
			answers[i] = answer{p, facts, err}
			if err != nil {
				return
			}
			saying.Lock()
			defer saying.Unlock()
			fmt.Fprintf(out, "%s: %d facts in %.1f s\n", p.name, bytes.Count(facts, []byte("\n"))-1, time.Since(began).Seconds())
		})
	}
	wait.Wait()
	return answers
}

// compareAll is an error that names each file in dir that is not as the answers have it, and those that are of no program. A
// file that is torn is not as it should be either, and write renews it; of one that cannot be read nobody knows.
func compareAll(dir string, answers []answer, all []program) error {
	var found, unread []error
	unreadable := (*fs.PathError)(nil)
	for _, a := range answers {
		path := filepath.Join(dir, a.program.file())
		there, err := unpack(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, fmt.Errorf("%s: missing", path))
		case errors.As(err, &unreadable):
			unread = append(unread, err)
		case err != nil:
			found = append(found, err)
		case !bytes.Equal(there, a.facts):
			found = append(found, fmt.Errorf("%s: %s", path, firstDifference(there, a.facts)))
		}
	}
	extra, err := strangers(dir, all)
	if err != nil {
		return commandline.Fail(commandline.ExitIO, err)
	}
	for _, path := range extra {
		found = append(found, fmt.Errorf("%s: no program makes it", path))
	}
	if found != nil {
		found = append(found, errors.New("the facts are not what Kafka says; `go run ./tools/oracle write` renews them, and the diff is for review"))
	}
	if unread != nil {
		return commandline.Fail(commandline.ExitIO, errors.Join(append(found, unread...)...))
	}
	return commandline.Fail(commandline.ExitFailed, errors.Join(found...))
}

// firstDifference names the first line in which facts differ, and what is different in it.
func firstDifference(there, asked []byte) string {
	was, is := strings.Split(string(there), "\n"), strings.Split(string(asked), "\n")
	for i := range max(len(was), len(is)) {
		switch {
		case i >= len(was) || was[i] == "" && i < len(is) && is[i] != "":
			return fmt.Sprintf("line %d is missing: Kafka says %s", i+1, is[i])
		case i >= len(is) || is[i] == "" && was[i] != "":
			return fmt.Sprintf("line %d is one too many: %s", i+1, was[i])
		case was[i] != is[i]:
			return fmt.Sprintf("line %d differs: %s\n\tcommitted:  %s\n\tKafka says: %s", i+1, changes(was[i], is[i]), was[i], is[i])
		}
	}
	return "no line differs"
}
