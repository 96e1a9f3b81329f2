package main

import (
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/spec"
)

// declarations changes what flags, timers, errors, effects and requests are said to be. What an effect may be done `only` where, what
// states promise and who answers an effect is asked by the validator alone, and changes nothing that is decided.
func (k *maker) declarations() {
	k.each("flags", func(name string, n *yaml.Node) { k.truth("a flag set at first, or not", name, n, "initial") })
	k.each("errors", func(name string, n *yaml.Node) { k.truth("an error retriable, or not", name, n, "retriable") })
	k.each("timers", k.timer)
	k.each("effects", k.effect)
	k.each("requests", k.request)
}

// each visits what a section declares.
func (k *maker) each(section string, visit func(name string, n *yaml.Node)) {
	at := get(k.top, section)
	if at == nil {
		return
	}
	for i := 0; i+1 < len(at.Content); i += 2 {
		visit(at.Content[i].Value, at.Content[i+1])
	}
}

// truth turns a key that is true, or not there, round.
func (k *maker) truth(kind, where string, n *yaml.Node, key string) {
	was := get(n, key)
	switch {
	case was != nil:
		k.add(mutant{kind, n.Line, where, key, "", content(n, withKey(n, key, nil)...)})
	case n.Kind == yaml.MappingNode:
		k.add(mutant{kind, n.Line, where, "", key, content(n, withKey(n, key, scalar("true"))...)})
	default:
		k.add(mutant{kind, n.Line, where, "", key, func() func() {
			doc := *n
			return replace(n, mapping(scalar(key), scalar("true"), scalar("doc"), &doc))
		}})
	}
}

func (k *maker) timer(name string, n *yaml.Node) {
	var guards, settings []string
	for _, t := range k.machine.Timers {
		if t.Guard != nil && !slices.Contains(guards, t.Guard.Name) {
			guards = append(guards, t.Guard.Name)
		}
		if !slices.Contains(settings, t.After.Text) {
			settings = append(settings, t.After.Text)
		}
	}
	for key, others := range map[string][]string{"guard": guards, "after": settings} {
		for _, other := range others {
			if at := get(n, key); at != nil {
				k.word("a timer's "+key, name, at, other)
			}
		}
	}
	for _, key := range []string{"default", "most", "jitter"} {
		if at := get(n, key); at != nil {
			k.word("a timer's "+key, name, at, at.Value+"5")
		}
	}
}

// effect changes each word of what an effect does.
func (k *maker) effect(name string, n *yaml.Node) {
	inputs := namesOf(k.machine.Responses, func(i *spec.Input) string { return i.Name })
	identity := namesOf(k.machine.Identity, func(i *spec.Identity) string { return i.Name })
	for _, part := range []struct {
		key, opposite string
		words         []string
	}{
		{"sets", "clears", k.flags()}, {"clears", "sets", k.flags()}, {"starts", "forgets", k.timers()}, {"forgets", "starts", k.timers()},
		{"drops", "takes", identity}, {"takes", "drops", identity}, {"sends", "", inputs},
	} {
		has := items(get(n, part.key))
		for i, at := range has {
			rest := slices.Concat(has[:i], has[i+1:])
			k.add(mutant{"left out of " + part.key, at.Line, name, at.Value, "", content(n, withKey(n, part.key, listOrNone(rest))...)})
			for _, other := range some(part.words, at.Value, 4) {
				if !slices.ContainsFunc(has, func(w *yaml.Node) bool { return w.Value == other }) {
					k.word("another in "+part.key, name, at, other)
				}
			}
			if opposite := items(get(n, part.opposite)); part.opposite != "" {
				moved := &yaml.Node{Kind: yaml.MappingNode, Style: n.Style, Content: withKey(n, part.key, listOrNone(rest))}
				k.add(mutant{"from " + part.key + " to " + part.opposite, at.Line, name, at.Value, at.Value,
					content(n, withKey(moved, part.opposite, list(slices.Concat(opposite, []*yaml.Node{at})...))...)})
			}
		}
		if part.opposite == "" {
			continue
		}
		for _, other := range drawn(part.words, part.key+" of "+name, 1) {
			named := func(w *yaml.Node) bool { return w.Value == other }
			if !slices.ContainsFunc(has, named) && !slices.ContainsFunc(items(get(n, part.opposite)), named) {
				k.add(mutant{"added to " + part.key, n.Line, name, "", other, content(n, withKey(n, part.key, list(slices.Concat(has, []*yaml.Node{scalar(other)})...))...)})
			}
		}
	}
	if at := get(n, "calls"); at != nil && k.machine.Catalogue != nil {
		for _, other := range k.machine.Catalogue.Callbacks {
			k.word("another in calls", name, at, other)
		}
	}
}

func listOrNone(items []*yaml.Node) *yaml.Node {
	if len(items) == 0 {
		return nil
	}
	return list(items...)
}

// results changes what those who wait are told.
func (k *maker) results() {
	var errors []string
	for _, g := range k.machine.Results {
		for _, r := range g.Results {
			if r.Error != "" && !slices.Contains(errors, r.Error) {
				errors = append(errors, r.Error)
			}
		}
	}
	k.each("results", func(group string, n *yaml.Node) {
		for i := 0; i+1 < len(n.Content); i += 2 {
			where, at := group+"."+n.Content[i].Value, n.Content[i+1]
			if at.Kind != yaml.MappingNode {
				continue
			}
			for _, class := range []spec.Class{spec.OK, spec.Pending, spec.Retry, spec.Backoff, spec.Fatal, spec.Ignored} {
				k.valued("a result's class", where, at, "is", string(class))
			}
			for _, err := range errors {
				k.valued("a result's error", where, at, "error", err)
			}
			if e := get(at, "error"); e != nil {
				k.add(mutant{"a result's error", at.Line, where, e.Value, "", content(at, withKey(at, "error", nil)...)})
			}
			k.does("a result's ", where, at)
		}
	})
}

// valued gives a key another value, also where it had none.
func (k *maker) valued(kind, where string, n *yaml.Node, key, now string) {
	was := ""
	if at := get(n, key); at != nil {
		was = at.Value
	}
	if was != now {
		k.add(mutant{kind, n.Line, where, was, now, content(n, withKey(n, key, scalar(now))...)})
	}
}
