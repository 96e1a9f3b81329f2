package main

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/spec"
)

// condition changes each word of a key: a guard negated, left out or another one, a state left out or another one.
func (k *maker) condition(in *spec.Input, where string, key *yaml.Node) {
	if key.Value == "else" {
		return
	}
	tests, states := k.parts(key.Value)
	becomes := func(kind string, tests, states []string) {
		if len(tests)+len(states) > 0 {
			k.word(kind, where, key, conditionText(tests, states))
		}
	}
	for i, t := range tests {
		becomes("a guard negated", replaced(tests, i, negated(t)), states)
		becomes("a guard left out", slices.Delete(slices.Clone(tests), i, i+1), states)
		name, not := strings.CutPrefix(t, "not ")
		for _, other := range some(k.asked(in), name, 6) {
			if !slices.Contains(tests, other) && !slices.Contains(tests, "not "+other) {
				if not {
					other = "not " + other
				}
				becomes("another guard", replaced(tests, i, other), states)
			}
		}
	}
	if len(states) == 0 {
		return
	}
	if rest, not := strings.CutPrefix(states[0], "not "); not {
		becomes("states negated", tests, replaced(states, 0, rest))
	} else {
		becomes("states negated", tests, replaced(states, 0, "not "+states[0]))
	}
	becomes("states left out", tests, nil)
	for i, s := range states {
		name, not := strings.CutPrefix(s, "not ")
		if len(states) > 1 {
			rest := slices.Delete(slices.Clone(states), i, i+1)
			if not {
				rest[0] = "not " + rest[0]
			}
			becomes("a state left out", tests, rest)
		}
		for _, other := range append(k.states(), namesOf(k.machine.Groups, func(g *spec.Group) string { return g.Name })...) {
			if other == name {
				continue
			}
			if not {
				other = "not " + other
			}
			becomes("another state asked", tests, replaced(states, i, other))
		}
	}
}

// parts are the tests and the states of a condition.
func (k *maker) parts(text string) (tests, states []string) {
	before, after, both := strings.Cut(text, " in ")
	if both {
		return strings.Split(before, " and "), strings.Split(after, ", ")
	}
	first := strings.TrimPrefix(strings.Split(text, ", ")[0], "not ")
	if slices.Contains(k.states(), first) || slices.ContainsFunc(k.machine.Groups, func(g *spec.Group) bool { return g.Name == first }) {
		return nil, strings.Split(text, ", ")
	}
	return strings.Split(text, " and "), nil
}

func conditionText(tests, states []string) string {
	text := strings.Join(tests, " and ")
	if len(tests) > 0 && len(states) > 0 {
		text += " in "
	}
	return text + strings.Join(states, ", ")
}

func replaced(list []string, i int, by string) []string {
	out := slices.Clone(list)
	out[i] = by
	return out
}

func negated(test string) string {
	if rest, not := strings.CutPrefix(test, "not "); not {
		return rest
	}
	return "not " + test
}

// asked are the guards and flags that an input's decisions ask, and then all flags.
func (k *maker) asked(in *spec.Input) []string {
	var out []string
	for _, c := range in.Cases {
		for _, t := range spec.Asked(c.Decision) {
			if !slices.Contains(out, t.Name()) {
				out = append(out, t.Name())
			}
		}
	}
	for _, f := range k.flags() {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
