package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/sim/span"
)

// simulation is what is played.
const simulation = "github.com/kbeat/kbeat/tools/sim/wire"

// options are the command's.
type options struct {
	from, chance                    uint64
	seeds, minutes, members, faults int
	twice                           bool
	file                            string
}

// check says what the command cannot do.
func (o *options) check(args []string) error {
	switch {
	case o.seeds < 1:
		return fmt.Errorf("-seeds=%d: at least 1", o.seeds)
	case o.minutes < 1:
		return fmt.Errorf("-minutes=%d: at least 1", o.minutes)
	case o.minutes > int(span.Longest/time.Minute):
		return fmt.Errorf("-minutes=%d: at most %.0f", o.minutes, span.Longest.Minutes())
	case o.members < 0:
		return fmt.Errorf("-members=%d: at least 1, or 0 for as many as a seed draws", o.members)
	case o.faults < -1:
		return fmt.Errorf("-faults=%d: at least 0, or -1 for all", o.faults)
	}
	return commandline.NoArguments(args)
}

// args are what the simulation's test is called with for a seed.
func (o options) args(seed uint64) []string {
	return []string{
		"-test.run=^TestSeeds$", "-tell", "-seeds=1", "-from=" + strconv.FormatUint(seed, 10),
		"-minutes=" + strconv.Itoa(o.minutes), "-members=" + strconv.Itoa(o.members), "-faults=" + strconv.Itoa(o.faults),
	}
}

// run plays the seeds, and says of each what its recording comes to. The error says that one has failed.
func run(ctx context.Context, o options, out io.Writer) (err error) {
	recordings := io.Discard
	if o.file != "" {
		var file *os.File
		if file, err = os.Create(o.file); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		recordings = file
	}
	program, err := build(ctx, simulation, "test", "-c")
	if err != nil {
		return err
	}
	m, err := newMachine(ctx, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close(ctx)) }()
	var failed []error
	for i := range uint64(o.seeds) {
		seed := o.from + i
		if err := m.play(ctx, o, seed, out, recordings); err != nil {
			failed = append(failed, fmt.Errorf("seed %d: %w", seed, err))
		}
	}
	return errors.Join(failed...)
}

var errFails = errors.New("it fails: its report stands in the recording; -o writes that")

// play plays one seed.
func (m *machine) play(ctx context.Context, o options, seed uint64, out, recordings io.Writer) error {
	first, well, err := m.run(ctx, o.chance, o.args(seed)...)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, first)
	}
	fmt.Fprintf(out, "seed %d, chance %d: %d lines, sha256 %x\n", seed, o.chance, bytes.Count(first, []byte("\n")), sha256.Sum256(first))
	if _, err := recordings.Write(first); err != nil {
		return err
	}
	if o.twice {
		again, _, err := m.run(ctx, o.chance, o.args(seed)...)
		if err != nil {
			return err
		}
		if err := same(first, again); err != nil {
			return err
		}
		fmt.Fprintf(out, "seed %d, chance %d: the same bytes again\n", seed, o.chance)
	}
	if !well {
		return errFails
	}
	return nil
}

// same says where two recordings differ.
func same(a, b []byte) error {
	if bytes.Equal(a, b) {
		return nil
	}
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return fmt.Errorf("line %d is %q, and then %q", i+1, x[i], y[i])
		}
	}
	return fmt.Errorf("there are %d lines, and then %d", len(x), len(y))
}
