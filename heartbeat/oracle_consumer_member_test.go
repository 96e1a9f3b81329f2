package heartbeat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/spec"
)

// consumerReading is the machine of the consumer protocol, evaluated as the specification has it: no package is generated from
// it. altered are rules that a test has put in the place of others.
type consumerReading struct {
	t       testing.TB
	machine *spec.Machine
	cases   map[string]*spec.Case // by input and code, which loops and events have none of
	asked   map[*spec.Case][]string
	own     map[string]string // the class that Kafka raises for each code
	altered map[*spec.Rule]*spec.Rule
}

func newConsumerReading(t testing.TB) *consumerReading {
	t.Helper()
	m, err := spec.Load("../spec/testdata/machines/consumer.yaml")
	require.NoError(t, err)
	r := &consumerReading{t: t, machine: m, cases: map[string]*spec.Case{}, asked: map[*spec.Case][]string{}, own: newKafkaExceptions(readFacts[cellFact](t, "cells")).own}
	for _, in := range m.Inputs() {
		for _, c := range in.Cases {
			for _, asked := range spec.Asked(c.Decision) {
				r.asked[c] = append(r.asked[c], asked.Name())
			}
			for _, code := range c.Codes {
				r.cases[in.Name+" "+code.Name] = c
			}
			if in.Kind != spec.Response {
				r.cases[in.Name+" "] = c
			}
		}
	}
	return r
}

// decide finds the rule. An answer that the decision asks for and values does not have is an error: no guard is taken for false
// because a fact does not say.
func (r *consumerReading) decide(input, code, state string, values spec.Values) *spec.Rule {
	r.t.Helper()
	c := r.cases[input+" "+code]
	if c == nil {
		r.t.Fatalf("the machine has no case for %s %s", input, code)
	}
	s := slices.IndexFunc(r.machine.States, func(s *spec.State) bool { return s.Name == state })
	if s < 0 {
		r.t.Fatalf("the machine has no state %s", state)
	}
	for _, asked := range r.asked[c] {
		if _, said := values[asked]; !said {
			r.t.Fatalf("%s asks for %s, which the fact does not say", input, asked)
		}
	}
	rule := spec.Decide(c.Decision, r.machine.States[s], values, nil)
	if rule == nil {
		r.t.Fatalf("%s %s in %s: no rule", input, code, state)
	}
	return rule
}

// consumerMember is a member that does what rules say. What an effect does is read off its declaration, as far as that says it;
// dropped epochs, the subscription and errors are known by the effect's name.
type consumerMember struct {
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

func (r *consumerReading) member(before consumerBefore, static bool, values spec.Values) *consumerMember {
	return &consumerMember{r: r, values: values, static: static, resolved: before.Target, consumerAfter: consumerAfter{consumerBefore: before}}
}

// input lets the member decide, and then about each callback that is over at once. It returns the rule that was done.
func (m *consumerMember) input(name, code string) *spec.Rule {
	rule := m.do(m.r.decide(name, code, m.State, m.values))
	for len(m.ended) > 0 {
		next := m.ended[0]
		m.ended = m.ended[1:]
		m.do(m.r.decide(next.Name, "", m.State, m.values))
	}
	return rule
}

func (m *consumerMember) do(rule *spec.Rule) *spec.Rule {
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

func (m *consumerMember) effect(x *spec.Effect) {
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
	switch x.Name {
	case "reset_epoch":
		m.Epoch = 0
	case "leave_epoch":
		m.Epoch, m.Applied = -1, nil
		if m.static && !m.values["leaves_for_good"] {
			m.Epoch = -2
		}
	case "drop_subscription":
		m.Subscribed = 0
	case "drop_everything":
		m.Subscribed, m.Applied, m.Target = 0, nil, nil
	case "clear_owned":
		m.Applied, m.Target = nil, nil
	case "new_target":
		m.Target = m.assigned
	case "forget_target":
		m.Target = nil
	case "own_target":
		m.Applied = m.resolved
	case "end_leave":
		if m.Leave == "pending" {
			m.Leave = "done"
		}
	case "raise_lookup_error":
		if m.kept != "" {
			m.Raised = append(m.Raised, m.kept)
		}
	case "keep_lookup_error":
		m.LookupError = m.own
	}
}

// calls begins a callback. What an effect drops and calls a callback for, is dropped when that has ended; and one about nothing
// is over at once. Of a commit nothing is seen: there is nothing to commit.
func (m *consumerMember) calls(x *spec.Effect) {
	if len(x.Calls) == 0 {
		if identityNames(x.Drops) == "partitions" {
			m.Owned = 0
		}
		return
	}
	callback := x.Calls[0]
	if x.Name == "release_partitions" && m.Epoch <= 0 {
		callback = "onPartitionsLost"
	}
	about := m.Owned > 0 && callback != "commit" || callback == "onPartitionsAssigned"
	if about {
		m.Callbacks = append(m.Callbacks, callback)
	} else {
		m.ended = append(m.ended, x.AnsweredBy[0])
	}
}

func (m *consumerMember) flag(name string, is bool) bool {
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
