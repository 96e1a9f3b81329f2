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
	d.line("In a table of rules each line is a rule, with its line in %s. What it does is its own, then, in *italics*, what its result", p.File)
	d.line("does. [Results](#results), [effects](#effects) and what rules ask are explained at the end.")
	d.states()
	d.section(spec.Response, "Responses", "What an answer means in the state in which it comes: the **result**, which is what the one who waits "+
		"is told; the rule's effects; and → the next state, where it is another one. What this depends on stands before a colon. "+
		"← is the same as to its left. "+d.legend(), d.response)
	d.requestTable()
	d.section(spec.Loop, "Loops", "Of the rules of a turn the first one that holds applies.", func(in *inputPlan) { d.rules(in, in.Name) })
	d.section(spec.Event, "Events", "", func(in *inputPlan) { d.rules(in, in.Name) })
	d.deviations()
	d.disagreements()
	d.section(spec.Response, "Rules of the responses", "The tables under Responses, rule by rule.", func(in *inputPlan) { d.rules(in, "Rules of "+in.Name) })
	d.results()
	d.declarations()
	return d.out.Bytes()
}

// section writes about the inputs of a kind, if there are any.
func (d *document) section(kind spec.Kind, title, note string, about func(*inputPlan)) {
	begun := false
	for _, in := range d.inputs {
		if in.Kind != kind {
			continue
		}
		if !begun {
			d.heading(2, title)
			d.text(note)
			begun = true
		}
		about(in)
	}
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

// states writes what the machine can be, and how it gets from one state to another.
func (d *document) states() {
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
}

// declarations writes what the rules ask and do.
func (d *document) declarations() {
	var rows [][]string
	if len(d.Errors) > 0 {
		d.heading(2, "Errors")
		for _, e := range d.Errors {
			retriable := ""
			if e.Retriable {
				retriable = "yes"
			}
			rows = append(rows, []string{word(e.Name), retriable, prose(e.Doc)})
		}
		d.table([]string{"error without a code", "retriable", "what it is"}, rows)
	}
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
			rows = append(rows, []string{word(t.Name), prose(t.After.Text), length(t), end(t), prose(t.Doc)})
		}
		d.table([]string{"timer", "lasts", "by default", "its end", "note"}, rows)
	}
	d.heading(2, "Effects")
	rows = nil
	for _, e := range d.Effects {
		only, does := "", prose(effectDoc(e))
		if e.Only != nil {
			only = prose(e.Only.Text)
		}
		switch {
		case e.Default != "":
			does += fmt.Sprintf("; with %s, “%s” where the rule gives none", word(e.Parameter), prose(e.Default))
		case e.Parameter != "":
			does += "; with " + word(e.Parameter)
		}
		does = strings.TrimPrefix(does, "; ")
		rows = append(rows, []string{word(e.Name), fmt.Sprint(e.Pos.Line), does, only})
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
	if t.Free > 0 {
		text += fmt.Sprintf("; the first %d at once", t.Free)
	}
	if t.Sending {
		text += ", from the sending of the request that is answered"
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
