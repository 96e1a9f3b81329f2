package gen

import (
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// cube is a set of cells that one rule decides: these states, and for each mark of the input an answer or any (-).
type cube struct {
	states []*spec.State
	marks  string
	rule   *spec.Rule
}

// block is what some codes have in common: the same cubes. Of those that no case names, rest has the ones of which the
// catalogue says nothing, and all that it does not know.
type block struct {
	codes     []*spec.Code
	otherwise bool // no case names them
	rest      bool
	cubes     []cube
}

// blocks takes the enumeration of an input apart into as few lines as say the same. It looks at what the specification decides
// in each cell, not at how it says so; rules for which like gives the same one are not told apart.
func (p *plan) blocks(in *inputPlan, like func(*spec.Rule) *spec.Rule) []block {
	var out []block
	for _, c := range in.Cases {
		if in.Kind != spec.Response {
			return []block{{cubes: p.cubes(in, c, nil, like)}}
		}
		first := len(out)
		if c.Otherwise {
			out = append(out, block{otherwise: true, rest: true, cubes: p.cubes(in, c, &spec.Code{}, like)})
		}
		for _, code := range c.Codes {
			cubes := p.cubes(in, c, code, like)
			i := slices.IndexFunc(out[first:], func(b block) bool { return slices.EqualFunc(b.cubes, cubes, sameCube) })
			if i < 0 {
				i = len(out) - first
				out = append(out, block{otherwise: c.Otherwise, cubes: cubes})
			}
			out[first+i].codes = append(out[first+i].codes, code)
		}
	}
	return out
}

func sameCube(a, b cube) bool {
	return a.rule == b.rule && a.marks == b.marks && slices.Equal(a.states, b.states)
}

// cubes decides a case for one code in every cell, and joins cells that are decided alike.
func (p *plan) cubes(in *inputPlan, c *spec.Case, code *spec.Code, like func(*spec.Rule) *spec.Rule) []cube {
	asked := spec.Asked(c.Decision)
	var here []mark // of this case, in the order of in.marks
	for _, m := range in.marks {
		if slices.ContainsFunc(asked, func(t spec.Test) bool { x, ok := markOf(t); return ok && x == m }) {
			here = append(here, m)
		}
	}
	size := len(p.States)
	for _, m := range here {
		size *= m.radix()
	}
	table := make([]*spec.Rule, size)
	for _, values := range spec.Assignments(asked, code) {
		index := 0
		for _, m := range here {
			index = index*m.radix() + m.answer(values)
		}
		for _, s := range p.States {
			table[index*len(p.States)+s.Index] = like(spec.Decide(c.Decision, s, values, nil))
		}
	}
	cubes := merge(here, p.split(here, table, ""))
	for i := range cubes {
		cubes[i].marks = spread(in.marks, here, cubes[i].marks)
	}
	return cubes
}

// answer is the number of the answer that values give: 0 for no and 1 for yes, or that of a question's answer.
func (m mark) answer(values spec.Values) int {
	if m.question != nil {
		return slices.IndexFunc(m.question.Answers, func(a *spec.Guard) bool { return values[a.Name] })
	}
	if values[m.name()] {
		return 1
	}
	return 0
}

// split fixes the first mark that matters and goes on with each of its answers; with no mark left it groups the states by rule.
func (p *plan) split(marks []mark, table []*spec.Rule, prefix string) []cube {
	if len(marks) == 0 {
		var out []cube
		for i, rule := range table {
			at := slices.IndexFunc(out, func(c cube) bool { return c.rule == rule })
			if at < 0 {
				at = len(out)
				out = append(out, cube{marks: prefix, rule: rule})
			}
			out[at].states = append(out[at].states, p.States[i])
		}
		return out
	}
	part := len(table) / marks[0].radix()
	same := true
	for n := part; n < len(table); n += part {
		same = same && slices.Equal(table[:part], table[n:n+part])
	}
	if same {
		return p.split(marks[1:], table[:part], prefix+"-")
	}
	var out []cube
	for n := range marks[0].radix() {
		out = append(out, p.split(marks[1:], table[n*part:(n+1)*part], prefix+string(rune('0'+n)))...)
	}
	return out
}

// merge joins cubes of one rule that differ in their states alone, or in one answer that is yes or no, until none are left.
func merge(marks []mark, cubes []cube) []cube {
	for {
		i, j, joined := mergeable(marks, cubes)
		if i < 0 {
			return cubes
		}
		cubes[i] = joined
		cubes = slices.Delete(cubes, j, j+1)
	}
}

func mergeable(marks []mark, cubes []cube) (int, int, cube) {
	for i, a := range cubes {
		for j := i + 1; j < len(cubes); j++ {
			b := cubes[j]
			if a.rule != b.rule {
				continue
			}
			if a.marks == b.marks {
				states := slices.SortedFunc(slices.Values(slices.Concat(a.states, b.states)), func(x, y *spec.State) int { return x.Index - y.Index })
				return i, j, cube{states, a.marks, a.rule}
			}
			if at := onlyDifference(a.marks, b.marks); at >= 0 && marks[at].question == nil && slices.Equal(a.states, b.states) {
				return i, j, cube{a.states, a.marks[:at] + "-" + a.marks[at+1:], a.rule}
			}
		}
	}
	return -1, -1, cube{}
}

// onlyDifference is where a has yes and b no, or the other way round, and nothing else differs; else -1.
func onlyDifference(a, b string) int {
	at := -1
	for i := range len(a) {
		if a[i] == b[i] {
			continue
		}
		if at >= 0 || !(a[i] == '0' && b[i] == '1' || a[i] == '1' && b[i] == '0') {
			return -1
		}
		at = i
	}
	return at
}

// within are the cubes of one state, as wide as they can be without touching those of another rule. They may overlap.
func (b block) within(s *spec.State) []cube {
	var here []cube
	for _, c := range b.cubes {
		if slices.Contains(c.states, s) {
			here = append(here, c)
		}
	}
	var out []cube
	for _, c := range here {
		for i := range c.marks {
			wider := c.marks[:i] + "-" + c.marks[i+1:]
			if !slices.ContainsFunc(here, func(other cube) bool { return other.rule != c.rule && overlap(other.marks, wider) }) {
				c.marks = wider
			}
		}
		if !slices.ContainsFunc(out, func(other cube) bool { return other.rule == c.rule && other.marks == c.marks }) {
			out = append(out, c)
		}
	}
	return out
}

// overlap reports whether some answers are of both.
func overlap(a, b string) bool {
	for i := range len(a) {
		if a[i] != b[i] && a[i] != '-' && b[i] != '-' {
			return false
		}
	}
	return true
}

// spread sets the marks of a case among all marks of its input; what the case does not ask is any.
func spread(all, here []mark, marks string) string {
	var out strings.Builder
	for _, m := range all {
		if i := slices.Index(here, m); i >= 0 {
			out.WriteByte(marks[i])
		} else {
			out.WriteByte('-')
		}
	}
	return out.String()
}
