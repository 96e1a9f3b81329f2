// Command lint holds the code to the rules of the house that neither the compiler nor a common linter knows: which
// package may import which, what must be pure, where the protocol's codes may be named, no package-level state, no time of day
// in a member, and no large files. `make check` runs it:
//
//	go run ./tools/lint
//
// prints what breaks a rule, with the rule's reason, and exits with 1; notes alone exit with 0, a wrong
// command line with 64, and an output that cannot be written with 74. It never changes a file.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/kbeat/kbeat/tools/commandline"
)

// module is the path of the module that the rules are about.
const module = "github.com/kbeat/kbeat"

func main() {
	if err := commandline.Parse(flag.CommandLine, os.Args[1:], commandline.NoArguments); err != nil {
		os.Exit(commandline.ExitCode(err))
	}
	os.Exit(commandline.Run("lint", os.Stdout, os.Stderr, func(out io.Writer) error {
		found, err := run(".")
		for _, f := range found {
			fmt.Fprintln(out, f)
		}
		if err == nil && broken(found) {
			return commandline.ErrSaid
		}
		return err
	}))
}

// run checks the module whose root is dir.
func run(dir string) ([]finding, error) {
	names, err := errorCodes(dir)
	if err != nil {
		return nil, err
	}
	found, err := checkPackages(dir, []*analysis.Analyzer{layers, pure, state, clock, codes(names)})
	if err != nil {
		return found, err
	}
	tracked, err := trackedFiles(dir)
	if err != nil {
		return found, err
	}
	more, err := checkFiles(os.DirFS(dir), tracked)
	return append(found, more...), err
}

// checkPackages runs the analyzers over what is compiled; tests may do as they like.
func checkPackages(dir string, analyzers []*analysis.Analyzer) ([]finding, error) {
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir}, "./...")
	if err != nil {
		return nil, err
	}
	if n := packages.PrintErrors(pkgs); n > 0 {
		return nil, fmt.Errorf("%d errors above: the module does not compile", n)
	}
	graph, err := checker.Analyze(analyzers, pkgs, nil)
	if err != nil {
		return nil, err
	}
	var found []finding
	for _, action := range graph.Roots {
		if action.Err != nil {
			return nil, action.Err
		}
		for _, d := range action.Diagnostics {
			p := action.Package.Fset.Position(d.Pos)
			found = append(found, finding{file: relative(dir, p.Filename), line: p.Line, rule: action.Analyzer.Name, text: d.Message})
		}
	}
	return sorted(found), nil
}
