package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fsmgen": main})
}

// TestScripts runs testdata/*.txtar; `status N COMMAND` wants an exit code.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Condition: func(condition string) (bool, error) {
			// tmpfs: this process may mount a disk that is soon full.
			return condition == "tmpfs" && exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/tmp").Run() == nil, nil
		},
		Setup: func(env *testscript.Env) error {
			here, err := filepath.Abs(".")
			env.Setenv("MACHINES", filepath.Join(here, "..", "..", "spec", "testdata", "machines"))
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": status},
	})
}
