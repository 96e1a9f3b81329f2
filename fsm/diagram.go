package fsm

import (
	"fmt"
	"slices"
	"strings"
)

// Mermaid is the definition as a Mermaid state diagram. label shortens the name of an event; ways between the same two
// states become one arrow with each label once. A nil label keeps the events' names.
func (d *Definition[S]) Mermaid(label func(event string) string) string {
	var out strings.Builder
	out.WriteString("stateDiagram-v2\n")
	fmt.Fprintf(&out, "    [*] --> %s\n", d.mermaidID(d.initial))
	for _, a := range d.arrows(label) {
		fmt.Fprintf(&out, "    %s --> %s : %s\n", d.mermaidID(a.from), d.mermaidID(a.to), strings.Join(a.labels, ", "))
	}
	return out.String()
}

// mermaidID is a state's name as Mermaid takes it: letters, digits and underscores.
func (d *Definition[S]) mermaidID(s S) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, d.name(s))
}

// Graphviz is the definition as a graph in the language of Graphviz; label is that of Mermaid.
func (d *Definition[S]) Graphviz(name string, label func(event string) string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "digraph %q {\n    rankdir=LR\n    node [shape=box, style=rounded]\n", name)
	fmt.Fprintf(&out, "    start [shape=point]\n    start -> %q\n", d.name(d.initial))
	for _, a := range d.arrows(label) {
		fmt.Fprintf(&out, "    %q -> %q [label=%q]\n", d.name(a.from), d.name(a.to), strings.Join(a.labels, "\n"))
	}
	out.WriteString("}\n")
	return out.String()
}

type arrow[S comparable] struct {
	from, to S
	labels   []string
}

// arrows joins the edges between the same two states, in the order in which they first appear.
func (d *Definition[S]) arrows(label func(event string) string) []*arrow[S] {
	var out []*arrow[S]
	for _, e := range d.edges {
		text := e.Event
		if label != nil {
			text = label(text)
		}
		i := slices.IndexFunc(out, func(a *arrow[S]) bool { return a.from == e.From && a.to == e.To })
		if i < 0 {
			i = len(out)
			out = append(out, &arrow[S]{from: e.From, to: e.To})
		}
		if !slices.Contains(out[i].labels, text) {
			out[i].labels = append(out[i].labels, text)
		}
	}
	return out
}
