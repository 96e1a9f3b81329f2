package heartbeat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// consumerInterpreter does to a member what rules say. What an effect does is read off its declaration, as far as that says it. What
// that has no words for is known by the effect's name (namedEffects): for these the comparison shows that the rules name them in the
// right places, and that what is written here of them is Kafka's, not that the specification says it.
type consumerInterpreter struct {
	r        *consumerReading
	values   spec.Values // guards, as the fact has them, and flags
	static   bool
	own      string // the class that Kafka raises for the code that is handled
	answer   int    // the epoch in the answer, and the assignment
	assigned []int
	resolved []int  // the target of the reconciliation that goes on
	kept     string // the class of the lookup's error that is to be raised

	consumerAfter
	used  []*spec.Rule
	ended []*spec.Input // callbacks about nothing, which are over at once
}

func (r *consumerReading) interpreter(before consumerBefore, static bool, values spec.Values) *consumerInterpreter {
	return &consumerInterpreter{r: r, values: values, static: static, resolved: before.Target, consumerAfter: consumerAfter{consumerBefore: before}}
}

// input lets the member decide, and then about each callback that is over at once. It returns the rule that was done.
func (m *consumerInterpreter) input(name, code string) *spec.Rule {
	rule := m.do(m.r.decide(name, code, m.State, m.values))
	for len(m.ended) > 0 {
		next := m.ended[0]
		m.ended = m.ended[1:]
		m.do(m.r.decide(next.Name, "", m.State, m.values))
	}
	return rule
}

func (m *consumerInterpreter) do(rule *spec.Rule) *spec.Rule {
	m.used = append(m.used, rule)
	if altered := m.r.altered[rule]; altered != nil {
		rule = altered
	}
	for _, to := range rule.To {
		m.Path = append(m.Path, to.Name)
		m.State = to.Name
	}
	for _, do := range rule.Effects() {
		m.effect(do.Effect)
	}
	if rule.Result != nil && rule.Result.Error != "" && rule.Input.Name == "ConsumerGroupHeartbeat" {
		m.Raised = append(m.Raised, m.own)
	}
	return rule
}

func (m *consumerInterpreter) effect(x *spec.Effect) {
	for _, flag := range x.Sets {
		m.values[flag.Name] = true
	}
	for _, flag := range x.Clears {
		m.values[flag.Name] = false
	}
	m.CoordinatorKnown, m.InFlight, m.Reconciling = m.flag("coordinator_known", m.CoordinatorKnown), m.flag("in_flight", m.InFlight), m.flag("reconciling", m.Reconciling)
	named := func(timer *spec.Timer) bool { return timer.Name == "retry" }
	starts, forgets := slices.ContainsFunc(x.Starts, named), slices.ContainsFunc(x.Forgets, named)
	switch {
	case forgets:
		m.Attempts, m.BackingOff = 0, starts
	case starts:
		m.Attempts, m.BackingOff = m.Attempts+1, true
	}
	if identityNames(x.Takes) == "epoch" {
		m.Epoch = m.answer
	}
	if len(x.Sends) > 0 && x.Sends[0].Name == "ConsumerGroupHeartbeat" {
		m.Sent = &consumerSent{Epoch: m.Epoch}
	}
	m.LooksUp = m.LooksUp || len(x.Sends) > 0 && x.Sends[0].Name == "FindCoordinator"
	m.calls(x)
	if named := namedEffects()[x.Name]; named != nil {
		named(m)
	}
}

// calls begins a callback. What an effect drops and calls a callback for, is dropped when that has ended; and one about nothing
// is over at once. Of a commit nothing is seen: there is nothing to commit.
func (m *consumerInterpreter) calls(x *spec.Effect) {
	if len(x.Calls) == 0 {
		if identityNames(x.Drops) == "partitions" {
			m.Owned = 0
		}
		return
	}
	callback := x.Calls[0]
	about := m.Owned > 0 && callback != "commit" || callback == "onPartitionsAssigned"
	if about {
		m.Callbacks = append(m.Callbacks, callback)
	} else {
		m.ended = append(m.ended, x.AnsweredBy[0])
	}
}

func (m *consumerInterpreter) flag(name string, is bool) bool {
	if v, ok := m.values[name]; ok {
		return v
	}
	return is
}

// view is what the facts show of a member that was in another state before. That it has entered anew the state in which it is
// does not show: Kafka's class says so of some rules whose decision is to stay.
func (a consumerAfter) view(from string) factView {
	view := factView{
		"path": strings.Join(slices.Compact(append([]string{from}, a.Path...)), ", "), "state": a.State, "epoch": fmt.Sprint(a.Epoch), "coordinator_known": fmt.Sprint(a.CoordinatorKnown),
		"in_flight": fmt.Sprint(a.InFlight), "backing_off": fmt.Sprint(a.BackingOff), "attempts": fmt.Sprint(a.Attempts),
		"owned": fmt.Sprint(a.Owned), "applied": partitionsView(a.Applied), "target": partitionsView(a.Target), "subscribed": fmt.Sprint(a.Subscribed), "reconciling": fmt.Sprint(a.Reconciling), "leave": a.Leave,
		"raised": strings.Join(a.Raised, ", "), "callbacks": strings.Join(a.Callbacks, ", "),
		"lookup_error": a.LookupError, "looks_up": fmt.Sprint(a.LooksUp), "sent": "nothing",
	}
	if a.Sent != nil {
		view["sent"] = fmt.Sprintf("epoch %d", a.Sent.Epoch)
	}
	return view
}

func partitionsView(partitions []int) string {
	if partitions == nil {
		return "none"
	}
	return fmt.Sprint(partitions)
}
