package gen

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kbeat/kbeat/spec"
)

// initialisms are written in capitals, as Go does.
const initialisms = " acl api http id io ip ok rpc url uuid "

// goName is the exported Go name of a name in a specification. Words are what stands between signs, each with a capital;
// a word in capitals loses all but the first, one in mixed case keeps them: PREPARING_REBALANCE, Req-Sent, and FindCoordinator
// become PreparingRebalance, ReqSent and FindCoordinator. A plus, and a minus at the end, are spelt: TO+ and TO- become
// ToPlus and ToMinus.
func goName(name string) string {
	if bare, ok := strings.CutSuffix(name, "-"); ok {
		name = bare + "_minus"
	}
	name = strings.ReplaceAll(name, "+", "_plus")
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.ToUpper(word) == word {
			word = strings.ToLower(word)
		}
		if strings.Contains(initialisms, " "+word+" ") {
			word = strings.ToUpper(word)
		}
		first, size := utf8.DecodeRuneInString(word)
		out.WriteString(string(unicode.ToUpper(first)) + word[size:])
	}
	return out.String()
}

// words splits a Go name: FindCoordinator, MemberID and APIVersions are Find Coordinator, Member ID and API Versions.
func words(goName string) []string {
	var out []string
	start := 0
	for i := 1; i < len(goName); i++ {
		upper := isUpper(goName[i])
		if upper && (!isUpper(goName[i-1]) || i+1 < len(goName) && !isUpper(goName[i+1])) {
			out = append(out, goName[start:i])
			start = i
		}
	}
	return append(out, goName[start:])
}

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

// snake is the name of the file for a Go name: FindCoordinator becomes find_coordinator.
func snake(goName string) string { return strings.ToLower(strings.Join(words(goName), "_")) }

// lowerFirst is the unexported form of a Go name.
func lowerFirst(goName string) string {
	first := words(goName)[0]
	return strings.ToLower(first) + goName[len(first):]
}

// scope holds the names of one place in which Go wants each only once: the package, the methods of a type, the fields of a struct.
type scope struct {
	file   string
	owners map[string]string
	wrong  []problem
}

// problem is something that cannot be named in Go, or not as it is; or a rule that cannot be carried out.
type problem struct {
	pos  spec.Pos
	text string
}

func newScope(file string) *scope { return &scope{file: file, owners: map[string]string{}} }

// reserve keeps names that the generated code has of its own.
func (s *scope) reserve(names ...string) {
	for _, n := range names {
		s.owners[n] = "a name of the generated code"
	}
}

// free reports whether nobody has one of the names, and no two of them are the same.
func (s *scope) free(names []string) bool {
	seen := map[string]bool{}
	for _, n := range names {
		if s.owners[n] != "" || seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// claim takes a name for what stands at pos, and remembers that it is wrong where that cannot be.
func (s *scope) claim(name, what string, pos spec.Pos) string {
	switch other := s.owners[name]; {
	case !token.IsIdentifier(name):
		s.fail(pos, "%s cannot become a Go name (%q): begin it with a letter", what, name)
	case other != "":
		s.fail(pos, "%s becomes the Go name %s, which is %s: rename it", what, name, other)
	default:
		s.owners[name] = fmt.Sprintf("that of %s (line %d)", what, pos.Line)
	}
	return name
}

func (s *scope) fail(pos spec.Pos, format string, args ...any) {
	s.wrong = append(s.wrong, problem{pos, fmt.Sprintf(format, args...)})
}

// err joins all that is wrong, in the order of the text.
func (s *scope) err() error {
	slices.SortStableFunc(s.wrong, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col))
	})
	var errs []error
	for _, w := range s.wrong {
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", s.file, w.pos.Line, w.pos.Col, w.text))
	}
	return errors.Join(errs...)
}
