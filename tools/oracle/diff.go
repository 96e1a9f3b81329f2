package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func diffCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff --kafka VERSION",
		Short: "Print what another version of Kafka does else",
		Long: "Print what another version of Kafka does else than the facts say: each change once, with the number of facts that have it, and\n" +
			"what was asked in them. Where Kafka's classes are others in that version, so that a program cannot be compiled or run, it says so.",
		Args: cobra.NoArgs,
	}
	dir := dirFlag(cmd)
	version := cmd.Flags().String("kafka", "", "the version, such as 4.2.1 (required)")
	if err := cmd.MarkFlagRequired("kafka"); err != nil {
		panic(err) // the flag was declared one line above
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version == "" || strings.Trim(*version, "0123456789.") != "" {
			return fmt.Errorf("--kafka %q: a version is numbers and dots, such as 4.2.1", *version)
		}
		return diff(cmd.Context(), *version, *dir, cmd.OutOrStdout())
	}
	return cmd
}

// diff prints how another version differs, program by program. Programs that cannot ask it are an error at the end.
func diff(ctx context.Context, version, dir string, out io.Writer) error {
	o, err := newOracle(ctx, version)
	if err != nil {
		return fail(exitDiffers, err)
	}
	defer o.release()

	able, unable := o.compilable(ctx, programs())
	for _, p := range programs() {
		if err := unable[p.name]; err != nil {
			fmt.Fprintf(out, "%s: Kafka %s cannot be asked: its classes have not what %s needs\n\t%s\n", p.name, version, p.class, indent(err))
		}
	}
	for _, p := range able {
		if err := ctx.Err(); err != nil {
			return fail(exitDiffers, err)
		}
		there, err := unpack(filepath.Join(dir, p.file()))
		if err != nil {
			return fail(exitIO, err)
		}
		asked, err := o.ask(ctx, p)
		if err != nil {
			unable[p.name] = err
			fmt.Fprintf(out, "%s: Kafka %s cannot be asked: the program ends\n\t%s\n", p.name, version, indent(err))
			continue
		}
		said, err := compareFacts(p, there, asked)
		if err != nil {
			return fail(exitDiffers, err)
		}
		fmt.Fprint(out, said)
	}
	if len(unable) > 0 {
		return fail(exitDiffers, fmt.Errorf("%d of %d programs cannot ask Kafka %s; the others have been compared", len(unable), len(programs()), version))
	}
	return nil
}

func indent(err error) string { return strings.ReplaceAll(err.Error(), "\n", "\n\t") }

// compilable compiles the programs, each for itself where that does not go for all of them, and returns those that can run and
// why the others cannot.
func (o *oracle) compilable(ctx context.Context, all []program) (able []program, unable map[string]error) {
	unable = map[string]error{}
	if o.compile(ctx, all...) == nil {
		return all, unable
	}
	for _, p := range all {
		if err := o.compile(ctx, p); err != nil {
			unable[p.name] = err
			continue
		}
		able = append(able, p)
	}
	return able, unable
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
