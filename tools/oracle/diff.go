package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kbeat/kbeat/tools/commandline"
)

func diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff --kafka VERSION [PROGRAM…]",
		Short: "Print what another version of Kafka does else",
		Long: "Print what another version of Kafka does else than the facts say: each change once, with the number of facts that have it, and\n" +
			"what was asked in them. Where Kafka's classes are others in that version, so that a program cannot be compiled or run, it says so.",
		Args: arePrograms,
	}
	dir := dirFlag(cmd)
	version := cmd.Flags().String("kafka", "", "the version, such as 4.2.1 (required)")
	if err := cmd.MarkFlagRequired("kafka"); err != nil {
		panic(err) // the flag was declared one line above
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *version == "" || strings.Trim(*version, "0123456789.") != "" {
			return fmt.Errorf("--kafka %q: a version is numbers and dots, such as 4.2.1", *version)
		}
		return diff(cmd.Context(), programsNamed(args), *version, *dir, cmd.OutOrStdout())
	}
	return cmd
}

// diff prints how another version differs, program by program. Programs that cannot ask it are an error at the end.
func diff(ctx context.Context, all []program, version, dir string, out io.Writer) error {
	o, err := newOracle(ctx, version)
	if err != nil {
		return commandline.Fail(commandline.ExitFailed, err)
	}
	defer o.release()

	able, lacks := o.compilable(ctx, all)
	if err := ctx.Err(); err != nil {
		return commandline.Fail(commandline.ExitFailed, err)
	}
	fmt.Fprint(out, lacks.report(version))
	unable := len(all) - len(able)
	for _, a := range o.askEach(ctx, able, io.Discard) {
		if a.err != nil {
			unable++
			fmt.Fprintf(out, "%s: Kafka %s cannot be asked: the program ends\n\t%s\n", a.program.name, version, a.err)
			continue
		}
		there, err := unpack(filepath.Join(dir, a.program.file()))
		if err != nil {
			return commandline.Fail(commandline.ExitIO, err)
		}
		said, err := compareFacts(a.program, there, a.facts)
		if err != nil {
			return commandline.Fail(commandline.ExitFailed, err)
		}
		fmt.Fprint(out, said)
	}
	if unable > 0 {
		return commandline.Fail(commandline.ExitFailed, fmt.Errorf("%d of %d programs cannot ask Kafka %s, whose classes are others", unable, len(all), version))
	}
	return nil
}

// compilable compiles the programs, each for itself where that does not go for all of them. It returns those that can run, and
// why the others cannot.
func (o *oracle) compilable(ctx context.Context, all []program) (able []program, lacks missing) {
	if o.compile(ctx, all...) == nil {
		return all, nil
	}
	for _, p := range all {
		if err := o.compile(ctx, p); err != nil {
			lacks.add(p, err.Error())
			continue
		}
		able = append(able, p)
	}
	return able, lacks
}

// compareFacts says in which facts two versions of Kafka differ.
func compareFacts(p program, there, asked []byte) (string, error) {
	ours, err := readHead(there)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.file(), err)
	}
	theirs, err := readHead(asked)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.class, err)
	}
	was, err := readSheet(p, there)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.file(), err)
	}
	is, err := readSheet(p, asked)
	if err != nil {
		return "", fmt.Errorf("%s: %w", p.class, err)
	}
	found, same := was.against(is, ours.Kafka, theirs.Kafka)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: Kafka %s has %d facts, Kafka %s has %d; %d are the same\n", p.name, ours.Kafka, *ours.Facts, theirs.Kafka, *theirs.Facts, same)
	for _, g := range found {
		fmt.Fprintf(&b, "\t%d: %s\n\t\t%s\n", len(g.questions), g.change, was.summary(is, g.questions))
	}
	if len(found) == 0 && same != *ours.Facts {
		return "", errors.New(p.name + ": facts were lost in the comparison")
	}
	return b.String(), nil
}
