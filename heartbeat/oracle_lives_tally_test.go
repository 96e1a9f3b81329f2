package heartbeat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kbeat/kbeat/spec"
)

// livesTally counts how lives compare.
type livesTally struct {
	families    map[string]*familyTally
	ends        map[string]map[string]int // why lives were not compared to their end: by name, and by what differed
	relaxed     map[string]int
	excused     map[string]int      // by which declaration, in which aspect
	equal       map[*spec.Rule]bool // have decided in steps that came out equal
	differed    map[*spec.Rule]bool // have decided in steps that differed as declared
	failures    []string
	failed      int
	differences *differences   // by which lives ended, by value
	meddle      func(*relived) // changes what was seen in a step, before it is compared; may be nil
}

// impatient stands before the names of lifeStructure.
const impatient = "impatient: "

// familyTally is of one kind of lives.
type familyTally struct {
	lives, equal, declared, structural int
	steps, compared                    int
}

func newLivesTally() *livesTally {
	return &livesTally{families: map[string]*familyTally{}, ends: map[string]map[string]int{}, relaxed: map[string]int{}, excused: map[string]int{}, equal: map[*spec.Rule]bool{}, differed: map[*spec.Rule]bool{},
		differences: newDifferences("lives")}
}

// relive lives a life again, and compares it for as long as it can be compared. What is left is lived against the
// specification's own model alone.
func (c *livesTally) relive(t testing.TB, r *oracleReading, f *lifeFact) {
	family := c.families[f.Family]
	if family == nil {
		family = &familyTally{}
		c.families[f.Family] = family
	}
	family.lives++
	family.steps += len(f.Steps)
	l := newRelived(t, r, f)
	l.relax = func(name string) {
		if !l.alone {
			c.relax(name)
		}
	}
	l.aside = func(name string, of change) {
		if !l.alone {
			c.aside(name, f, l.present, of)
		}
	}
	for i := range f.Steps {
		s := &f.Steps[i]
		l.happens(s)
		if l.alone {
			continue
		}
		if c.meddle != nil {
			c.meddle(l)
		}
		differ, want, got := l.compare(s)
		if len(differ) == 0 {
			l.must(l.missed == 0, "life %d step %d: the Core has not sent, or seen the end of, request %d", f.Life, s.Step, l.missed)
			family.compared++
			mark(c.equal, l.seen.decided)
			l.remember()
			continue
		}
		by := l.explain(differ)
		structure := l.structural(s, differ, want, got)
		switch {
		case by != nil:
			family.declared++
			mark(c.differed, l.seen.decided)
			c.end(strings.Join(slices.Sorted(maps.Keys(by)), " and "), strings.Join(differ, " "))
			c.note(by, f, s, want, got)
			for name, aspects := range by {
				for _, a := range aspects {
					c.excused[name+" in "+a]++
				}
			}
		case structure != "":
			family.structural++
			c.end(impatient+structure, strings.Join(differ, " "))
		default:
			c.fail(f, s, l, differ, want, got)
		}
		l.alone, l.core.asleep = true, false
	}
	if !l.alone {
		family.equal++
	}
}

// verdict is what came out, in one line.
func (c *livesTally) verdict() string {
	var all familyTally
	for _, f := range c.families {
		all.lives += f.lives
		all.equal += f.equal
		all.declared += f.declared
		all.structural += f.structural
	}
	return fmt.Sprintf("of %d lives %d are equal to their end, %d up to a declared difference, %d up to where Kafka's answers hang on its own threads, and %d differ undeclared",
		all.lives, all.equal, all.declared, all.structural, c.failed)
}

func mark(rules map[*spec.Rule]bool, decided []*spec.Rule) {
	for _, row := range decided {
		rules[row] = true
	}
}

func (c *livesTally) end(name, aspects string) {
	if c.ends[name] == nil {
		c.ends[name] = map[string]int{}
	}
	c.ends[name][aspects]++
}

// note has the differences on record that a life was compared up to.
func (c *livesTally) note(by map[string][]string, f *lifeFact, s *lifeStep, want, got factView) {
	for name, aspects := range by {
		var changes []change
		for _, a := range aspects {
			changes = append(changes, oracleWords{}.ofLife(a, want[a], got[a]))
		}
		c.differences.note(name, fmt.Sprintf("life %d step %d: %s", f.Life, s.Step, s.Do.inShort()), changes...)
	}
}

// aside has a declared difference on record that ends no life.
func (c *livesTally) aside(name string, f *lifeFact, s *lifeStep, of change) {
	if _, listed := lifeDeviations[name]; !listed {
		panic("no such deviation: " + name)
	}
	c.excused[name]++
	of = oracleWords{}.ofLife(of.aspect, of.kafka, of.ours)
	c.differences.note(name, fmt.Sprintf("life %d step %d: %s", f.Life, s.Step, s.Do.inShort()), of)
}

func (c *livesTally) relax(name string) {
	if lifeRelaxations[name] == "" {
		panic("no such relaxation: " + name)
	}
	c.relaxed[name]++
}

func (c *livesTally) fail(f *lifeFact, s *lifeStep, l *relived, differ []string, want, got factView) {
	c.failed++
	if len(c.failures) >= 20 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "life %d (%s) step %d, t=%d: %s\n", f.Life, f.Family, s.Step, s.T, s.Do)
	for _, aspect := range differ {
		fmt.Fprintf(&b, "\t%s: the Core %q, Kafka %q\n", aspect, got[aspect], want[aspect])
	}
	fmt.Fprintf(&b, "\tdecided by %s\n", where(l.seen.decided))
	c.failures = append(c.failures, b.String())
}

// tell fails the test where a life differs undeclared. It is to be deferred, as figures that are not those of testdata end
// the test before its last line.
func (c *livesTally) tell(t *testing.T) {
	for _, f := range c.failures {
		t.Errorf("undeclared difference: %s", f)
	}
	if c.failed > len(c.failures) {
		t.Errorf("%d more undeclared differences", c.failed-len(c.failures))
	}
	if t.Failed() {
		t.Log("a difference that is meant: let the rule say `deviates`, and renew what is on record: " + Renew)
	}
}

// unused are the relaxations, and the aspects of deviations, that nothing has needed, and what is called rare and is not.
func (c *livesTally) unused() (names []string) {
	for name := range lifeRelaxations {
		if c.relaxed[name] == 0 {
			names = append(names, name)
		}
	}
	for name := range lifeStructure {
		_, rare := rareLifeEnds[impatient+name]
		if (c.ends[impatient+name] == nil) != rare {
			names = append(names, impatient+name)
		}
	}
	for name, d := range lifeDeviations {
		aspects := slices.Concat(d.now, d.later, d.answered)
		if len(aspects) == 0 && d.lookups == "" && c.excused[name] == 0 {
			names = append(names, name)
		}
		if d.lookups != "" {
			aspects = append(aspects, "lookups")
		}
		for _, a := range aspects {
			if rare := slices.Contains(rareLifeEnds[name], a); (c.excused[name+" in "+a] == 0) != rare {
				names = append(names, name+" in "+a)
			}
		}
		for _, a := range rareLifeEnds[name] {
			if !slices.Contains(aspects, a) {
				names = append(names, name+" in "+a)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// figures says how many lives are equal, and how far.
func (c *livesTally) figures() string {
	var b strings.Builder
	all := &familyTally{}
	line := func(name string, f *familyTally) {
		fmt.Fprintf(&b, "%s: %d lives, %d equal to the end (%s), %d up to a declared deviation, %d up to where the structures part, %d differ undeclared; %s of %d steps compared\n",
			name, f.lives, f.equal, percent(f.equal, f.lives), f.declared, f.structural, f.lives-f.equal-f.declared-f.structural, percent(f.compared, f.steps), f.steps)
	}
	for _, name := range slices.Sorted(maps.Keys(c.families)) {
		f := c.families[name]
		line(name, f)
		all.lives, all.equal, all.declared, all.structural = all.lives+f.lives, all.equal+f.equal, all.declared+f.declared, all.structural+f.structural
		all.steps, all.compared = all.steps+f.steps, all.compared+f.compared
	}
	line("all", all)
	return b.String()
}

func percent(part, whole int) string {
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(whole, 1)))
}

// upTo lists what lives were compared up to, and what differed there.
func (c *livesTally) upTo() string { return listed(c.ends) }

// structures lists those of it that are no declared differences, of which all is on record by value.
func (c *livesTally) structures() string {
	ends := maps.Clone(c.ends)
	maps.DeleteFunc(ends, func(name string, _ map[string]int) bool { return !strings.HasPrefix(name, impatient) })
	return listed(ends)
}

// listed is a line for each name, the frequent ones first.
func listed(all map[string]map[string]int) string {
	sum := func(name string) (n int) {
		for _, k := range all[name] {
			n += k
		}
		return n
	}
	var b strings.Builder
	for _, name := range slices.SortedFunc(maps.Keys(all), func(a, b string) int { return cmp.Or(cmp.Compare(sum(b), sum(a)), cmp.Compare(a, b)) }) {
		fmt.Fprintf(&b, "%d %s\n", sum(name), name)
		for _, aspects := range slices.Sorted(maps.Keys(all[name])) {
			fmt.Fprintf(&b, "  %d in %s\n", all[name][aspects], aspects)
		}
	}
	return b.String()
}

// relaxations says how often each was used.
func (c *livesTally) relaxations() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.relaxed)) {
		fmt.Fprintf(&b, "%d %s\n", c.relaxed[name], name)
	}
	return b.String()
}

// rules says which rules have decided in steps that were compared, and which never have.
func (c *livesTally) rules(m *spec.Machine) string {
	var never strings.Builder
	equal, differed, all := 0, 0, 0
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			all++
			switch {
			case c.equal[rule]:
				equal++
			case c.differed[rule]:
				differed++
			default:
				fmt.Fprintf(&never, "%s\n", rule.Name)
			}
		}
	}
	return fmt.Sprintf("%d of %d in steps that came out equal\n%d only in steps that differed as declared\n%d never:\n%s",
		equal, all, differed, all-equal-differed, never.String())
}
