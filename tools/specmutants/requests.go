package main

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/spec"
)

var (
	setting = regexp.MustCompile(`[a-z]+(?:\.[a-z]+)+`)
	amount  = regexp.MustCompile(`[0-9]+`)
)

// request changes how long a request waits for its answer, and what ends it before.
func (k *maker) request(name string, n *yaml.Node) {
	for _, key := range []string{"limit", "again"} {
		at := get(n, key)
		if at == nil {
			continue
		}
		for _, now := range k.otherLengths(at.Value) {
			k.word("a request's "+key, name, at, now)
		}
	}
	if at := get(n, "again"); at != nil {
		k.add(mutant{"a request's again left out", at.Line, name, at.Value, "", content(n, withKey(n, "again", nil)...)})
	}
	response := k.machine.Responses[slices.IndexFunc(k.machine.Responses, func(in *spec.Input) bool { return in.Name == name })]
	when := items(get(n, "when"))
	for i, at := range when {
		rest := slices.Concat(when[:i], when[i+1:])
		fewer := &yaml.Node{Kind: yaml.MappingNode, Style: n.Style, Content: withKey(n, "when", listOrNone(rest))}
		if len(rest) == 0 {
			fewer.Content = withKey(fewer, "abandoned", nil)
		}
		k.add(mutant{"an end left out", at.Line, name, at.Value, "", content(n, fewer.Content...)})
		k.condition(response, name, at)
	}
	if at := get(n, "abandoned"); at != nil && k.machine.Catalogue != nil {
		for _, c := range k.machine.Catalogue.Unanswered {
			k.word("a request's end", name, at, c.Name)
		}
	}
}

// otherLengths are lengths of time that differ from one in a word.
func (k *maker) otherLengths(text string) []string {
	out := []string{strings.NewReplacer("min(", "max(", "max(", "min(").Replace(text)}
	for _, at := range setting.FindAllStringIndex(text, -1) {
		for _, other := range k.machine.Catalogue.Settings {
			out = append(out, text[:at[0]]+other+text[at[1]:])
		}
	}
	for _, at := range amount.FindAllStringIndex(text, -1) {
		out = append(out, text[:at[1]]+"5"+text[at[1]:])
	}
	return out
}
