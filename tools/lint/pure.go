package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// pureMark is the comment by which a file says that it is pure.
const pureMark = "//kbeat:pure"

// purePackages are those of the standard library in which the same call gives the same answer; what is banned of them is in impure.
var purePackages = []string{
	"bytes", "cmp", "context", "encoding", "encoding/binary", "encoding/hex", "encoding/json", "errors", "fmt", "hash", "hash/fnv", "iter", "maps", "math",
	"math/bits", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8",
}

// pure keeps the clock, chance, concurrency and the world out of the decisions: the same inputs give the same outputs, so
// that the same code runs in a goroutine, in a fleet, in virtual time, in a fuzzer and in a replay.
// It binds package fsm and all below it, and each file with the mark; heartbeat's core*.go must have the mark.
var pure = &analysis.Analyzer{
	Name: "pure",
	Doc:  "no clock, goroutine, lock, randomness, I/O or order of a map in what decides",
	Run: func(pass *analysis.Pass) (any, error) {
		isPure := map[string]bool{}
		for _, f := range pass.Files {
			name := pass.Fset.Position(f.Pos()).Filename
			isPure[name] = matches(pass.Pkg.Path(), []string{"fsm/..."}) || hasMark(f)
			core, _ := filepath.Match("core*.go", filepath.Base(name))
			if core && pass.Pkg.Path() == module+"/heartbeat" && !isPure[name] {
				pass.Reportf(f.Package, "a file of Core is pure, and says so: add %s below the package clause", pureMark)
			}
		}
		for _, f := range pass.Files {
			if isPure[pass.Fset.Position(f.Pos()).Filename] {
				c := purity{pass: pass, isPure: isPure, sorted: map[*ast.CallExpr]bool{}}
				ast.Inspect(f, c.visit)
			}
		}
		return nil, nil
	},
}

func hasMark(f *ast.File) bool {
	for _, group := range f.Comments {
		for _, c := range group.List {
			if c.Text == pureMark {
				return true
			}
		}
	}
	return false
}

// purity walks one pure file.
type purity struct {
	pass   *analysis.Pass
	isPure map[string]bool        // by file name
	sorted map[*ast.CallExpr]bool // iterators over maps whose order is lost in a sort
}

func (c *purity) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec:
		c.imported(n)
	case *ast.GoStmt:
		c.refuse(n, "starts a goroutine; return what is to be done as data")
	case *ast.SelectStmt:
		c.refuse(n, "waits; return what is to be done as data")
		return false // one finding is enough
	case *ast.SendStmt:
		c.refuse(n, "sends on a channel; return what is to be done as data")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			c.refuse(n, "receives from a channel; take the value as an input")
		}
	case *ast.ChanType:
		c.refuse(n, "has a channel; return what is to be done as data")
	case *ast.RangeStmt:
		c.ranged(n)
	case *ast.CallExpr:
		c.called(n)
	case *ast.Ident:
		c.used(n)
	}
	return true
}

func (c *purity) refuse(n ast.Node, what string) {
	c.pass.Reportf(n.Pos(), "a pure file %s", what)
}

func (c *purity) imported(n *ast.ImportSpec) {
	path, err := strconv.Unquote(n.Path.Value)
	if err != nil || slices.Contains(purePackages, path) || matches(path, []string{"fsm/...", "github.com/looplab/fsm"}) {
		return
	}
	c.refuse(n, "imports "+short(path)+", which is not known to be pure; if it is, add it to purePackages in tools/lint")
}

func (c *purity) ranged(n *ast.RangeStmt) {
	switch c.pass.TypesInfo.TypeOf(n.X).Underlying().(type) {
	case *types.Map:
		c.refuse(n, "ranges over a map, whose order differs from run to run; range over slices.Sorted(maps.Keys(m))")
	case *types.Chan:
		c.refuse(n, "receives from a channel; take the value as an input")
	}
}

func (c *purity) called(n *ast.CallExpr) {
	f, ok := typeutil.Callee(c.pass.TypesInfo, n).(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	switch f.Pkg().Path() {
	case "slices":
		if strings.HasPrefix(f.Name(), "Sorted") {
			if inner, ok := ast.Unparen(n.Args[0]).(*ast.CallExpr); ok {
				c.sorted[inner] = true
			}
		}
	case "maps":
		if slices.Contains([]string{"All", "Keys", "Values"}, f.Name()) && !c.sorted[n] {
			c.refuse(n, "iterates over a map, whose order differs from run to run; use slices.Sorted(maps.Keys(m))")
		}
	}
}

func (c *purity) used(n *ast.Ident) {
	obj := c.pass.TypesInfo.Uses[n]
	if obj == nil {
		return
	}
	if b, ok := obj.(*types.Builtin); ok && (b.Name() == "print" || b.Name() == "println") {
		c.refuse(n, "prints; return what is to be said")
	}
	if obj.Pkg() == nil {
		return
	}
	if why := impure(obj); why != "" {
		c.refuse(n, why)
	}
	if obj.Pkg() == c.pass.Pkg && runs(obj) {
		if file := c.pass.Fset.Position(obj.Pos()).Filename; !c.isPure[file] {
			c.refuse(n, "uses "+obj.Name()+" of "+filepath.Base(file)+", which does not say that it is pure; mark it too, or take what it gives as an input")
		}
	}
}

// runs reports whether obj does or holds something at run time, as types and constants do not.
func runs(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Func:
		recv := obj.Signature().Recv()
		return recv == nil || !types.IsInterface(recv.Type())
	case *types.Var:
		return obj.Parent() == obj.Pkg().Scope()
	}
	return false
}

// impure says what is wrong with something of a package that is otherwise pure, or "".
func impure(obj types.Object) string {
	if obj.Parent() != obj.Pkg().Scope() {
		return "" // a method or a field
	}
	name := obj.Name()
	switch obj.Pkg().Path() {
	case "time":
		_, constant := obj.(*types.Const)
		if !constant && !slices.Contains([]string{"Duration", "Time", "Month", "Weekday", "Date", "Unix", "UnixMilli", "UnixMicro", "ParseDuration"}, name) {
			return "uses time." + name + "; the time is an input"
		}
	case "fmt":
		if strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Fprint") || strings.Contains(strings.ToLower(name), "scan") {
			return "uses fmt." + name + ", which reads or writes; return what is to be said"
		}
	case "context":
		if strings.HasPrefix(name, "WithTimeout") || strings.HasPrefix(name, "WithDeadline") || name == "AfterFunc" {
			return "uses context." + name + ", which has a clock or a goroutine; the time is an input"
		}
	}
	return ""
}
