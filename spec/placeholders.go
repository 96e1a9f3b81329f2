package spec

import (
	"regexp"
	"slices"
)

// placeholders checks the names in braces of a text that a rule gives to an effect.
func (r *reader) placeholders(w word) {
	known := []string{"code", "api", "error", "member_id", "given"}
	for _, at := range regexp.MustCompile(`\{([^{}]*)\}`).FindAllStringSubmatchIndex(w.text, -1) {
		name := w.text[at[2]:at[3]]
		if !slices.Contains(known, name) {
			r.say(Parameter, w.place(at[0]), "there is no placeholder {%s}%s", name, near(name, known))
		}
	}
}
