// Package rewire has the tests of fsm/classic and heartbeat compiled so that an interpreter decides in the place of generated
// code: by a specification that is read at run time, and can be exchanged. The environment names it in KBEAT_SPECIFICATION; by
// default it is the one that fsm/classic was generated from.
package rewire

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kbeat/kbeat/tools/overlay"
)

// Where the parts stand, seen from the root of the repository.
const (
	Specification = "spec/classic.yaml"
	Generated     = "fsm/classic"
	Driven        = "heartbeat"
)

// Tag is what the binaries must be compiled with.
const Tag = "specmutants"

// inside is what is compiled into the packages.
//
//go:embed inside/classic/*.go inside/heartbeat/*.go
var inside embed.FS

// Files are those of fsm/classic and heartbeat in which an interpreter decides in the place of generated code, and in which
// comparisons can be told which facts to look at.
func Files() (overlay.Files, error) {
	files := overlay.Files{}
	for _, p := range []struct {
		dir, in string
		renamed func(*ast.FuncDecl) string // what stands in the place of a function; "" for what stays
	}{
		{Generated, "inside/classic", interpreted},
		{Driven, "inside/heartbeat", steered},
	} {
		names, err := filepath.Glob(filepath.Join(p.dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			changed, err := rename(name, source, p.renamed)
			if err != nil {
				return nil, err
			}
			if changed != nil {
				files[name] = changed
			}
		}
		if err := addInside(files, p.in, p.dir); err != nil {
			return nil, err
		}
	}
	if err := listTests(files); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(Specification)
	if err != nil {
		return nil, err
	}
	files[filepath.Join(Generated, "generated_from.go")] = fmt.Appendf(nil, "package classic\n\nconst generatedFrom = %s\n", strconv.Quote(path))
	return files, nil
}

func addInside(files overlay.Files, from, to string) error {
	entries, err := inside.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := inside.ReadFile(from + "/" + e.Name())
		if err != nil {
			return err
		}
		files[filepath.Join(to, e.Name())] = text
	}
	return nil
}

// rename lets functions go by another name, and puts others in their place. It returns nil where nothing changes.
func rename(name string, source []byte, replacement func(*ast.FuncDecl) string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	out, added, from := "", "", 0
	for _, d := range f.Decls {
		function, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		body := replacement(function)
		if body == "" {
			continue
		}
		at := fset.Position(function.Name.Pos()).Offset
		signature := string(source[fset.Position(function.Pos()).Offset:fset.Position(function.Body.Pos()).Offset])
		added += "\n" + signature + "{ " + body + " }\n"
		out += string(source[from:at]) + "original"
		from = at
	}
	if from == 0 {
		return nil, nil
	}
	return []byte(out + string(source[from:]) + added), nil
}

// interpreted asks the interpreter.
func interpreted(f *ast.FuncDecl) string {
	name := f.Name.Name
	input, decides := strings.CutPrefix(name, "Decide")
	if !decides {
		input, _ = strings.CutPrefix(name, "Handle")
	}
	switch {
	case f.Recv == nil && name == "Initial":
		return "return running.initial"
	case f.Recv == nil && name == "Rules":
		return "return slices.Clone(running.rules)"
	case f.Recv == nil && name == "check": // what is interpreted allocates
		return "require.Empty(t, s.differences(newMachine(t)))"
	case f.Recv != nil && name == "Retriable" && receiver(f) == "ErrorName":
		return "return running.retriable[e]"
	case f.Recv == nil && name == "Abandons":
		return "return running.abandons(" + point(f, "i", "m") + ")"
	case f.Recv != nil || input == name || !returnsRule(f):
		return ""
	case decides:
		return "return running.decide(" + point(f, "Input"+input, "m") + ")"
	default:
		return "return running.handle(" + point(f, "Input"+input, "*m") + ", m, h)"
	}
}

// point is the literal of what a function is asked at.
func point(f *ast.FuncDecl, input, memory string) string {
	out := "Point{Input: " + input + ", Memory: " + memory
	for _, p := range f.Type.Params.List {
		switch p.Names[0].Name {
		case "c":
			out += ", Code: c"
		case "g":
			out += ", Guards: g"
		}
	}
	return out + "}"
}

func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, _ := t.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name
}

func returnsRule(f *ast.FuncDecl) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	star, ok := f.Type.Results.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	id, ok := star.X.(*ast.Ident)
	return ok && id.Name == "Rule"
}

// steered asks which specification decides and which facts to look at, and passes on what comes out.
func steered(f *ast.FuncDecl) string {
	var args []string
	for _, p := range f.Type.Params.List {
		for _, n := range p.Names {
			args = append(args, n.Name)
		}
	}
	all := strings.Join(args, ", ")
	switch {
	case f.Recv == nil && f.Name.Name == "specification":
		return "return classic.Specification()"
	case f.Recv == nil && f.Name.Name == "bothWays":
		return "return steeredFacts(\"cells both ways\", func() []cellFact { return originalbothWays(" + all + ") })"
	case f.Recv == nil && f.Name.Name == "readFacts":
		return "return steeredFacts(" + args[1] + ", func() []F { return originalreadFacts[F](" + all + ") })"
	case f.Recv == nil && f.Name.Name == "newKafkaExceptions":
		return "return steeredExceptions(originalnewKafkaExceptions)"
	case f.Recv != nil && f.Name.Name == "compare" && receiver(f) == "oracleTally":
		return "steeredCompare(c, " + all + ")"
	}
	return ""
}
