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
)

func checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Name each file of facts that is not what Kafka says",
		Args:  cobra.NoArgs,
	}
	dir := dirFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		answers, err := askAll(cmd.Context(), programs(), cmd.OutOrStdout())
		if err != nil {
			return fail(exitDiffers, err)
		}
		return compareAll(*dir, answers)
	}
	return cmd
}

func writeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "write",
		Short: "Renew the files of facts",
		Args:  cobra.NoArgs,
	}
	dir := dirFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		answers, err := askAll(cmd.Context(), programs(), cmd.OutOrStdout())
		if err != nil {
			return fail(exitDiffers, err)
		}
		for _, a := range answers {
			path := filepath.Join(*dir, a.program.file())
			// Another release of Go may compress the same facts to other bytes, which are not worth a change.
			if there, err := unpack(path); err == nil && bytes.Equal(there, a.facts) {
				continue
			}
			if err := replace(path, a.facts); err != nil {
				return fail(exitIO, err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: renewed\n", path)
		}
		return nil
	}
	return cmd
}

// answer is what a program has found.
type answer struct {
	program program
	facts   []byte
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
	return o.askEach(ctx, all, out)
}

func (o *oracle) askEach(ctx context.Context, all []program, out io.Writer) ([]answer, error) {
	answers, errs := make([]answer, len(all)), make([]error, len(all))
	cores := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	var saying sync.Mutex
	for i, p := range all {
		cores <- struct{}{}
		wait.Go(func() {
			defer func() { <-cores }()
			began := time.Now()
			facts, err := o.ask(ctx, p)
			if err != nil {
				errs[i] = err
				return
			}
			answers[i] = answer{p, facts}
			saying.Lock()
			defer saying.Unlock()
			fmt.Fprintf(out, "%s: %d facts in %.1f s\n", p.name, bytes.Count(facts, []byte("\n"))-1, time.Since(began).Seconds())
		})
	}
	wait.Wait()
	return answers, errors.Join(errs...)
}

// compareAll is an error that names each file in dir that is not as the answers have it.
func compareAll(dir string, answers []answer) error {
	var found []error
	var all []program
	for _, a := range answers {
		all = append(all, a.program)
		path := filepath.Join(dir, a.program.file())
		there, err := unpack(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			found = append(found, fmt.Errorf("%s: missing", path))
		case err != nil:
			found = append(found, err)
		case !bytes.Equal(there, a.facts):
			found = append(found, fmt.Errorf("%s: %s", path, firstDifference(there, a.facts)))
		}
	}
	extra, err := strangers(dir, all)
	if err != nil {
		return fail(exitIO, err)
	}
	for _, path := range extra {
		found = append(found, fmt.Errorf("%s: no program makes it", path))
	}
	if found != nil {
		return fail(exitDiffers, fmt.Errorf("%w\nthe facts are not what Kafka says; `go run ./tools/oracle write` renews them, and the diff is for review", errors.Join(found...)))
	}
	return nil
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
