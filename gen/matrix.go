package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// response writes what a response's codes mean in each state.
func (d *document) response(in *inputPlan) {
	d.heading(3, in.Name)
	d.text(in.Doc)
	head := []string{"code"}
	for _, s := range d.States {
		head = append(head, word(s.Name))
	}
	d.table(head, d.matrix(in))
}

// matrix has a row for codes that a case names and that are decided alike in every state; below them stands what no case names.
func (d *document) matrix(in *inputPlan) [][]string {
	type row struct {
		codes []string
		cells []string
	}
	var named []row
	var otherwise [][]string
	for _, b := range d.blocks(in, d.alike(in)) {
		r := row{codes: namesIn(b.codes, func(c *spec.Code) string { return word(c.Name) })}
		for i, s := range d.States {
			cell := d.cell(in, b, s)
			if i > 0 && cell == d.cell(in, b, d.States[i-1]) {
				cell = "←"
			}
			r.cells = append(r.cells, cell)
		}
		if b.otherwise {
			otherwise = append(otherwise, append([]string{d.otherwise(in, b)}, r.cells...))
			continue
		}
		i := slices.IndexFunc(named, func(other row) bool { return slices.Equal(other.cells, r.cells) })
		if i < 0 {
			named = append(named, r)
		} else {
			named[i].codes = append(named[i].codes, r.codes...)
		}
	}
	var out [][]string
	for _, r := range named {
		out = append(out, append([]string{strings.Join(r.codes, " ")}, r.cells...))
	}
	slices.Reverse(otherwise) // the rest last
	return append(out, otherwise...)
}

// alike gives the first of the input's rules that reads like another one in a cell.
func (d *document) alike(in *inputPlan) func(*spec.Rule) *spec.Rule {
	first := map[string]*spec.Rule{}
	for _, r := range in.rules {
		if text := outcomeText(r); first[text] == nil {
			first[text] = r
		}
	}
	return func(r *spec.Rule) *spec.Rule { return first[outcomeText(r)] }
}

// otherwise is the first column for codes that no case names: what the catalogue says of them, and how many they are.
func (d *document) otherwise(in *inputPlan, b block) string {
	parts := []string{"*otherwise*"}
	for _, c := range in.Cases {
		if !c.Otherwise {
			continue
		}
		for _, t := range spec.Asked(c.Decision) {
			if t.Guard == nil || !ofCode(t.Guard) || len(b.codes) == 0 {
				continue
			}
			if b.codes[0].Property(t.Name()) {
				parts = append(parts, word(t.Name()))
			} else {
				parts = append(parts, "not "+word(t.Name()))
			}
		}
	}
	var which []string
	switch n := len(b.codes); {
	case n == 1:
		which = append(which, word(b.codes[0].Name))
	case n > 1:
		which = append(which, fmt.Sprintf("%d codes", n))
	}
	if b.rest {
		which = append(which, "all that the catalogue does not know")
	}
	return strings.Join(parts, ", ") + ": " + strings.Join(which, ", and ")
}

// cell is what is done for a code in a state, by the answers where it depends on them, in the order of the text.
func (d *document) cell(in *inputPlan, b block, s *spec.State) string {
	type part struct {
		rule *spec.Rule
		when []string
	}
	var parts []part
	for _, c := range b.within(s) {
		i := slices.IndexFunc(parts, func(p part) bool { return p.rule == c.rule })
		if i < 0 {
			i = len(parts)
			parts = append(parts, part{rule: c.rule})
		}
		if when := conditionText(in.marks, c.marks); when != "" {
			parts[i].when = append(parts[i].when, when)
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return d.ruleRefs[a.rule].index - d.ruleRefs[b.rule].index })
	var lines []string
	for _, p := range parts {
		line := outcomeText(p.rule)
		if p.when != nil {
			line = strings.Join(p.when, ", or ") + ": " + line
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "<br>")
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
	if deviates(r) {
		parts = append(parts, differsMark)
	}
	if r.Result != nil {
		parts = append(parts, "**"+r.Result.Name+"**")
	}
	if len(r.Do) > 0 {
		parts = append(parts, strings.Join(namesIn(r.Do, doText), ", "))
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
func (d *document) rules(in *inputPlan, title string) {
	d.heading(3, title)
	if in.Kind != spec.Response {
		d.text(in.Doc)
	}
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
