package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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

// report counts the changes that are seen, and lists the others.
func (b *consumerBlanks) report() string {
	seen, tried := map[string]int{}, map[string]int{} // by kind
	unseen := map[string]int{}
	for _, rule := range b.all {
		for _, c := range b.changes(rule) {
			tried[c.kind]++
			if b.sees(rule, c.rule) {
				seen[c.kind]++
			} else {
				unseen[c.what]++
			}
		}
	}
	var figures []string
	for _, kind := range slices.Sorted(maps.Keys(tried)) {
		figures = append(figures, fmt.Sprintf("%d of %d %s", seen[kind], tried[kind], kind))
	}
	return fmt.Sprintf("%d rules changed, one thing at a time: %s are seen; not seen are\n", len(b.all), strings.Join(figures, ", ")) + counted(unseen)
}

// consumerChange is a rule with one thing changed.
type consumerChange struct {
	kind, what string
	rule       *spec.Rule
}

// changes are the rule without the last state that it goes to, without each of its effects, and with each other result.
func (*consumerBlanks) changes(rule *spec.Rule) (out []consumerChange) {
	if last := len(rule.To) - 1; last >= 0 {
		stays := *rule
		stays.To = rule.To[:last]
		out = append(out, consumerChange{"states dropped", "without the way to " + rule.To[last].Name, &stays})
	}
	for i, do := range rule.Do {
		without := *rule
		without.Do = slices.Delete(slices.Clone(rule.Do), i, i+1)
		out = append(out, consumerChange{"effects dropped", "without " + do.Effect.Name, &without})
	}
	if rule.Result != nil && rule.Result.Group != nil {
		for _, result := range rule.Result.Group.Results {
			if result != rule.Result {
				other := *rule
				other.Result = result
				out = append(out, consumerChange{"results exchanged", fmt.Sprintf("%s for %s of %s", result.Name, rule.Result.Name, rule.Input.Name), &other})
			}
		}
	}
	return out
}

// sees reports whether a fact differs once the rule is another.
func (b *consumerBlanks) sees(rule, changed *spec.Rule) bool {
	b.r.altered = map[*spec.Rule]*spec.Rule{rule: changed}
	defer func() { b.r.altered = nil }()
	return slices.ContainsFunc(b.by[rule], func(f consumerComparison) bool {
		_, want := f.want(b.r)
		return len(want.against(f.got)) > 0
	})
}
