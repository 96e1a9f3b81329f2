package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// arrow is a way between two states, with the inputs whose rules lead along it.
type arrow struct {
	from, to *spec.State
	inputs   []string
}

// arrows are all ways that rules lead along, in the order of the states that they leave and enter.
func (p *plan) arrows() []*arrow {
	var out []*arrow
	for _, in := range p.inputs {
		for _, r := range in.rules {
			for i, to := range r.To {
				from := p.from[r]
				if i > 0 {
					from = r.To[i-1 : i]
				}
				for _, s := range from {
					out = addArrow(out, s, to, in.label())
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b *arrow) int {
		if a.from != b.from {
			return a.from.Index - b.from.Index
		}
		return a.to.Index - b.to.Index
	})
	return out
}

// label names an input in a drawing: a loop by its kind too, since a response may have the same name but for a capital.
func (in *inputPlan) label() string {
	if in.Kind == spec.Loop {
		return "loop " + in.Name
	}
	return in.Name
}

func addArrow(arrows []*arrow, from, to *spec.State, input string) []*arrow {
	i := slices.IndexFunc(arrows, func(a *arrow) bool { return a.from == from && a.to == to })
	if i < 0 {
		i = len(arrows)
		arrows = append(arrows, &arrow{from: from, to: to})
	}
	arrows[i].inputs = with(arrows[i].inputs, input)
	return arrows
}

// mermaid is a state diagram in Mermaid's language, as far as GitHub renders it.
func (p *plan) mermaid() string {
	var out strings.Builder
	out.WriteString("stateDiagram-v2\n")
	for _, s := range p.States {
		if id := mermaidID(s); id != s.Name {
			fmt.Fprintf(&out, "    state %q as %s\n", s.Name, id)
		}
	}
	fmt.Fprintf(&out, "    [*] --> %s\n", mermaidID(p.Initial))
	for _, a := range p.arrows() {
		fmt.Fprintf(&out, "    %s --> %s : %s\n", mermaidID(a.from), mermaidID(a.to), strings.Join(a.inputs, ", "))
	}
	for _, s := range p.States {
		if s.Final {
			fmt.Fprintf(&out, "    %s --> [*]\n", mermaidID(s))
		}
	}
	return out.String()
}

// mermaidWords mean something else to Mermaid at the begin of a line.
const mermaidWords = " accTitle accDescr as class classDef click default direction end hide note scale state style "

// mermaidID is a state's name with nothing in it but what Mermaid takes for a name.
func mermaidID(s *spec.State) string {
	if strings.Contains(mermaidWords, " "+s.Name+" ") {
		return s.Name + "_"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_', '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			return r
		}
		return '_'
	}, s.Name)
}

// graphviz is the same in the language of Graphviz.
func (p *plan) graphviz() string {
	var out strings.Builder
	fmt.Fprintf(&out, "digraph %s {\n    rankdir=LR\n    node [shape=box, style=rounded]\n", p.Name)
	fmt.Fprintf(&out, "    start [shape=point]\n    start -> %q\n", p.Initial.Name)
	for _, s := range p.States {
		if s.Final {
			fmt.Fprintf(&out, "    %q [peripheries=2]\n", s.Name)
		}
	}
	for _, a := range p.arrows() {
		fmt.Fprintf(&out, "    %q -> %q [label=%q]\n", a.from.Name, a.to.Name, strings.Join(a.inputs, "\n"))
	}
	out.WriteString("}\n")
	return out.String()
}
