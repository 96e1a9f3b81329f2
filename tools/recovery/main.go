// Command recovery measures how consumers come back after their coordinator has failed. Three real brokers of Apache Kafka;
// groups of kbeat, of Apache Kafka's Java consumer and of franz-go's, with equal numbers of members and equal settings, side by
// side in one cluster, all with the same coordinator; and a fault of that coordinator. It prints a table and fails where kbeat
// does worse than Java's consumer:
//
//	recovery [-quick] [-faults sigkill,stop10,stop60,cut60] [-members 3] [-repetitions 5] [-broker-session 9s] [-o FILE] [-logs FOLDER]
//
// It needs Java 17 and Maven. It exits with 1 where a gate fails or the run does, 64 where it is called wrongly, and 74 where a
// file cannot be written. All traffic is on 127.0.0.1, and whatever it starts ends with it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/kbeat/kbeat/tools/commandline"
)

type options struct {
	quick       bool
	faults      string // ids, with commas between; "": as quick says
	members     int
	repetitions int
	silence     time.Duration
	output      string // file for the table; "": standard output only
	logs        string // folder; "": none are kept
}

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "only SIGKILL and the stop for 60 s, with a session of 20 s, once each")
	flag.StringVar(&o.faults, "faults", "", "only these, with commas between: "+strings.Join(faultIDs(allFaults), ", "))
	flag.IntVar(&o.members, "members", 3, "members of each group")
	flag.IntVar(&o.repetitions, "repetitions", 5, "how often each fault is injected (with -quick: 1)")
	flag.DurationVar(&o.silence, "broker-session", 9*time.Second, "broker.session.timeout.ms: after it a silent broker is replaced as coordinator")
	flag.StringVar(&o.output, "o", "", "write the table to this `file`, with its date")
	flag.StringVar(&o.logs, "logs", "", "keep events, logs and brokers' files in this `folder`, in a new one for each repetition")
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], o.check); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := commandline.Run("recovery", os.Stdout, os.Stderr, func(out io.Writer) error { return run(ctx, o, out) })
	stop()
	os.Exit(code)
}

// check refuses what cannot be measured or kept, before minutes have passed.
func (o *options) check(args []string) error {
	switch {
	case o.members < 1 || o.members > partitions:
		return fmt.Errorf("-members=%d: 1 to %d, the number of partitions", o.members, partitions)
	case o.repetitions < 1:
		return fmt.Errorf("-repetitions=%d: at least 1", o.repetitions)
	case o.silence < 3*time.Second || o.silence > time.Minute:
		return fmt.Errorf("-broker-session=%s: 3s to 1m", o.silence)
	}
	if _, err := o.chosen(allFaults); err != nil {
		return err
	}
	if o.output != "" {
		if err := commandline.Folder("o", filepath.Dir(o.output)); err != nil {
			return err
		}
	}
	if o.logs != "" {
		if err := commandline.Folder("logs", o.logs); err != nil {
			return err
		}
	}
	return commandline.NoArguments(args)
}

// run measures, prints the table, and returns the gates that failed.
func run(ctx context.Context, o options, out io.Writer) error {
	p := newPlan(o)
	fmt.Fprintf(out, "%s\n", p)
	var samples []sample
	var failed error
	for n := range p.repetitions {
		for _, f := range p.faults {
			began := time.Now()
			s, err := repeat(ctx, f, n+1, p.groups(f), p.silence, logsOf(o.logs, f, n+1, 1))
			for try := 2; try <= tries && errors.Is(err, errMoved); try++ {
				s, err = repeat(ctx, f, n+1, p.groups(f), p.silence, logsOf(o.logs, f, n+1, try))
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s, repetition %d: %w", f.name, n+1, err))
				fmt.Fprintf(out, "%s, %d of %d: failed: %v\n", f.name, n+1, p.repetitions, err)
			} else {
				samples = append(samples, s...)
				fmt.Fprintf(out, "%s, %d of %d: measured in %s\n", f.name, n+1, p.repetitions, time.Since(began).Round(time.Second))
			}
		}
	}
	rows := summarize(samples)
	missed := gates(rows)
	text := table(rows) + "\n" + verdict(missed)
	fmt.Fprintf(out, "\n%s", text)
	if o.output != "" && failed == nil {
		if err := os.WriteFile(o.output, []byte(document(p, time.Now(), text)), 0o644); err != nil {
			return commandline.Fail(commandline.ExitIO, err)
		}
	}
	if len(missed) > 0 {
		failed = errors.Join(failed, fmt.Errorf("%d gates failed; the table says which", len(missed)))
	}
	return failed
}

// tries is how often a repetition is begun at most, whose coordinators have moved before its fault.
const tries = 3

func logsOf(folder string, f fault, n, try int) string {
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, fmt.Sprintf("%s-%d-%d", f.id, n, try))
}
