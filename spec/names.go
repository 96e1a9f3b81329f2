package spec

import (
	"cmp"
	"slices"
	"strings"
)

// kind is what a name of the machine stands for; in messages, too.
type kind string

const (
	stateKind    kind = "state"
	groupKind    kind = "group"
	identityKind kind = "identity"
	flagKind     kind = "flag"
	guardKind    kind = "guard"
	questionKind kind = "question"
	timerKind    kind = "timer"
	effectKind   kind = "effect"
	errorKind    kind = "error"
	responseKind kind = "response"
	loopKind     kind = "loop"
	eventKind    kind = "event"
	resultKind   kind = "result" // of a group; several groups may have one of the same name
)

// article is the kind as part of a sentence.
func (k kind) article() string {
	if strings.ContainsRune("aeiou", rune(k[0])) {
		return "an " + string(k)
	}
	return "a " + string(k)
}

// declared is a name with its one meaning.
type declared struct {
	kind kind
	pos  Pos
	at   any // the declaration in the Machine
}

// declare gives a name its meaning, unless it has one.
func (r *reader) declare(w word, k kind, at any) {
	if r.wrongName(w, k) {
		r.meant[w.text] = true // nobody can use it, which need not be said too
		return
	}
	r.names[w.text] = &declared{k, w.pos, at}
}

// wrongName reports why a text cannot be the name of something new.
func (r *reader) wrongName(w word, k kind) bool {
	if !isName(w.text) {
		if w.text != "" {
			r.say(BadValue, w.pos, "%q cannot be the name of %s: a letter, then letters, digits and the signs _ - +", w.text, k.article())
		}
		return true
	}
	if isReserved(w.text) {
		r.say(NameTwice, w.pos, "%s is a word of the notation: call the %s something else", w.text, k)
		return true
	}
	if before := r.names[w.text]; before != nil {
		r.conflict(NameTwice, w.pos, before.pos, "%s is %s already: one name, one meaning", w.text, before.kind.article())
		return true
	}
	return false
}

// isName reports whether a text can be a name: conditions are cut at blanks and commas, rules are named with slashes.
func isName(s string) bool {
	for i, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && !strings.ContainsRune("_-+", c)) {
			return false
		}
	}
	return s != ""
}

func isReserved(s string) bool {
	switch s {
	case "else", "and", "or", "not", "in", "own", "otherwise", "unused", "any", "as", "nothing", "ignored", "illegal":
		return true
	}
	return isRuleKey(s)
}

// find is the declaration of a name that must be of one of the kinds. It reports what is unknown.
func (r *reader) find(w word, what string, kinds ...kind) any {
	d := r.names[w.text]
	if d != nil && slices.Contains(kinds, d.kind) {
		return d.at
	}
	have := ""
	if d != nil {
		have = " (it is " + d.kind.article() + ")"
	}
	r.say(UnknownName, w.pos, "unknown %s %s%s%s", what, w.text, have, r.guess(w.text, r.namesOf(kinds...)))
	return nil
}

// guess proposes a name, and remembers that it did.
func (r *reader) guess(name string, known []string) string {
	if r.report.full() {
		return "" // nobody will read it
	}
	r.meant[nearest(name, known)] = true
	return near(name, known)
}

// namesOf lists what is declared of some kinds, in the order of the text.
func (r *reader) namesOf(kinds ...kind) []string {
	var out []string
	for n, d := range r.names {
		if slices.Contains(kinds, d.kind) {
			out = append(out, n)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		p, q := r.names[a].pos, r.names[b].pos
		return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return out
}

// resolve finds the declarations of several names of one kind.
func resolve[T any](r *reader, ws []word, what string, k kind) []T {
	var out []T
	for _, w := range ws {
		if x, ok := r.find(w, what, k).(T); ok {
			out = append(out, x)
		}
	}
	return out
}
