package heartbeat

import (
	"slices"
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

// decide finds the rule. An answer that the decision asks for and values does not have is an error; calm has those that are taken
// for false where a fact does not say.
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
