//go:build specmutants

package heartbeat

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm/classic"
	"github.com/kbeat/kbeat/spec"
)

// namedTest is a test of this package.
type namedTest struct {
	name string
	run  func(*testing.T)
}

// Tests are those of the Core that say something of rules and do not compare with Kafka.
var Tests []namedTest

// mutantLine is a change of the specification's text.
type mutantLine struct {
	ID   int
	Text string // the whole text with the change
}

// verdictLine is what became of a mutant. One without a verdict has begun.
type verdictLine struct {
	ID      int
	Verdict string `json:",omitempty"`
	By      string `json:",omitempty"` // the finding, or the fact, that told
}

// TestSpecMutants puts one changed specification after the other, as they come to the standard input, in the place of the
// real one, and says who notices.
func TestSpecMutants(t *testing.T) {
	say := func(v verdictLine) {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		fmt.Printf("verdict: %s\n", text)
	}
	b := observe(t)
	say(verdictLine{ID: -1, Verdict: "ready", By: b.figures()})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m mutantLine
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m))
		trying := func(what string) { say(verdictLine{ID: m.ID, Verdict: what}) }
		trying("trying cells")
		verdict, by := b.judge(t, m.Text, trying)
		if verdict == "alive" {
			trying("trying tests")
			verdict, by = b.test(t)
		}
		say(verdictLine{ID: m.ID, Verdict: verdict, By: by})
	}
	require.NoError(t, lines.Err())
}

// baseline is what comparisons show of the specification as it is.
type baseline struct {
	machine  *spec.Machine
	rules    map[classic.Point]string // what is done at each point that a fact leads to
	outcomes []map[int]string         // by comparison and fact
	points   []map[classic.Point][]int
	read     []string // the kind of facts of each comparison

	lives livesBaseline

	asked *classic.Interpreter
	does  map[*classic.Rule]string // by asked
}

// observe runs all comparisons with the specification as it is, and notes which facts lead to which decisions.
func observe(t *testing.T) *baseline {
	text, err := os.ReadFile(classic.GeneratedFrom())
	require.NoError(t, err)
	m, err := classic.ParseSpecification(text)
	require.NoError(t, err)
	b := &baseline{machine: m, rules: map[classic.Point]string{}}
	i := classic.NewInterpreter(m)
	var noted []classic.Point
	i.Noted = func(p classic.Point) { noted = append(noted, p) }
	classic.Run(i)
	for part := range steeredParts {
		outcomes, points := map[int]string{}, map[classic.Point][]int{}
		steers.compared = func(fact int, outcome string) {
			outcomes[fact] = outcome
			for _, p := range noted {
				if facts := points[p]; len(facts) == 0 || facts[len(facts)-1] != fact {
					points[p] = append(facts, fact)
				}
			}
			noted = noted[:0]
		}
		require.True(t, t.Run(steeredParts[part].name, func(t *testing.T) { steers.run(t, m, part) }))
		b.outcomes, b.points, b.read = append(b.outcomes, outcomes), append(b.points, points), append(b.read, steers.reading)
		for p := range points {
			b.rules[p] = b.done(i, i.Decide(p))
		}
	}
	b.observeLives(t, i, &noted)
	return b
}

// done is what a rule does, which is asked again and again.
func (b *baseline) done(i *classic.Interpreter, r *classic.Rule) string {
	if b.asked != i {
		b.asked, b.does = i, map[*classic.Rule]string{}
	}
	text, known := b.does[r]
	if !known {
		text = done(i.Row(r), i.Machine.Errors)
		b.does[r] = text
	}
	return text
}

func (b *baseline) figures() string {
	facts := 0
	for _, o := range b.outcomes {
		facts += len(o)
	}
	return fmt.Sprintf("%d comparisons of a fact, %d decisions behind them, %d lives", facts, len(b.rules), len(b.lives.facts))
}

// judge says who notices a changed text.
func (b *baseline) judge(t *testing.T, text string, say func(string)) (verdict, by string) {
	m, err := classic.ParseSpecification([]byte(text))
	if findings := (spec.Findings)(nil); errors.As(err, &findings) {
		return "refused", string(findings[0].ID)
	}
	require.NoError(t, err)
	before, after := declarations(b.machine), declarations(m)
	clocks := clocksOf(b.machine) != clocksOf(m)
	if before == after && !decidesOtherwise(b.machine, m) {
		return "harmless", ""
	}
	i := classic.NewInterpreter(m)
	classic.Run(i)
	for part := range steeredParts {
		wanted := b.wanted(part, i, clocks)
		if len(wanted) == 0 {
			continue
		}
		if by := b.differs(t, m, part, wanted); by != "" {
			return "cells", by
		}
	}
	say("trying lives")
	if by := b.lives.differ(t, b, i, m, before != after); by != "" {
		return "lives", by
	}
	return "alive", ""
}

// test runs the package's other tests until one fails.
func (b *baseline) test(t *testing.T) (verdict, by string) {
	for _, test := range Tests {
		if !t.Run(test.name, test.run) {
			return "tests", test.name
		}
	}
	return "alive", ""
}

// wanted are the facts of a comparison that lead to a decision which is now another one. Where timers run on other clocks, on
// which no single decision depends, they are all that there are, or of very many some.
func (b *baseline) wanted(part int, i *classic.Interpreter, clocks bool) []int {
	facts := map[int]bool{}
	if clocks {
		for f := range b.outcomes[part] {
			facts[f] = f%(1+len(b.outcomes[part])/2000) == 0
		}
	}
	for p, at := range b.points[part] {
		if b.done(i, i.Decide(p)) != b.rules[p] {
			for _, f := range at {
				facts[f] = true
			}
		}
	}
	var out []int
	for f, wanted := range facts {
		if wanted {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return steers.rowsTogether(b.read[part], out)
}

// differs compares until the first fact that compares otherwise than before, and names it.
func (b *baseline) differs(t *testing.T, m *spec.Machine, part int, wanted []int) (by string) {
	steers.wanted, steers.kind = map[string][]int{steeredParts[part].name: wanted}, b.read[part]
	defer func() { steers.wanted = nil }()
	ended := false
	t.Run(steeredParts[part].name, func(t *testing.T) {
		defer func() {
			if x := recover(); x != nil {
				by = fmt.Sprintf("%s: panic: %v", steeredParts[part].name, x)
				t.SkipNow()
			}
		}()
		steers.compared = func(fact int, outcome string) {
			if was := b.outcomes[part][fact]; was != outcome {
				by = fmt.Sprintf("%s: %s: differs from Kafka in [%s], not in [%s]", steeredParts[part].name, steers.names[steers.reading][fact], outcome, was)
				t.SkipNow()
			}
		}
		steers.run(t, m, part)
		ended = true
	})
	if by == "" && !ended {
		by = steeredParts[part].name + ": the comparison failed"
	}
	return by
}
