package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// constantMakers are calls whose result nobody can change: their names are those of types.Func.FullName.
var constantMakers = []string{"errors.New", "fmt.Errorf", "regexp.MustCompile", "strings.NewReplacer"}

// state refuses what lives as long as the process: variables of a package that can change, init, and the global
// source of randomness. Two members in one process, or two tests, would share it.
//
// Allowed are values that nobody can change (see constantMakers), `var _ I = …`, embedded files, and unexported tables
// that their own package never writes to. Generated tables are held to the same by their generator's tests.
var state = &analysis.Analyzer{
	Name: "state",
	Doc:  "no mutable state of a package, no init, no global randomness",
	Run: func(pass *analysis.Pass) (any, error) {
		written := writtenVariables(pass)
		for _, f := range pass.Files {
			if ast.IsGenerated(f) {
				continue
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil && d.Name.Name == "init" {
						pass.Reportf(d.Pos(), "init runs in every program that imports the package, unasked; make a value where it is needed")
					}
				case *ast.GenDecl:
					if d.Tok == token.VAR {
						checkVariables(pass, d, written)
					}
				}
			}
			checkRandomness(pass, f)
		}
		return nil, nil
	},
}

func checkVariables(pass *analysis.Pass, d *ast.GenDecl, written map[types.Object]bool) {
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		for i, name := range spec.Names {
			obj := pass.TypesInfo.Defs[name]
			switch {
			case name.Name == "_", embedded(d, spec):
			case written[obj]:
				pass.Reportf(name.Pos(), "%s is state of the package: something writes to it; make it a field or a parameter", name.Name)
			case i < len(spec.Values) && len(spec.Values) == len(spec.Names) && unchangeable(pass, spec.Values[i], name.IsExported()):
			case name.IsExported():
				pass.Reportf(name.Pos(), "%s can be changed by every importer; export a function or a constant", name.Name)
			default:
				pass.Reportf(name.Pos(), "%s is a variable of the package whose value is made at run time; make it a field, a parameter or a constant", name.Name)
			}
		}
	}
}

func embedded(d *ast.GenDecl, spec *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{d.Doc, spec.Doc} {
		if doc != nil && slices.ContainsFunc(doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") }) {
			return true
		}
	}
	return false
}

// unchangeable reports whether a variable with this first value, which its own package never writes to, stays as it is.
// The tables of an exported variable could be written to from outside.
func unchangeable(pass *analysis.Pass, value ast.Expr, exported bool) bool {
	switch v := ast.Unparen(value).(type) {
	case *ast.CallExpr:
		f, ok := typeutil.Callee(pass.TypesInfo, v).(*types.Func)
		return ok && slices.Contains(constantMakers, f.FullName())
	case *ast.CompositeLit:
		return !exported
	case *ast.UnaryExpr:
		_, table := v.X.(*ast.CompositeLit)
		return table && v.Op == token.AND && !exported
	}
	return false
}

// writtenVariables are the variables of the package that it assigns to, in whole or in part, or whose address it takes.
func writtenVariables(pass *analysis.Pass) map[types.Object]bool {
	written := map[types.Object]bool{}
	write := func(e ast.Expr) {
		if root := rootOf(e); root != nil {
			written[pass.TypesInfo.Uses[root]] = true
		}
	}
	for _, f := range pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					for _, e := range n.Lhs {
						write(e)
					}
				}
			case *ast.IncDecStmt:
				write(n.X)
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					write(n.Key)
					write(n.Value)
				}
			case *ast.UnaryExpr:
				if n.Op == token.AND {
					write(n.X)
				}
			case *ast.CallExpr:
				if b, ok := typeutil.Callee(pass.TypesInfo, n).(*types.Builtin); ok && slices.Contains([]string{"clear", "copy", "delete"}, b.Name()) {
					write(n.Args[0])
				}
			}
			return true
		})
	}
	return written
}

// rootOf is the variable in which the place e lies, or nil.
func rootOf(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// checkRandomness refuses the functions of math/rand that draw from the source of the whole process.
func checkRandomness(pass *analysis.Pass, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
		if !ok || fn.Pkg() == nil || fn.Signature().Recv() != nil {
			return true
		}
		if path := fn.Pkg().Path(); (path == "math/rand" || path == "math/rand/v2") && !strings.HasPrefix(fn.Name(), "New") {
			pass.Reportf(id.Pos(), "rand.%s draws from the source of the whole process; take a seed, so that a run can be repeated", fn.Name())
		}
		return true
	})
}
