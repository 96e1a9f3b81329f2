//go:build specmutants

package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// steering tells comparisons which facts to look at, and is told what comes out.
type steering struct {
	facts      map[string]any      // all that is known, by name
	names      map[string][]string // of these facts
	exceptions *kafkaExceptions

	part     string           // the comparison that runs
	wanted   map[string][]int // the facts that it is to look at; nil: all
	kind     string           // of which kind those are; of all others it reads all
	reading  string           // of which kind the facts are that it looks at
	indices  []int            // which they are
	at       int              // how many of them have been looked at
	compared func(i int, outcome string)
}

// steers is told of each comparison of this process.
var steers = &steering{facts: map[string]any{}, names: map[string][]string{}}

// steeredFacts are those of a kind that the comparison is to look at.
func steeredFacts[F any](name string, load func() []F) []F {
	s := steers
	if s.facts[name] == nil {
		facts := load()
		s.facts[name] = facts
		for _, f := range facts {
			if named, ok := any(f).(fmt.Stringer); ok {
				s.names[name] = append(s.names[name], named.String())
			}
		}
	}
	facts := s.facts[name].([]F)
	s.reading, s.at, s.indices = name, 0, nil
	if s.wanted == nil || name != s.kind {
		for i := range facts {
			s.indices = append(s.indices, i)
		}
		return facts
	}
	var out []F
	for _, i := range s.wanted[s.part] {
		out, s.indices = append(out, facts[i]), append(s.indices, i)
	}
	return out
}

// steeredExceptions are read off all facts, once.
func steeredExceptions(read func([]cellFact) kafkaExceptions) kafkaExceptions {
	if steers.exceptions == nil {
		e := read(steers.facts["cells"].([]cellFact))
		steers.exceptions = &e
	}
	return *steers.exceptions
}

// steeredCompare passes on how a fact compares: in what it differs from Kafka, what is there instead, and whether that is declared.
func steeredCompare(c *oracleTally, fact fmt.Stringer, used []*spec.Rule, want, got factView) {
	s := steers
	if s.compared == nil {
		c.originalcompare(fact, used, want, got)
		return
	}
	for s.names[s.reading][s.indices[s.at]] != fact.String() {
		s.at++
	}
	i := s.indices[s.at]
	s.at++
	failed := c.failed
	c.originalcompare(fact, used, want, got)
	var differ []string
	for _, aspect := range want.against(got) {
		differ = append(differ, aspect+": "+want[aspect])
	}
	outcome := strings.Join(differ, ", ")
	if c.failed > failed {
		outcome += " undeclared"
	}
	s.compared(i, outcome)
}

// steeredParts are the parts of TestOracle, TestOracleOfCore and TestOracleOfTimers, by name. The facts of backoffs are not
// among them: they hold a function of the Core that asks the specification nothing.
var steeredParts = []struct {
	name    string
	run     func(t *testing.T, r *oracleReading, c *oracleTally) (facts int, more string)
	aspects map[string][]string
}{
	{"decisions in cells", compareCells, partDeviations},
	{"decisions in the loop", compareLoop, partDeviations},
	{"decisions of the listener", compareListener, partDeviations},
	{"Core in cells", compareCoreCells, coreDeviations},
	{"Core in the loop", compareCoreLoop, coreDeviations},
	{"Core of the listener", compareCoreListener, coreDeviations},
	{"timers of the Core", compareTimers, nil},
}

// reading is newOracleReading of a specification that is in memory.
func reading(t *testing.T, m *spec.Machine) *oracleReading {
	r := &oracleReading{t: t, machine: m, rules: map[string]*spec.Rule{}, same: map[*classic.Rule]*spec.Rule{}}
	for _, in := range m.Inputs() {
		for _, rule := range in.Rules() {
			r.rules[rule.Name] = rule
		}
	}
	return r
}

// run makes one comparison.
func (s *steering) run(t *testing.T, m *spec.Machine, part int) {
	c := steeredParts[part]
	s.part = c.name
	c.run(t, reading(t, m), newOracleTally(c.aspects, unreachedDeviations))
}

// rowsTogether adds to the facts that are wanted those of their rows and sequences, in which each begins where the one before
// has ended.
func (s *steering) rowsTogether(name string, wanted []int) []int {
	row := func(int) int { return -1 } // none
	switch facts := s.facts[name].(type) {
	case []listenerFact:
		row = func(i int) int {
			if facts[i].Variant == "consecutive" {
				return 0
			}
			return -1
		}
	case []timerFact:
		row = func(i int) int { return facts[i].Sequence }
	}
	rows, out := map[int]bool{}, map[int]bool{}
	for _, i := range wanted {
		rows[row(i)], out[i] = true, true
	}
	for i := range s.names[name] {
		if at := row(i); at >= 0 && rows[at] {
			out[i] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}
