package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// site is a place in the source and what could stand there instead.
type site struct {
	file       string
	line       int
	from, to   int // offsets
	kind, with string
}

func (s site) String() string { return fmt.Sprintf("%s:%d: %s: %s", s.file, s.line, s.kind, s.with) }

func kindOf(s site) string { return s.kind }

func (s site) apply(source []byte) []byte {
	return slices.Concat(source[:s.from], []byte(s.with), source[s.to:])
}

// finder collects the sites of one file.
type finder struct {
	fset   *token.FileSet
	source []byte
	sites  []site
	states []string       // the names of the machine's states
	rules  map[string]int // how many rules a table has
}

// findSites lists all places of a generated package's decisions, handlers and rows at which a change must be noticed.
func findSites(dir string) ([]site, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	parsed := map[string]*ast.File{}
	rules := map[string]int{}
	var states []string
	for _, name := range names {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed[name] = f
		states = append(states, statesOf(f)...)
		for name, table := range tablesOf(f) {
			rules[name] = len(table.Elts)
		}
	}
	var sites []site
	for _, name := range names {
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		fd := &finder{fset: fset, source: source, states: states, rules: rules}
		for _, d := range parsed[name].Decls {
			fd.declaration(d)
		}
		tables := tablesOf(parsed[name])
		for _, table := range slices.Sorted(maps.Keys(tables)) {
			ast.Inspect(tables[table], fd.row)
		}
		sites = append(sites, fd.sites...)
	}
	return sites, nil
}

// statesOf are the constants of type State that a file declares.
func statesOf(f *ast.File) []string {
	var out []string
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		if first, ok := decl.Specs[0].(*ast.ValueSpec); !ok || !isIdent(first.Type, "State") {
			continue
		}
		for _, s := range decl.Specs {
			out = append(out, s.(*ast.ValueSpec).Names[0].Name)
		}
	}
	return out
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// declaration looks at functions that decide and handle.
func (f *finder) declaration(d ast.Decl) {
	function, ok := d.(*ast.FuncDecl)
	switch {
	case !ok:
	case strings.HasPrefix(function.Name.Name, "Decide"), function.Name.Name == "Abandons":
		ast.Inspect(function.Body, f.decision)
	case strings.HasPrefix(function.Name.Name, "Handle"):
		ast.Inspect(function.Body, f.decision)
		ast.Inspect(function.Body, f.handling)
	}
}

// tablesOf are the tables of rules that a file declares, by name, and that of the requests' lifetimes.
func tablesOf(f *ast.File) map[string]*ast.CompositeLit {
	out := map[string]*ast.CompositeLit{}
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		for _, s := range decl.Specs {
			v := s.(*ast.ValueSpec)
			if len(v.Values) != 1 || !strings.HasSuffix(v.Names[0].Name, "Rules") && v.Names[0].Name != "lifetimes" {
				continue
			}
			if table, ok := v.Values[0].(*ast.CompositeLit); ok {
				out[v.Names[0].Name] = table
			}
		}
	}
	return out
}

func (f *finder) add(kind string, from, to token.Pos, with string) {
	p := f.fset.Position(from)
	f.sites = append(f.sites, site{p.Filename, p.Line, p.Offset, f.fset.Position(to).Offset, kind, with})
}

func (f *finder) text(n ast.Node) string {
	return string(f.source[f.fset.Position(n.Pos()).Offset:f.fset.Position(n.End()).Offset])
}

// decision finds conditions to negate, and rules to replace by the next one of the table.
func (f *finder) decision(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.add("condition negated", n.Cond.Pos(), n.Cond.End(), "!("+f.text(n.Cond)+")")
	case *ast.IndexExpr:
		table := f.text(n.X)
		if f.rules[table] < 2 {
			return false
		}
		f.add("another rule", n.Index.Pos(), n.Index.End(), fmt.Sprintf("(%s + 1) %% len(%s)", f.text(n.Index), table))
		return false
	}
	return true
}

// handling finds changes of the memory to leave out, and calls of the handler to leave out or to make twice.
func (f *finder) handling(n ast.Node) bool {
	if change, ok := n.(*ast.AssignStmt); ok {
		f.memory(change)
		return false
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isIdent(method.X, "h") {
		return true
	}
	f.add("call left out", call.Pos(), call.End(), "_ = h")
	f.add("call made twice", call.Pos(), call.End(), f.text(call)+"; "+f.text(call))
	for _, arg := range call.Args {
		if lit, ok := arg.(*ast.BasicLit); ok {
			f.add("another text", lit.Pos(), lit.End(), `"another text"`)
		}
	}
	return false
}

func (f *finder) memory(change *ast.AssignStmt) {
	field, ok := change.Lhs[0].(*ast.SelectorExpr)
	if !ok || !isIdent(field.X, "m") {
		return
	}
	value := change.Rhs[0]
	switch field.Sel.Name {
	case "State":
		f.add("memory in another state", value.Pos(), value.End(), f.otherState(f.text(value)))
	case "Flags":
		f.add("flags as they were", value.Pos(), value.End(), "0")
	}
}

// row finds what a rule says: the way, the effects, the flags and the timers, the result; and how long a request waits.
func (f *finder) row(n ast.Node) bool {
	field, ok := n.(*ast.KeyValueExpr)
	if !ok {
		return true
	}
	key, ok := field.Key.(*ast.Ident)
	if !ok {
		return true
	}
	v := field.Value
	switch key.Name {
	case "To", "From":
		for _, e := range v.(*ast.CompositeLit).Elts {
			f.add("another state", e.Pos(), e.End(), f.otherState(f.text(e)))
		}
	case "Effect":
		f.add("another effect", v.Pos(), v.End(), f.text(v)+" + 1")
	case "Text":
		f.add("another text", v.Pos(), v.End(), `"another text"`)
	case "Sets", "Clears", "Starts", "Forgets":
		f.add("other "+strings.ToLower(key.Name), v.Pos(), v.End(), "0")
	case "Result":
		f.add("another result", v.Pos(), v.End(), f.text(v)+" - 1")
	case "Setting":
		f.add("another setting", v.Pos(), v.End(), `"another setting"`)
	case "Choice":
		f.add("another choice", v.Pos(), v.End(), f.text(v)+" ^ 3")
	case "Over", "Plus":
		f.add("another length", v.Pos(), v.End(), f.text(v)+" + 1")
	default:
		return true // what it has is in other rows
	}
	return false
}

func (f *finder) otherState(name string) string {
	return f.states[(slices.Index(f.states, name)+1)%len(f.states)]
}
