package rewire

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/kbeat/kbeat/tools/overlay"
)

// silent are tests that say nothing of rules, or take long: of documents, of traces, and of the clock.
var silent = regexp.MustCompile(`^Test(SpecMutants|Main|Readme|Replay|Backoff|Jitter|SameInputs|Middle)`)

// comparisons are the files that compare with Kafka. They are steered one by one; what else is tested in them is comparing.
const comparisons = "oracle_"

// listTests adds a list of the tests that stand within the package, those of the Core, so that they can be called one after the
// other in one process. Those outside let whole members run, and one of their goroutines that panics would end the process.
func listTests(files overlay.Files) error {
	names, err := filepath.Glob(filepath.Join(Driven, "*_test.go"))
	if err != nil {
		return err
	}
	var tests []string
	for _, name := range names {
		if strings.HasPrefix(filepath.Base(name), comparisons) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			function, ok := d.(*ast.FuncDecl)
			if ok && f.Name.Name == "heartbeat" && function.Recv == nil && strings.HasPrefix(function.Name.Name, "Test") && !silent.MatchString(function.Name.Name) {
				tests = append(tests, fmt.Sprintf("{%q, %s}", function.Name.Name, function.Name.Name))
			}
		}
	}
	files[filepath.Join(Driven, "listed_test.go")] = fmt.Appendf(nil, "package heartbeat\n\nfunc init() { Tests = []namedTest{%s} }\n", strings.Join(tests, ", "))
	return nil
}
