package main

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"

	"github.com/kbeat/kbeat/spec"
	"github.com/kbeat/kbeat/tools/sample"
)

// mutant is one word of a specification that is another one. apply makes the change in the tree that it belongs to.
type mutant struct {
	kind     string
	line     int
	where    string
	was, now string
	apply    func() (undo func())
}

// name tells a mutant apart from all others, wherever its line may stand.
func (m mutant) name() string {
	return fmt.Sprintf("%s: %s: %s → %s", m.kind, m.where, orNothing(m.was), orNothing(m.now))
}

func orNothing(s string) string {
	if s == "" {
		return "(nothing)"
	}
	return s
}

// text is the specification with the change.
func (m mutant) text(root *yaml.Node) ([]byte, error) {
	undo := m.apply()
	defer undo()
	return yaml.Dump(root, yaml.WithLineWidth(-1))
}

// maker makes mutants of one specification.
type maker struct {
	machine *spec.Machine
	top     *yaml.Node
	mutants []mutant
}

// mutantsOf are all mutants of a specification, and the tree in which they make their changes.
func mutantsOf(machine *spec.Machine, text []byte) (*yaml.Node, []mutant, error) {
	var root yaml.Node
	if err := yaml.Load(text, &root); err != nil {
		return nil, nil, err
	}
	k := &maker{machine: machine, top: root.Content[0]}
	k.declarations()
	k.results()
	k.decisions()
	seen := map[string]bool{}
	return &root, slices.DeleteFunc(k.mutants, func(m mutant) bool {
		before := seen[m.name()]
		seen[m.name()] = true
		return before
	}), nil
}

func (k *maker) add(m mutant) { k.mutants = append(k.mutants, m) }

// word puts another word in the place of a scalar.
func (k *maker) word(kind, where string, n *yaml.Node, now string) {
	if n.Value != now {
		k.add(mutant{kind, n.Line, where, n.Value, now, func() func() { return replace(n, scalar(now)) }})
	}
}

// replace lets a node be another one.
func replace(n, by *yaml.Node) (undo func()) {
	kept := *n
	*n = *by
	return func() { *n = kept }
}

// content lets a node have other content.
func content(n *yaml.Node, now ...*yaml.Node) func() (undo func()) {
	return func() func() {
		kept := n.Content
		n.Content = now
		return func() { n.Content = kept }
	}
}

func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if text == "" {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func list(items ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: items}
}

func mapping(pairs ...*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle, Content: pairs}
}

// get is the value of a key, or nil.
func get(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// withKey is the content of a mapping in which a key has another value; nil takes it out.
func withKey(n *yaml.Node, key string, value *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	found := false
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Value == key {
			if found = true; value == nil {
				continue
			}
			v = value
		}
		out = append(out, k, v)
	}
	if !found && value != nil {
		out = append([]*yaml.Node{scalar(key), value}, out...)
	}
	return out
}

// items are the elements of a list, or the one word that stands for one.
func items(n *yaml.Node) []*yaml.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return n.Content
	default:
		return []*yaml.Node{n}
	}
}

// some are up to n others of the names, those that stand next to it in the order in which they are declared.
func some(names []string, name string, n int) []string {
	var out []string
	at := slices.Index(names, name)
	for step := 1; step < len(names) && len(out) < n; step++ {
		for _, i := range []int{at - step, at + step} {
			if i >= 0 && i < len(names) && i != at && len(out) < n {
				out = append(out, names[i])
			}
		}
	}
	return out
}

func namesOf[T any](list []T, name func(T) string) []string {
	var out []string
	for _, x := range list {
		out = append(out, name(x))
	}
	return out
}

func (k *maker) states() []string {
	return namesOf(k.machine.States, func(s *spec.State) string { return s.Name })
}

func (k *maker) flags() []string {
	return namesOf(k.machine.Flags, func(f *spec.Flag) string { return f.Name })
}

func (k *maker) timers() []string {
	return namesOf(k.machine.Timers, func(t *spec.Timer) string { return t.Name })
}

func (k *maker) effects() []string {
	return namesOf(k.machine.Effects, func(e *spec.Effect) string { return e.Name })
}

// drawn are n of the words. Which ones hangs on what they are drawn for, and on no line of the file, so that a line more
// does not make other mutants.
func drawn(words []string, what string, n int) []string {
	same := func(string) string { return "" }
	return sample.Choose(words, same, func(w string) string { return what + " " + w }, n, 0)
}
