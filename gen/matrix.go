package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// response writes what a response's codes mean in each state, then its rules.
func (d *document) response(in *inputPlan) {
	d.heading(3, in.Name)
	d.text(in.Doc)
	head := []string{"code"}
	for _, s := range d.States {
		head = append(head, word(s.Name))
	}
	d.table(head, d.matrix(in))
	d.line("")
	d.rules(in)
}

// matrix has a row for codes that behave alike in every state; what is not named stands in the last.
func (d *document) matrix(in *inputPlan) [][]string {
	type row struct {
		codes []string
		cells []string
	}
	var rows []row
	var rest row
	for _, b := range d.blocks(in) {
		r := row{codes: namesIn(b.codes, func(c *spec.Code) string { return word(c.Name) })}
		for _, s := range d.States {
			r.cells = append(r.cells, d.cell(in, b, s))
		}
		if b.rest {
			rest = r
			continue
		}
		i := slices.IndexFunc(rows, func(other row) bool { return slices.Equal(other.cells, r.cells) })
		if i < 0 {
			rows = append(rows, r)
		} else {
			rows[i].codes = append(rows[i].codes, r.codes...)
		}
	}
	var out [][]string
	for _, r := range rows {
		out = append(out, append([]string{strings.Join(r.codes, " ")}, r.cells...))
	}
	if rest.cells != nil {
		out = append(out, append([]string{fmt.Sprintf("otherwise: %d codes of the catalogue, and all it does not know", len(rest.codes))}, rest.cells...))
	}
	return out
}

// cell is what is done for a code in a state, by the answers where it depends on them.
func (d *document) cell(in *inputPlan, b block, s *spec.State) string {
	var parts []string
	for _, c := range b.cubes {
		if !slices.Contains(c.states, s) {
			continue
		}
		if when := conditionText(in.marks, c.marks); when != "" {
			parts = append(parts, when+": "+outcomeText(c.rule))
		} else {
			parts = append(parts, outcomeText(c.rule))
		}
	}
	return strings.Join(parts, "<br>")
}

// conditionText says in words what the marks of a cube ask.
func conditionText(marks []mark, answers string) string {
	var parts []string
	for i, m := range marks {
		switch {
		case answers[i] == '-':
		case m.question != nil:
			parts = append(parts, m.question.Answers[answers[i]-'0'].Name)
		case answers[i] == '1':
			parts = append(parts, m.name())
		default:
			parts = append(parts, "not "+m.name())
		}
	}
	return strings.Join(parts, " and ")
}

// outcomeText is a rule in short: its result, its own effects, its way.
func outcomeText(r *spec.Rule) string {
	var parts []string
	if r.Result != nil {
		parts = append(parts, "**"+r.Result.Name+"**")
	}
	for _, do := range r.Do {
		parts = append(parts, doText(do))
	}
	for _, s := range r.To {
		parts = append(parts, "→ "+word(s.Name))
	}
	return strings.Join(parts, " ")
}

func doText(do spec.Do) string {
	if do.Text == "" || do.Text == do.Effect.Default {
		return do.Effect.Name
	}
	return fmt.Sprintf("%s (%s)", do.Effect.Name, prose(do.Text))
}

// rules writes each rule of an input, in the order of the text.
func (d *document) rules(in *inputPlan) {
	var rows [][]string
	for _, r := range in.rules {
		when := strings.TrimPrefix(strings.TrimPrefix(r.Name, in.Name), "/")
		if when == "" {
			when = "always"
		}
		result := ""
		if r.Result != nil {
			result = word(r.Result.Name)
		}
		why := prose(r.Why)
		if r.Deviates != "" {
			why = strings.TrimSpace(why + " *Deviates:* " + prose(r.Deviates))
		}
		all := namesIn(r.Do, doText)
		if r.Result != nil {
			all = append(all, namesIn(r.Result.Do, func(do spec.Do) string { return "*" + doText(do) + "*" })...)
		}
		does := strings.Join(all, ", ")
		rows = append(rows, []string{fmt.Sprint(r.Pos.Line), prose(when), wordsOf(r.To, func(s *spec.State) string { return s.Name }), does, result, why})
	}
	d.table([]string{"line", "when", "→", "does", "result", "why"}, rows)
}

// results writes what those who wait are told.
func (d *document) results() {
	d.heading(2, "Results")
	var rows [][]string
	for _, g := range d.resultGroups() {
		for _, r := range g.Results {
			whom := "any"
			if r.Group != nil {
				whom = wordsOf(g.Inputs, func(i *spec.Input) string { return i.Name })
			}
			rows = append(rows, []string{whom, word(r.Name), string(r.Class), r.Error, strings.Join(namesIn(r.Do, doText), ", "), prose(r.Doc)})
		}
	}
	d.table([]string{"of", "result", "class", "error", "does", "note"}, rows)
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
