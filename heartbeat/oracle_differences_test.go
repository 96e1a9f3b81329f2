package heartbeat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// differences are what one comparison has seen to be otherwise than Kafka's client, by value, under each declaration that
// covers it: a rule, an effect or a result that says `deviates`.
type differences struct {
	comparison string
	seen       map[string]map[string]*difference // by declaration, then by what differs
	of         map[string]int                    // how many facts have come to a declaration, where that is known
}

// difference is one of them.
type difference struct {
	facts   int
	example string // the first fact that shows it
}

func newDifferences(comparison string) *differences {
	return &differences{comparison: comparison, seen: map[string]map[string]*difference{}, of: map[string]int{}}
}

// note counts a fact under a declaration.
func (d *differences) note(declaration, example string, changes ...change) {
	if d.seen[declaration] == nil {
		d.seen[declaration] = map[string]*difference{}
	}
	what := strings.Join(together(changes), "\n")
	one := d.seen[declaration][what]
	if one == nil {
		one = &difference{example: example}
		d.seen[declaration][what] = one
	}
	one.facts++
}

// change is a difference in one aspect: what Kafka's client has there, and what is here.
type change struct{ aspect, kafka, ours string }

// together are changes as they are on record, those that are the same in several aspects in one.
func together(changes []change) (texts []string) {
	aspects := map[string][]string{}
	for _, c := range changes {
		from := fmt.Sprintf("%s → %s", cmp.Or(c.kafka, "(nothing)"), cmp.Or(c.ours, "(nothing)"))
		aspects[from] = append(aspects[from], c.aspect)
	}
	for from, of := range aspects {
		slices.Sort(of)
		texts = append(texts, strings.Join(of, ", ")+": "+from)
	}
	slices.Sort(texts)
	return texts
}

// lines are what is on record of a declaration: each distinct difference, with the number of its facts and the first of them.
func (d *differences) lines(declaration string) []string {
	seen := d.seen[declaration]
	if len(seen) == 0 {
		return nil
	}
	all := 0
	for _, one := range seen {
		all += one.facts
	}
	head := fmt.Sprintf("%s: %d", d.comparison, all)
	if of := d.of[declaration]; of > 0 {
		head += fmt.Sprintf(" of %d", of)
	}
	out := []string{head}
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		one := seen[what]
		count := fmt.Sprintf("  %d × ", one.facts)
		for _, line := range packed(strings.Split(what, "\n")) {
			out = append(out, count+line)
			count = strings.Repeat(" ", len([]rune(count)))
		}
		out = append(out, count+"as in "+one.example)
	}
	return out
}

// report is what has been seen of each deviation of a machine that makes a difference.
func (d *differences) report(m *spec.Machine) string {
	var b strings.Builder
	for _, dev := range deviationsOf(m) {
		for i, line := range d.lines(dev.name) {
			if i == 0 {
				fmt.Fprintln(&b, dev.name)
			}
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	return b.String()
}

// packed puts short texts on one line, as long as the line does not get too long.
func packed(texts []string) (lines []string) {
	const width = 120
	for _, text := range texts {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+len(text) < width {
			lines[last] += "; " + text
			continue
		}
		lines = append(lines, text)
	}
	return lines
}

// deviation is what says `deviates`, and the reason.
type deviation struct{ name, why string }

// deviationsOf are all of a machine, in its order.
func deviationsOf(m *spec.Machine) (all []deviation) {
	add := func(name, why string) {
		if why != "" {
			all = append(all, deviation{name, why})
		}
	}
	for _, e := range m.Effects {
		add("effect "+e.Name, e.Deviates)
	}
	for _, q := range m.Requests {
		add("request "+q.Response.Name, q.Deviates)
	}
	for _, group := range m.Results {
		for _, r := range group.Results {
			add(resultName(r), r.Deviates)
		}
	}
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			add(rule.Name, rule.Deviates)
		}
	}
	return all
}
