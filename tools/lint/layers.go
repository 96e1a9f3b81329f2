package main

import (
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// ban keeps packages from importing others. Patterns are import paths, or relative to the module where their first
// element has no dot; "x/..." is x and all below it.
type ban struct {
	in     []string // whom it binds
	except []string // of in
	from   []string // what they must not import; "*": everything outside the standard library
	but    []string // of from
	why    string
}

// bans are the layers: the arrows of spec -> gen -> fsm -> heartbeat -> heartbeat/franz go one way.
var bans = []ban{
	{
		in: []string{"spec/..."}, from: []string{"*"}, but: []string{"spec/...", "go.yaml.in/yaml/v4/..."},
		why: "a specification is data; what reads it knows nothing of generated code, of Kafka or of a network",
	},
	{
		in: []string{"gen/..."}, from: []string{"fsm/...", "heartbeat/...", "github.com/twmb/franz-go/...", "github.com/looplab/fsm"},
		why: "the generator serves every machine, so it knows nothing of a certain one nor of what runs it",
	},
	{
		in: []string{"fsm/..."}, from: []string{"*"}, but: []string{"fsm/...", "github.com/looplab/fsm"},
		why: "what is generated comes into every user's build: the standard library, looplab/fsm, and nothing else",
	},
	{
		in: []string{"heartbeat/..."}, from: []string{"spec/...", "gen/..."},
		why: "the loop drives generated decisions; a specification read at run time would be a second truth",
	},
	{
		in: []string{"heartbeat/..."}, from: []string{"github.com/looplab/fsm"},
		why: "looplab/fsm stands behind the generated Machine, whose wrapper keeps its hazards in",
	},
	{
		in: []string{"spec/...", "gen/...", "fsm/...", "heartbeat/..."}, except: []string{"heartbeat/franz/..."}, from: []string{"github.com/twmb/franz-go/..."},
		why: "the wire is a Transport's business; only heartbeat/franz knows franz-go, so that anyone can bring another",
	},
	{
		in: []string{"..."}, except: []string{"tools/..."}, from: []string{"tools/..."},
		why: "tools are commands; nothing is built on them",
	},
	{
		in: []string{"..."}, except: []string{"tools/..."}, from: []string{"github.com/spf13/..."},
		why: "a library has no command line",
	},
	{
		in: []string{"..."}, except: []string{"tools/..."},
		from: []string{"github.com/stretchr/testify/...", "github.com/cockroachdb/datadriven/...", "pgregory.net/rapid/...", "go.uber.org/goleak/...", "github.com/rogpeppe/go-internal/..."},
		why:  "libraries for tests would come into every user's build",
	},
	{
		in: []string{"..."}, from: []string{"gopkg.in/yaml.v3", "gopkg.in/yaml.v2"},
		why: "nobody maintains it; use go.yaml.in/yaml/v4",
	},
}

// layers keeps the arrows between packages going one way.
var layers = &analysis.Analyzer{
	Name: "layers",
	Doc:  "which package may import which",
	Run: func(pass *analysis.Pass) (any, error) {
		for _, f := range pass.Files {
			for _, spec := range f.Imports {
				path, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					return nil, err
				}
				for _, b := range bans {
					if b.forbids(pass.Pkg.Path(), path) {
						pass.Reportf(spec.Pos(), "%s must not import %s: %s", short(pass.Pkg.Path()), short(path), b.why)
					}
				}
			}
		}
		return nil, nil
	},
}

func (b ban) forbids(importer, imported string) bool {
	return matches(importer, b.in) && !matches(importer, b.except) && matches(imported, b.from) && !matches(imported, b.but)
}

func matches(path string, patterns []string) bool {
	for _, p := range patterns {
		if p == "*" {
			if strings.Contains(firstElement(path), ".") {
				return true
			}
			continue
		}
		if !strings.Contains(firstElement(strings.TrimSuffix(p, "...")), ".") {
			p = module + "/" + p
		}
		tree, whole := strings.CutSuffix(p, "/...")
		if path == tree || whole && strings.HasPrefix(path, tree+"/") {
			return true
		}
	}
	return false
}

func firstElement(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// short is a path as people of this module name the package.
func short(path string) string { return strings.TrimPrefix(path, module+"/") }
