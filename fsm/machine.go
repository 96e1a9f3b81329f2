package fsm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	looplab "github.com/looplab/fsm"
)

// ErrUnknownEvent and ErrUnknownState are wrapped where a name or a state is not the definition's.
var (
	ErrUnknownEvent = errors.New("unknown event")
	ErrUnknownState = errors.New("unknown state")
)

// IllegalEventError says that an event leads nowhere from the present state. The machine has not moved.
type IllegalEventError struct {
	Event string
	State string
}

func (e *IllegalEventError) Error() string {
	return fmt.Sprintf("no way leads from state %s by %s", e.State, e.Event)
}

// Hooks are told of each move after it has been made, on the goroutine that made it, with no lock held. They may call any method
// of the machine; a hook that panics leaves the machine in its new state, and usable. Each may be nil.
type Hooks[S comparable] struct {
	Leave      func(S)                        // the state that was left; not for a way that leads back to its own state
	Transition func(from, to S, event string) // each move
	Enter      func(S)                        // the state that was entered; not for a way that leads back to its own state
}

// Machine is in one state, and moves along the edges of its definition. It belongs to the goroutine of its definition.
type Machine[S comparable] struct {
	definition *Definition[S]
	state      S
	hooks      Hooks[S]
}

// State is the present state.
func (m *Machine[S]) State() S { return m.state }

// Can reports whether the event leads somewhere from the present state.
func (m *Machine[S]) Can(event string) bool {
	m.load()
	return m.definition.engine.Can(event)
}

// Available are the events that lead somewhere from the present state, sorted.
func (m *Machine[S]) Available() []string {
	m.load()
	events := m.definition.engine.AvailableTransitions()
	slices.Sort(events)
	return events
}

// Fire moves along the event, then tells the hooks: Leave, Transition, Enter. An event that leads back to the same state is a
// move. The error is an *IllegalEventError where the event leads nowhere from here, and wraps ErrUnknownEvent where the
// definition has no such event; the machine has then not moved, and no hook is told.
func (m *Machine[S]) Fire(event string) error {
	m.load()
	// looplab/fsm looks at the context between leaving and entering, and is stuck for ever when it has ended by then.
	err := m.definition.engine.Event(context.Background(), event)
	if self := (looplab.NoTransitionError{}); err != nil && !(errors.As(err, &self) && self.Err == nil) {
		return m.refusal(event, err)
	}
	from, to := m.state, m.definition.states[m.definition.engine.Current()]
	m.state = to
	m.tell(from, to, event)
	return nil
}

// Reset puts the machine into a state of its definition without a move: no hook is told. The error wraps ErrUnknownState.
func (m *Machine[S]) Reset(state S) error {
	if known, ok := m.definition.states[m.definition.name(state)]; !ok || known != state {
		return fmt.Errorf("%w: %v", ErrUnknownState, state)
	}
	m.state = state
	return nil
}

// load puts the definition's one engine into this machine's state. The state is one that NewDefinition or Reset has seen.
func (m *Machine[S]) load() { m.definition.engine.SetState(m.definition.name(m.state)) }

func (m *Machine[S]) refusal(event string, err error) error {
	if !m.definition.events[event] {
		return fmt.Errorf("%w: %s", ErrUnknownEvent, event)
	}
	if illegal := (looplab.InvalidEventError{}); errors.As(err, &illegal) {
		return &IllegalEventError{Event: event, State: illegal.State}
	}
	return fmt.Errorf("fire %s: %w", event, err)
}

func (m *Machine[S]) tell(from, to S, event string) {
	if m.hooks.Leave != nil && from != to {
		m.hooks.Leave(from)
	}
	if m.hooks.Transition != nil {
		m.hooks.Transition(from, to, event)
	}
	if m.hooks.Enter != nil && from != to {
		m.hooks.Enter(to)
	}
}
