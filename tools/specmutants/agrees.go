package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/kbeat/kbeat/tools/rewire"
)

// agrees holds the interpreter against what it stands for: in every cell it decides and does what the generated code does, as
// the generated tests of fsm/classic see it (tools/mutants shows that they notice whatever is otherwise), and with it all tests
// of heartbeat pass. Only TestSpecMutants is left out: it is what tries the mutants.
func agrees(ctx context.Context, work string) error {
	for dir, args := range map[string][]string{
		rewire.Generated: {"-test.run", "^Test"},
		rewire.Driven:    {"-test.run", "^Test", "-test.skip", "^TestSpecMutants$"},
	} {
		cmd := exec.CommandContext(ctx, filepath.Join(work, binaries[dir]), args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("what is read at run time does not decide as what is generated, by the tests of %s: %w\n%s", dir, err, out)
		}
	}
	return nil
}
