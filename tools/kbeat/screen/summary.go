package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/tools/kbeat/event"
)

// decided counts decisions about errors, by rule and code.
type decided struct{ rows []*decidedRow }

type decidedRow struct {
	event   event.Event // the first
	members map[string]int
}

func (d *decided) add(e event.Event) {
	i := slices.IndexFunc(d.rows, func(r *decidedRow) bool { return r.event.At == e.At && r.event.Code == e.Code })
	if i < 0 {
		i = len(d.rows)
		d.rows = append(d.rows, &decidedRow{event: e, members: map[string]int{}})
	}
	d.rows[i].members[e.Member]++
}

// result is the end: what became of each member, which rules decided about errors, and what is wrong.
func (s *Screen) result(e event.Event) {
	s.showEveryday()
	if len(s.ends) > 0 {
		s.members()
	}
	if len(s.decided.rows) > 0 {
		s.errors()
	}
	if e.Text == "" {
		return
	}
	s.line("")
	if e.OK != nil && *e.OK {
		s.line(s.paint(green, e.Text))
		return
	}
	s.line(s.paint(red, e.Text))
	for _, problem := range e.Problem {
		for i, l := range wrap(problem, width-4) {
			mark := "    "
			if i == 0 {
				mark = "  - "
			}
			s.line(mark + l)
		}
	}
}

// members is a table of all that there were.
func (s *Screen) members() {
	slices.SortStableFunc(s.ends, func(a, b event.Event) int { return slices.Index(byAge([]string{a.Member, b.Member}), a.Member)*2 - 1 })
	s.line("")
	const row = "%-16s  %-20s  %10s  %7s  %6s   %s"
	s.line(s.paint(bold, fmt.Sprintf("%-6s  "+row, "member", "in the end", "last state", "heartbeats", "rejoins", "errors", "partitions")))
	for _, e := range s.ends {
		state := e.State
		if e.Generation > 0 {
			state += fmt.Sprintf(" in %d", e.Generation)
		}
		errors := 0
		for _, n := range e.Tally.Errors {
			errors += n
		}
		s.line(s.paint(s.colourOf(e.Member), pad(e.Member, 6)) + "  " + fmt.Sprintf(row, e.Text, state,
			fmt.Sprintf("%d of %d", e.Tally.Answered, e.Tally.Sent), fmt.Sprint(max(0, e.Tally.Joined-1)), fmt.Sprint(errors),
			s.brief(e.Partitions)))
	}
	s.line(s.paint(faint, "heartbeats: answered of sent; rejoins: how often it became STABLE again; errors: codes but NONE"))
}

// errors is a table of the rules that decided about errors, and whose.
func (s *Screen) errors() {
	rows := slices.Clone(s.decided.rows)
	slices.SortStableFunc(rows, func(a, b *decidedRow) int { return a.event.Fired.Rule.Line - b.event.Fired.Rule.Line })
	s.line("")
	s.line(s.paint(bold, fmt.Sprintf("%-18s  %-38s  %s", "rule", "error", "members and how often")))
	for _, r := range rows {
		var counts []string
		for _, m := range byAge(keys(r.members)) {
			counts = append(counts, s.paint(s.colourOf(m), m)+fmt.Sprintf(" %d", r.members[m]))
		}
		s.line(fmt.Sprintf("%s  %-38s  %s", s.paint(faint, pad(r.event.At, 18)), subject(r.event), strings.Join(counts, "  ")))
	}
}

func keys(m map[string]int) []string {
	var found []string
	for k := range m {
		found = append(found, k)
	}
	return found
}
