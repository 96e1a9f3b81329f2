package fsmtest

import (
	"fmt"
	"slices"
	"strings"
)

// Points lists every point of a table with the index of the rule that its lines give it, in a fixed order: codes, states,
// answers, flags that are not asked for. The error says which line cannot be read, and which cell no line or more than one
// decides.
func (s *Space) Points(t *Table, yield func(p Point, rule int)) error {
	owners, err := s.owners(t)
	if err != nil {
		return err
	}
	for i, rule := range owners {
		p := s.point(t, i)
		if rule < 0 {
			return fmt.Errorf("%s: no line of the table has this cell", p)
		}
		yield(p, rule)
		if len(s.Flags) > 0 {
			p.Others = true
			yield(p, rule)
		}
	}
	return nil
}

// owners has the index of the deciding rule for each cell, by the number of the cell.
func (s *Space) owners(t *Table) ([]int, error) {
	owners := make([]int, s.size(t))
	for i := range owners {
		owners[i] = -1
	}
	named := t.named()
	for r, rule := range t.Rules {
		for _, line := range rule.Cells {
			cells, err := s.expand(t, line, named)
			if err != nil {
				return nil, fmt.Errorf("%s: %q: %w", rule.at(), line, err)
			}
			for _, i := range cells {
				if owners[i] >= 0 {
					return nil, fmt.Errorf("%s: both %s and %s have this cell", s.point(t, i), t.Rules[owners[i]].at(), rule.at())
				}
				owners[i] = r
			}
		}
	}
	return owners, nil
}

// size is the number of cells of a table.
func (s *Space) size(t *Table) int {
	n := len(s.codes(t)) * len(s.States)
	for _, a := range t.Asks {
		n *= a.radix()
	}
	return n
}

// codes are those of a table's cells; one without a name where cells have no code.
func (s *Space) codes(t *Table) []string {
	if t.coded() {
		return s.Codes
	}
	return []string{""}
}

// point is the cell with a number.
func (s *Space) point(t *Table, n int) Point {
	p := Point{table: t, answers: make([]int, len(t.Asks))}
	for i := len(t.Asks) - 1; i >= 0; i-- {
		p.answers[i] = n % t.Asks[i].radix()
		n /= t.Asks[i].radix()
	}
	p.State = s.States[n%len(s.States)]
	p.Code = s.codes(t)[n/len(s.States)]
	return p
}

// named are the codes that some line names.
func (t *Table) named() map[string]bool {
	out := map[string]bool{}
	for _, r := range t.Rules {
		for _, line := range r.Cells {
			codes, _, _ := strings.Cut(line, "|")
			for c := range strings.FieldsSeq(codes) {
				out[c] = true
			}
		}
	}
	return out
}

// expand lists the numbers of the cells of a line.
func (s *Space) expand(t *Table, line string, named map[string]bool) ([]int, error) {
	parts := strings.Split(line, "|")
	if !t.coded() {
		parts = append([]string{""}, parts...)
	}
	if len(parts) != 3 {
		return nil, fmt.Errorf("%d columns", len(parts))
	}
	codes, err := s.codeNumbers(t, strings.Fields(parts[0]), named)
	if err != nil {
		return nil, err
	}
	states, err := s.stateNumbers(strings.Fields(parts[1]))
	if err != nil {
		return nil, err
	}
	marks := strings.TrimSpace(parts[2])
	if len(marks) != len(t.Asks) {
		return nil, fmt.Errorf("%d marks for %d questions", len(marks), len(t.Asks))
	}
	var cells []int
	for _, c := range codes {
		for _, st := range states {
			cells = append(cells, c*len(s.States)+st)
		}
	}
	for i, a := range t.Asks {
		var answers []int
		for n := range a.radix() {
			if marks[i] == '-' || int(marks[i]-'0') == n {
				answers = append(answers, n)
			}
		}
		if len(answers) == 0 {
			return nil, fmt.Errorf("%c is no answer to %s", marks[i], a.Name)
		}
		var next []int
		for _, cell := range cells {
			for _, n := range answers {
				next = append(next, cell*a.radix()+n)
			}
		}
		cells = next
	}
	return cells, nil
}

func (s *Space) codeNumbers(t *Table, names []string, named map[string]bool) ([]int, error) {
	if !t.coded() {
		return []int{0}, nil
	}
	var out []int
	for _, name := range names {
		i := slices.Index(s.Codes, name)
		switch {
		case name == "otherwise":
			for i, code := range s.Codes {
				if !named[code] {
					out = append(out, i)
				}
			}
		case i < 0:
			return nil, fmt.Errorf("no code %s", name)
		default:
			out = append(out, i)
		}
	}
	return out, nil
}

func (s *Space) stateNumbers(names []string) ([]int, error) {
	but := len(names) > 0 && names[0] == "not"
	if but {
		names = names[1:]
	}
	for _, name := range names {
		if name != "*" && !slices.Contains(s.States, name) {
			return nil, fmt.Errorf("no state %s", name)
		}
	}
	var out []int
	for i, state := range s.States {
		if slices.Contains(names, "*") || slices.Contains(names, state) != but {
			out = append(out, i)
		}
	}
	return out, nil
}
