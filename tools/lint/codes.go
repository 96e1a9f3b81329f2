package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/go/analysis"
)

// errorCodes are the names of the codes that a broker can answer with, but for NONE.
func errorCodes(dir string) ([]string, error) {
	path := filepath.Join(dir, "spec", "catalogue", "kafka.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var catalogue struct{ Codes map[string]any }
	if err := yaml.Load(text, &catalogue); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var names []string
	for name := range catalogue.Codes {
		if name != "NONE" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no codes", path)
	}
	slices.Sort(names)
	return names, nil
}

// codes refuses the names of error codes in Go that people wrote: what a code means is a rule, and rules are in spec/.
// Success and the ways in which a request ends without an answer (CodeNone, CodeDisconnect, …) are not the broker's
// word: a transport says them. A simulated coordinator is a broker.
func codes(names []string) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name: "codes",
		Doc:  "error codes are named in the specification only",
		Run: func(pass *analysis.Pass) (any, error) {
			if matches(pass.Pkg.Path(), []string{"tools/catalogue/...", "tools/sim/...", "heartbeat/franz/..."}) {
				return nil, nil
			}
			for _, f := range pass.Files {
				if ast.IsGenerated(f) {
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					if name := codeNamed(pass.TypesInfo, names, n); name != "" {
						pass.Reportf(n.Pos(), "%s is named in Go: what a code means is a rule, and belongs into spec/", name)
					}
					return true
				})
			}
			return nil, nil
		},
	}
}

// codeNamed is the name of the error code that n names, or "".
func codeNamed(info *types.Info, names []string, n ast.Node) string {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.STRING {
			return ""
		}
		if s, err := strconv.Unquote(n.Value); err == nil && slices.Contains(names, s) {
			return s
		}
	case *ast.Ident:
		switch obj := info.Uses[n].(type) {
		case *types.Const:
			t, ok := obj.Type().(*types.Named)
			if !ok || t.Obj().Name() != "Code" || t.Obj().Pkg() == nil || !matches(t.Obj().Pkg().Path(), []string{"fsm/..."}) {
				return ""
			}
			// Numbers below -1 are not on the wire: they are given to the ends without an answer.
			if number, exact := constant.Int64Val(obj.Val()); exact && (number > 0 || number == -1) {
				return obj.Name()
			}
		case *types.Var:
			if obj.Pkg() != nil && strings.HasSuffix(obj.Pkg().Path(), "franz-go/pkg/kerr") && obj.Parent() == obj.Pkg().Scope() {
				return "kerr." + obj.Name()
			}
		}
	}
	return ""
}
