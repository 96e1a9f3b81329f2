package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/spec"
)

// decisions changes what is decided, and when.
func (k *maker) decisions() {
	for _, in := range k.machine.Inputs() {
		section := map[spec.Kind]string{spec.Response: "responses", spec.Loop: "loops", spec.Event: "events"}[in.Kind]
		n := get(get(k.top, section), in.Name)
		if in.Kind != spec.Response {
			k.decision(in, in.Name, n)
			continue
		}
		k.codes(in, n)
		for i := 0; i+1 < len(n.Content); i += 2 {
			k.decision(in, in.Name+"/"+n.Content[i].Value, n.Content[i+1])
		}
	}
}

// decision changes a rule, or what a branch depends on and the branches below it.
func (k *maker) decision(in *spec.Input, where string, n *yaml.Node) {
	switch {
	case n.Kind == yaml.SequenceNode:
		for i, line := range n.Content {
			key, then := line.Content[0], line.Content[1]
			if i > 0 {
				swapped := slices.Clone(n.Content)
				swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
				k.add(mutant{"two lines swapped", line.Line, where, n.Content[i-1].Content[0].Value + ", " + key.Value, key.Value + ", " + n.Content[i-1].Content[0].Value,
					content(n, swapped...)})
			}
			k.add(mutant{"a line left out", line.Line, where, key.Value, "", content(n, slices.Concat(n.Content[:i], n.Content[i+1:])...)})
			k.condition(in, where, key)
			k.decision(in, where+"/"+key.Value, then)
		}
	case isRule(n):
		k.rule(in, where, n)
	default:
		k.branches(in, where, n)
	}
}

func (k *maker) branches(in *spec.Input, where string, n *yaml.Node) {
	last := -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, then := n.Content[i], n.Content[i+1]
		if key.Value == "why" || key.Value == "deviates" {
			continue
		}
		if last >= 0 && key.Value != "else" {
			before := n.Content[last]
			k.add(mutant{"two conditions swapped", key.Line, where, before.Value + ", " + key.Value, key.Value + ", " + before.Value, func() func() {
				before.Value, key.Value = key.Value, before.Value
				return func() { before.Value, key.Value = key.Value, before.Value }
			}})
		}
		k.add(mutant{"a condition left out", key.Line, where, key.Value, "always", func() func() { return replace(n, then) }})
		last = i
		k.condition(in, where, key)
		k.decision(in, where+"/"+key.Value, then)
	}
}

// isRule reports whether a decision is a rule: one word, or keys of a rule.
func isRule(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode || get(n, "to") != nil || get(n, "do") != nil || get(n, "result") != nil
}

func (k *maker) rule(in *spec.Input, where string, n *yaml.Node) {
	states := k.states()
	var told []string
	if in.Results != nil {
		told = namesOf(in.Results.Results, func(r *spec.Result) string { return r.Name })
	}
	if n.Kind == yaml.ScalarNode {
		others := told
		if slices.Contains(states, n.Value) {
			others = states
		}
		for _, other := range others {
			if !alike(in, n.Value, other) {
				k.word("another result", where, n, other)
			}
		}
		for _, s := range states {
			k.add(mutant{"a way added", n.Line, where, "", s, func() func() {
				result := *n
				return replace(n, mapping(scalar("to"), scalar(s), scalar("result"), &result))
			}})
		}
		return
	}
	for _, s := range states {
		kind := "another state"
		if get(n, "to") == nil {
			kind = "a way added"
		}
		k.valued(kind, where, n, "to", s)
	}
	if to := get(n, "to"); to != nil {
		k.add(mutant{"a way left out", n.Line, where, to.Value, "", content(n, withKey(n, "to", nil)...)})
	}
	for _, r := range told {
		if was := get(n, "result"); was == nil || !alike(in, was.Value, r) {
			k.valued("another result", where, n, "result", r)
		}
	}
	k.does("", where, n)
}

// alike reports whether two results of an input differ in nothing but their names, which are there for who reads the rules.
func alike(in *spec.Input, one, other string) bool {
	if in.Results == nil {
		return false
	}
	find := func(name string) *spec.Result {
		for _, r := range in.Results.Results {
			if r.Name == name {
				return r
			}
		}
		return nil
	}
	a, b := find(one), find(other)
	return a != nil && b != nil && a.Class != "" && a.Class == b.Class && a.Error == b.Error && len(a.Do) == 0 && len(b.Do) == 0
}

// does changes the effects of a rule or a result.
func (k *maker) does(of, where string, n *yaml.Node) {
	all := k.effects()
	has := items(get(n, "do"))
	do := func(kind string, line int, was, now string, list []*yaml.Node) {
		k.add(mutant{of + kind, line, where, was, now, content(n, withKey(n, "do", listOrNone(list))...)})
	}
	for i, at := range has {
		name, text := at.Value, ""
		if at.Kind == yaml.MappingNode {
			name, text = at.Content[0].Value, at.Content[1].Value
		}
		do("effect left out", at.Line, name, "", slices.Concat(has[:i], has[i+1:]))
		for _, other := range some(all, name, 8) {
			do("effect replaced", at.Line, name, other, slices.Concat(has[:i], []*yaml.Node{k.effectNode(other, text)}, has[i+1:]))
		}
		if i > 0 {
			swapped := slices.Clone(has)
			swapped[i-1], swapped[i] = swapped[i], swapped[i-1]
			do("effects swapped", at.Line, nameOf(has[i-1])+", "+name, name+", "+nameOf(has[i-1]), swapped)
		}
		if text != "" {
			do("another text", at.Line, text, text+", again", slices.Concat(has[:i], []*yaml.Node{k.effectNode(name, text+", again")}, has[i+1:]))
		}
	}
	// Others for each rule, so that each effect comes to be added somewhere.
	for _, other := range drawn(all, where, 4) {
		if !slices.ContainsFunc(has, func(at *yaml.Node) bool { return nameOf(at) == other }) {
			do("effect added", n.Line, "", other, slices.Concat(has, []*yaml.Node{k.effectNode(other, "")}))
		}
	}
}

func nameOf(effect *yaml.Node) string {
	if effect.Kind == yaml.MappingNode {
		return effect.Content[0].Value
	}
	return effect.Value
}

// effectNode is an effect with the text that it must have.
func (k *maker) effectNode(name, text string) *yaml.Node {
	i := slices.IndexFunc(k.machine.Effects, func(e *spec.Effect) bool { return e.Name == name })
	switch e := k.machine.Effects[i]; {
	case e.Parameter == "" || text == "" && !e.Required:
		return scalar(name)
	case text == "":
		text = "something else"
	}
	t := scalar(text)
	t.Style = yaml.DoubleQuotedStyle
	return mapping(scalar(name), t)
}

// codes moves each code of a response to the decision before and after it, and to `otherwise`; and one that nobody names
// to each decision.
func (k *maker) codes(in *spec.Input, n *yaml.Node) {
	var unnamed []string
	for _, c := range in.Cases {
		if c.Otherwise {
			unnamed = namesOf(c.Codes, func(c *spec.Code) string { return c.Name })
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Value == "otherwise" {
			continue
		}
		codes := strings.Split(key.Value, ", ")
		if len(unnamed) > 0 {
			other := unnamed[(i*17)%len(unnamed)]
			k.add(mutant{"a code moved", key.Line, in.Name, other + " under otherwise", other + " under " + key.Value, rekeyed(key, append(slices.Clone(codes), other))})
		}
		for at, code := range codes {
			rest := slices.Delete(slices.Clone(codes), at, at+1)
			leave := rekeyed(key, rest)
			if len(rest) == 0 {
				leave = content(n, slices.Concat(n.Content[:i], n.Content[i+2:])...)
			}
			k.add(mutant{"a code left out", key.Line, in.Name, code + " under " + key.Value, code + " under otherwise", leave})
			for _, j := range []int{i - 2, i + 2} {
				if j < 0 || j >= len(n.Content) || n.Content[j].Value == "otherwise" {
					continue
				}
				other := n.Content[j]
				k.add(mutant{"a code moved", key.Line, in.Name, code + " under " + key.Value, code + " under " + other.Value, func() func() {
					first, second := leave(), rekeyed(other, append(strings.Split(other.Value, ", "), code))()
					return func() { second(); first() }
				}})
			}
		}
	}
}

// rekeyed lets a key be a list of codes.
func rekeyed(key *yaml.Node, codes []string) func() func() {
	return func() func() { return replace(key, scalar(strings.Join(codes, ", "))) }
}
