package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/kbeat/kbeat/tools/commandline"
	"github.com/kbeat/kbeat/tools/sim/judge"
	"github.com/kbeat/kbeat/tools/sim/world"
)

// show shows a failure, with the fewest disturbances that it needs, and writes the trace of the member that has failed.
func show(out io.Writer, plan world.Plan, size world.Size, options world.Options, v judge.Violation, dir string) error {
	s, err := world.Shrink(plan, options, v)
	if err != nil {
		return err
	}
	only := make([]string, len(s.Acts))
	for i, a := range s.Acts {
		only[i] = fmt.Sprint(a)
	}
	fmt.Fprintf(out, "seed %d: %s\n", plan.Seed, v)
	fmt.Fprintf(out, "  by %d of its %d acts, found in %d runs: go run ./tools/sim seed %d --minutes %g --members %d-%d --only %s\n",
		len(s.Acts), len(plan.Acts), s.Runs, plan.Seed, size.Length.Minutes(), size.Fewest, size.Most, strings.Join(only, ","))
	for _, a := range s.Acts {
		fmt.Fprintf(out, "  %3d %s\n", a, plan.Acts[a])
	}
	fmt.Fprint(out, s.Violation.Story())
	return trace(out, plan.Only(s.Acts), options, s.Violation, dir)
}

// trace writes the trace of the member that a violation is about; of the last one that was seen before it, where it is about
// the group.
func trace(out io.Writer, plan world.Plan, options world.Options, v judge.Violation, dir string) error {
	member := v.Member
	for _, e := range v.Around {
		if v.Member == "" && e.Member != "" {
			member = e.Member
		}
	}
	if member == "" {
		fmt.Fprintln(out, "  no member was seen, so there is no trace")
		return nil
	}
	var lines bytes.Buffer
	options.Until, options.Trace = v.At, func(name string) io.Writer {
		if name == member {
			return &lines
		}
		return nil
	}
	if _, err := world.Run(plan, options); err != nil {
		return err
	}
	path := filepath.Join(dir, fmt.Sprintf("sim-%d-%s.ndjson", plan.Seed, member))
	if err := os.WriteFile(path, lines.Bytes(), 0o666); err != nil {
		return commandline.Fail(commandline.ExitIO, err)
	}
	fmt.Fprintf(out, "  what %s was told, exactly: go run ./tools/kbeat replay %s\n", member, path)
	return nil
}
