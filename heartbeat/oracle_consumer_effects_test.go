package heartbeat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// namedEffects are the effects that the interpreter knows by name, and what they do beside what their declaration says.
func namedEffects() map[string]func(*consumerInterpreter) {
	return map[string]func(*consumerInterpreter){
		"reset_epoch": func(m *consumerInterpreter) { m.Epoch = 0 },
		"leave_epoch": func(m *consumerInterpreter) {
			m.Epoch, m.Applied = -1, nil
			if m.static && !m.values["leaves_for_good"] {
				m.Epoch = -2
			}
		},
		"drop_subscription": func(m *consumerInterpreter) { m.Subscribed = 0 },
		"drop_everything":   func(m *consumerInterpreter) { m.Subscribed, m.Applied, m.Target = 0, nil, nil },
		"clear_owned":       func(m *consumerInterpreter) { m.Applied, m.Target = nil, nil },
		"new_target":        func(m *consumerInterpreter) { m.Target = m.assigned },
		"forget_target":     func(m *consumerInterpreter) { m.Target = nil },
		"own_target":        func(m *consumerInterpreter) { m.Applied = m.resolved },
		"release_partitions": func(m *consumerInterpreter) {
			if m.Epoch <= 0 && m.Owned > 0 {
				m.Callbacks[len(m.Callbacks)-1] = "onPartitionsLost"
			}
		},
		"end_leave": func(m *consumerInterpreter) {
			if m.Leave == "pending" {
				m.Leave = "done"
			}
		},
		"raise_lookup_error": func(m *consumerInterpreter) {
			if m.kept != "" {
				m.Raised = append(m.Raised, m.kept)
			}
		},
		"keep_lookup_error": func(m *consumerInterpreter) { m.LookupError = m.own },
	}
}

// interpreterFigures says how much of the comparison is the interpreter's own knowledge, and not the machine's.
func interpreterFigures(machine *spec.Machine) string {
	names := slices.Sorted(maps.Keys(namedEffects()))
	for _, name := range names {
		if !slices.ContainsFunc(machine.Effects, func(x *spec.Effect) bool { return x.Name == name }) {
			return fmt.Sprintf("the machine has no effect %s\n", name)
		}
	}
	silent := slices.Sorted(maps.Keys(calm(nil)))
	return fmt.Sprintf("%d of %d effects are known by name: %s\n%d flags and guards are taken for false where a fact does not say: %s\n",
		len(names), len(machine.Effects), strings.Join(names, ", "), len(silent), strings.Join(silent, ", "))
}
