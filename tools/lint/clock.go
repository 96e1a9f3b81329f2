package main

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
)

// steady are the methods of time.Time that take what the monotonic clock says, where both times have it.
var steady = []string{"Add", "After", "Before", "Compare", "Equal", "IsZero", "Sub"}

// dated are the functions of package time that make a time without the monotonic clock.
var dated = []string{"Date", "Parse", "ParseInLocation", "Unix", "UnixMicro", "UnixMilli"}

// clock keeps the time of day out of the members: sessions, pauses and deadlines are differences of the monotonic clock, so
// that a wall clock which steps changes nothing.
var clock = &analysis.Analyzer{
	Name: "clock",
	Doc:  "no time of day in heartbeat/...",
	Run: func(pass *analysis.Pass) (any, error) {
		if !matches(pass.Pkg.Path(), []string{"heartbeat/..."}) {
			return nil, nil
		}
		for _, f := range pass.Files {
			ast.Inspect(f, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
				if !ok || fn.Pkg() == nil || fn.Pkg().Path() != "time" {
					return true
				}
				if tellsTimeOfDay(fn) {
					pass.Reportf(id.Pos(), "%s tells the time of day, which steps; take a difference of the monotonic clock, as time.Since does", fn.FullName())
				}
				return true
			})
		}
		return nil, nil
	},
}

// tellsTimeOfDay reports whether a function of package time reads the wall clock's part of a time, or makes one of it alone.
func tellsTimeOfDay(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil {
		return slices.Contains(dated, fn.Name())
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	return ok && named.Obj().Name() == "Time" && !slices.Contains(steady, fn.Name())
}
