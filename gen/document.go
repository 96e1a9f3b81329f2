package gen

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// rulesDocument is RULES.md: the machine for readers.
func (p *plan) rulesDocument() []byte {
	d := &document{plan: p}
	d.line("<!-- %s -->", marker)
	d.line("<!-- From %s, SHA-256 %s. -->", p.File, p.Sum)
	d.line("")
	d.line("# The rules of %s", p.Name)
	d.line("")
	if p.Doc != "" {
		d.line("%s", oneLine(p.Doc))
		d.line("")
	}
	d.line("Numbers are lines of %s. An arrow → is a way to another state; without one the state stays. What a rule does is its own,", p.File)
	d.line("then, in *italics*, what its result does.")
	d.declarations()
	if len(p.Responses) > 0 {
		d.heading(2, "Responses")
	}
	for _, in := range p.inputs {
		if in.Kind == spec.Response {
			d.response(in)
		}
	}
	if len(p.Loops) > 0 {
		d.heading(2, "Loops")
		d.line("Of the rules of a turn the first one that holds applies.")
	}
	for _, in := range p.inputs {
		if in.Kind == spec.Loop {
			d.heading(3, in.Name)
			d.text(in.Doc)
			d.rules(in)
		}
	}
	if len(p.Events) > 0 {
		d.heading(2, "Events")
	}
	for _, in := range p.inputs {
		if in.Kind == spec.Event {
			d.heading(3, in.Name)
			d.text(in.Doc)
			d.rules(in)
		}
	}
	d.results()
	d.deviations()
	return d.out.Bytes()
}

// statesDrawing is states.mmd.
func (p *plan) statesDrawing() []byte {
	return fmt.Appendf(nil, "%%%% %s\n%%%% From %s, SHA-256 %s.\n%s", marker, p.File, p.Sum, p.mermaid())
}

// document is a page of Markdown as it grows.
type document struct {
	*plan
	out bytes.Buffer
}

func (d *document) line(format string, args ...any) {
	fmt.Fprintf(&d.out, format+"\n", args...)
}

func (d *document) heading(level int, text string) {
	if !bytes.HasSuffix(d.out.Bytes(), []byte("\n\n")) {
		d.line("")
	}
	d.line("%s %s", strings.Repeat("#", level), text)
	d.line("")
}

func (d *document) text(text string) {
	if text != "" {
		d.line("%s", oneLine(text))
		d.line("")
	}
}

// table writes a table; what is in its cells is escaped by the caller where it comes from prose.
func (d *document) table(head []string, rows [][]string) {
	d.line("| %s |", strings.Join(head, " | "))
	d.line("|%s", strings.Repeat(" --- |", len(head)))
	for _, row := range rows {
		d.line("| %s |", strings.Join(row, " | "))
	}
}

// prose is text fit for a cell of a table.
func prose(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\n", " ").Replace(oneLine(text))
}

// word is a name of the specification in a table.
func word(name string) string { return "`" + name + "`" }

func wordsOf[T any](items []T, name func(T) string) string {
	return strings.Join(namesIn(items, func(i T) string { return word(name(i)) }), ", ")
}

func (d *document) declarations() {
	d.heading(2, "States")
	d.line("```mermaid")
	d.out.WriteString(d.mermaid())
	d.line("```")
	d.line("")
	var rows [][]string
	for _, s := range d.States {
		rows = append(rows, []string{word(s.Name), prose(s.Doc)})
	}
	d.table([]string{"state", "what the machine is"}, rows)
	if len(d.Flags) > 0 {
		d.heading(2, "Flags")
		rows = nil
		for _, f := range d.Flags {
			set := ""
			if f.Initial {
				set = "yes"
			}
			rows = append(rows, []string{word(f.Name), set, prose(f.Doc)})
		}
		d.table([]string{"flag", "set at first", "what the machine remembers"}, rows)
	}
	if len(d.Guards) > 0 {
		d.heading(2, "Guards")
		rows = nil
		for _, g := range d.Guards {
			rows = append(rows, []string{word(g.Name), strings.Join(g.Scope, ", "), prose(d.guardDoc(g))})
		}
		d.table([]string{"guard", "whom it asks", "what it asks"}, rows)
	}
	if len(d.Timers) > 0 {
		d.heading(2, "Timers")
		rows = nil
		for _, t := range d.Timers {
			rows = append(rows, []string{word(t.Name), prose(t.After), length(t), end(t), prose(t.Doc)})
		}
		d.table([]string{"timer", "lasts", "by default", "its end", "note"}, rows)
	}
	d.heading(2, "Effects")
	rows = nil
	for _, e := range d.Effects {
		only := ""
		if e.Only != nil {
			only = prose(e.Only.Text)
		}
		rows = append(rows, []string{word(e.Name), fmt.Sprint(e.Pos.Line), prose(effectDoc(e)), only})
	}
	d.table([]string{"effect", "line", "what it does", "only where"}, rows)
}

func length(t *spec.Timer) string {
	text := fmt.Sprintf("%d ms", t.Default)
	if t.Most > 0 {
		text += fmt.Sprintf(", doubled each time up to %d ms", t.Most)
	}
	if t.Jitter > 0 {
		text += fmt.Sprintf(", ± %g %%", t.Jitter*100)
	}
	return text
}

func end(t *spec.Timer) string {
	switch {
	case t.Guard != nil:
		return "guard " + word(t.Guard.Name)
	case t.Event != nil:
		return "event " + word(t.Event.Name)
	default:
		return ""
	}
}
