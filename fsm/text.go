package fsm

import "strings"

// Text is the parameter of an effect: a template whose placeholders stand in braces, "encountered {code} from {api} response".
// It is handed on as it was written, so that nothing is allocated where nobody reads it.
type Text string

// Expand replaces each placeholder by what value returns for its name. Braces that enclose no name stay as they are.
func (t Text) Expand(value func(placeholder string) string) string {
	var out strings.Builder
	rest := string(t)
	for {
		before, after, open := strings.Cut(rest, "{")
		name, behind, closed := strings.Cut(after, "}")
		if !open || !closed {
			out.WriteString(rest)
			return out.String()
		}
		out.WriteString(before)
		if isName(name) {
			out.WriteString(value(name))
			rest = behind
		} else {
			out.WriteByte('{')
			rest = after
		}
	}
}

// isName tells a placeholder from braces in prose: small letters, digits and underscores, a letter first.
func isName(s string) bool {
	for i, r := range s {
		if !('a' <= r && r <= 'z' || i > 0 && (r == '_' || '0' <= r && r <= '9')) {
			return false
		}
	}
	return s != ""
}
