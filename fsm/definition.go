package fsm

import (
	"errors"
	"fmt"
	"slices"

	looplab "github.com/looplab/fsm"
)

// ErrUndefined is wrapped by the errors of NewDefinition: the edges do not make a machine.
var ErrUndefined = errors.New("not a definition")

// Edge is a way between two states: the event leads from one to the other.
type Edge[S comparable] struct {
	Event    string
	From, To S
}

// Definition is a set of states and of ways between them. It holds the one looplab/fsm instance on which all its machines move,
// so that a machine is as small as its state. A definition and its machines belong to one goroutine.
type Definition[S comparable] struct {
	initial S
	name    func(S) string
	edges   []Edge[S]
	states  map[string]S
	events  map[string]bool
	engine  *looplab.FSM
}

// NewDefinition takes the state in which machines begin, the names of states, and the edges. It refuses edges without an event,
// states without a name, two states with one name, and two edges with the same event and source, of which looplab/fsm would
// silently keep one.
func NewDefinition[S comparable](initial S, name func(S) string, edges []Edge[S]) (*Definition[S], error) {
	d := &Definition[S]{
		initial: initial,
		name:    name,
		edges:   slices.Clone(edges),
		states:  map[string]S{},
		events:  map[string]bool{},
	}
	if err := d.declare(initial); err != nil {
		return nil, err
	}
	type source struct {
		event string
		from  S
	}
	taken := map[source]S{}
	var events looplab.Events
	for _, e := range edges {
		if e.Event == "" {
			return nil, fmt.Errorf("%w: an edge from %q to %q has no event", ErrUndefined, name(e.From), name(e.To))
		}
		if err := errors.Join(d.declare(e.From), d.declare(e.To)); err != nil {
			return nil, err
		}
		if to, ok := taken[source{e.Event, e.From}]; ok {
			return nil, fmt.Errorf("%w: %s leads from %q to %q and to %q", ErrUndefined, e.Event, name(e.From), name(to), name(e.To))
		}
		taken[source{e.Event, e.From}] = e.To
		d.events[e.Event] = true
		events = append(events, looplab.EventDesc{Name: e.Event, Src: []string{name(e.From)}, Dst: name(e.To)})
	}
	d.engine = looplab.NewFSM(name(initial), events, nil)
	return d, nil
}

func (d *Definition[S]) declare(s S) error {
	name := d.name(s)
	if name == "" {
		return fmt.Errorf("%w: the state %v has no name", ErrUndefined, s)
	}
	if other, ok := d.states[name]; ok && other != s {
		return fmt.Errorf("%w: the states %v and %v are both called %q", ErrUndefined, other, s, name)
	}
	d.states[name] = s
	return nil
}

// Edges are the ways between states, in the order in which NewDefinition was given them. The slice is the caller's.
func (d *Definition[S]) Edges() []Edge[S] { return slices.Clone(d.edges) }

// Machine makes a machine in the initial state.
func (d *Definition[S]) Machine(hooks Hooks[S]) *Machine[S] {
	return &Machine[S]{definition: d, state: d.initial, hooks: hooks}
}
