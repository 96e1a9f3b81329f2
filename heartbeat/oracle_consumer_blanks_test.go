package heartbeat

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kbeat/kbeat/spec"
)

// consumerBlanks finds what the comparison does not see: each rule that facts come to is changed, one thing at a time.
type consumerBlanks struct {
	r   *consumerReading
	by  map[*spec.Rule][]consumerComparison // the facts that come to a rule
	all []*spec.Rule
}

func newConsumerBlanks(r *consumerReading, facts []consumerComparison) *consumerBlanks {
	b := &consumerBlanks{r: r, by: map[*spec.Rule][]consumerComparison{}}
	for _, f := range facts {
		used, want := f.want(r)
		if len(want.against(f.got)) > 0 {
			continue // it differs as declared: what else would differ does not show
		}
		for _, rule := range used {
			if b.by[rule] == nil {
				b.all = append(b.all, rule)
			}
			b.by[rule] = append(b.by[rule], f)
		}
	}
	return b
}

// report counts the changes that are seen, and lists the others. A rule that goes to another state is seen always.
func (b *consumerBlanks) report(t *testing.T) string {
	seen, tried := 0, 0
	unseen := map[string]int{}
	for _, rule := range b.all {
		for what, changed := range b.changes(rule) {
			tried++
			if b.sees(rule, changed) {
				seen++
				continue
			}
			unseen[what]++
			if what == goesElsewhere {
				t.Errorf("%s:%d %s: no fact notices where the rule goes", b.r.machine.File, rule.Pos.Line, rule.Name)
			}
		}
	}
	return fmt.Sprintf("%d rules changed, one thing at a time: %d of %d changes are seen; not seen are\n", len(b.all), seen, tried) + counted(unseen)
}

const goesElsewhere = "another state"

// changes are the rule with another way, without each of its effects, and with each other result.
func (b *consumerBlanks) changes(rule *spec.Rule) map[string]*spec.Rule {
	out := map[string]*spec.Rule{}
	elsewhere := *rule
	elsewhere.To = append(slices.Clone(rule.To), b.r.machine.Initial, b.r.machine.States[1])
	out[goesElsewhere] = &elsewhere
	for i, do := range rule.Do {
		without := *rule
		without.Do = slices.Delete(slices.Clone(rule.Do), i, i+1)
		out["without "+do.Effect.Name] = &without
	}
	if rule.Result != nil && rule.Result.Group != nil {
		for _, result := range rule.Result.Group.Results {
			if result != rule.Result {
				other := *rule
				other.Result = result
				out[fmt.Sprintf("%s for %s of %s", result.Name, rule.Result.Name, rule.Input.Name)] = &other
			}
		}
	}
	return out
}

// sees says whether a fact differs once the rule is another.
func (b *consumerBlanks) sees(rule, changed *spec.Rule) bool {
	b.r.altered = map[*spec.Rule]*spec.Rule{rule: changed}
	defer func() { b.r.altered = nil }()
	return slices.ContainsFunc(b.by[rule], func(f consumerComparison) bool {
		_, want := f.want(b.r)
		return len(want.against(f.got)) > 0
	})
}
