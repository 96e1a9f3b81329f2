package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// differsMark stands before what differs from the original on purpose.
const differsMark = "≠"

// deviates reports whether a rule, its result or something that either does differs from the original on purpose.
func deviates(r *spec.Rule) bool {
	return r.Deviates != "" || r.Result != nil && r.Result.Deviates != "" ||
		slices.ContainsFunc(r.Effects(), func(do spec.Do) bool { return do.Effect.Deviates != "" })
}

// legend says what differsMark means; nothing where no rule has it.
func (d *document) legend() string {
	if !slices.ContainsFunc(d.inputs, func(in *inputPlan) bool { return slices.ContainsFunc(in.rules, deviates) }) {
		return ""
	}
	original := ""
	if d.Original != "" {
		original = " The original is " + strings.TrimSuffix(oneLine(d.Original), ".") + "."
	}
	return fmt.Sprintf("%s stands before what differs on purpose from the original: [Deviations](#deviations) says how, and why. What has no %s is to equal it.%s",
		differsMark, differsMark, original)
}

// deviations writes where the specification differs from its original on purpose.
func (d *document) deviations() {
	var rows [][]string
	add := func(what string, pos spec.Pos, text string) {
		if text != "" {
			rows = append(rows, []string{fmt.Sprint(pos.Line), prose(what), prose(text)})
		}
	}
	for _, e := range d.Effects {
		add("effect "+e.Name, e.Pos, e.Deviates)
	}
	for _, q := range d.Requests {
		add("request "+q.Response.Name, q.Pos, q.Deviates)
	}
	for _, g := range d.Results {
		for _, r := range g.Results {
			add("result "+resultText(r), r.Pos, r.Deviates)
		}
	}
	for _, in := range d.inputs {
		for _, r := range in.rules {
			add(r.Name, r.Pos, r.Deviates)
		}
	}
	if len(rows) == 0 {
		return
	}
	d.heading(2, "Deviations")
	d.line("Where the rules differ from their original on purpose.")
	d.line("")
	d.table([]string{"line", "what", "deviates"}, rows)
}

// disagreements writes where those who speak the protocol differ, and what is chosen here: a paragraph each.
func (d *document) disagreements() {
	if len(d.Disagreements) == 0 {
		return
	}
	d.heading(2, "Disagreements")
	d.text("Where those who speak this protocol differ: what others do, what is chosen here, and why.")
	for _, x := range d.Disagreements {
		d.line("**%s.** Others: %s. Here: %s. Why: %s. Lines %s.", sentence(x.About), sentence(x.Others), sentence(x.Chosen), sentence(x.Why),
			strings.Join(namesIn(x.Rules, func(r *spec.Rule) string { return fmt.Sprint(r.Pos.Line) }), ", "))
		d.line("")
	}
}

// sentence is a text of a paragraph, without its end.
func sentence(text string) string { return strings.TrimSuffix(prose(text), ".") }
