package spec

import "go.yaml.in/yaml/v4"

// maxStates is how many states a machine may have; each pair of them can be an edge.
const maxStates = 200

// readStates reads states, groups and edges. A state's `from` may name states and groups that stand below it.
func (r *reader) readStates() {
	if r.top.get("states") == nil {
		r.say(Missing, Pos{}, "the machine has no states: write `states:`")
	}
	bodies := r.mapping(r.top.get("states"), "states")
	if len(bodies) > maxStates {
		r.say(TooMuch, bodies[maxStates].key.pos, "there are %d states, at most %d are read", len(bodies), maxStates)
		bodies = bodies[:maxStates]
	}
	for _, f := range bodies {
		s := &State{Name: f.key.text, Index: len(r.m.States), Pos: f.key.pos}
		r.m.States = append(r.m.States, s)
		r.declare(f.key, stateKind, s)
	}
	for _, f := range r.mapping(r.top.get("groups"), "groups") {
		g := &Group{Name: f.key.text, Pos: f.key.pos, States: resolve[*State](r, r.words(f.value, f.key.text), "state", stateKind)}
		if len(g.States) == 1 {
			r.say(Shape, g.Pos, "group %s has one state only: name the state itself", g.Name)
		}
		r.m.Groups = append(r.m.Groups, g)
		r.declare(f.key, groupKind, g)
	}
	declares := false
	for i, f := range bodies {
		s := r.m.States[i]
		if isScalar(f.value) {
			s.Doc = f.value.Value
			continue
		}
		a := r.known(f.value, f.key.text, atState)
		s.Doc = r.text(a.get("doc"), "doc")
		s.Final = r.truth(a.get("final"), "final")
		if r.truth(a.get("initial"), "initial") {
			if r.m.Initial != nil {
				r.conflict(States, s.Pos, r.m.Initial.Pos, "%s is initial, and so is %s: a machine begins in one state", s.Name, r.m.Initial.Name)
			} else {
				r.m.Initial = s
			}
		}
		declares = declares || a.get("from") != nil
		r.readEdges(s, a)
		r.promises = append(r.promises, func() {
			s.EntersWith = r.readPromises(a.get("enters_with"), "enters_with")
			s.LeavesWith = r.readPromises(a.get("leaves_with"), "leaves_with")
		})
	}
	if len(r.m.States) > 0 && r.m.Initial == nil {
		r.say(States, r.m.States[0].Pos, "no state is initial: mark one with `initial: true`")
	}
	if !declares {
		r.m.edges, r.edgeOf = nil, nil
	}
}

// readEdges reads `from` and `unused` of one state.
func (r *reader) readEdges(to *State, a fields) {
	from := r.words(a.get("from"), "from")
	if len(from) == 1 && from[0].text == "any" {
		for _, s := range r.m.States {
			if s != to { // to enter a state anew must be said
				r.addEdge(&Edge{From: s, To: to, Any: true, Pos: from[0].pos})
			}
		}
		from = nil
	}
	for i, ws := range [][]word{from, r.words(a.get("unused"), "unused")} {
		for _, w := range ws {
			s, ok := r.find(w, "state", stateKind).(*State)
			if !ok {
				continue
			}
			if before := r.edge(s, to); before != nil && !before.Any {
				r.conflict(Duplicate, w.pos, before.Pos, "the edge %s -> %s is declared twice", s.Name, to.Name)
				continue
			}
			r.addEdge(&Edge{From: s, To: to, Unused: i == 1, Pos: w.pos})
		}
	}
}

// readPromises reads effects and flags, which are declared below the states.
func (r *reader) readPromises(n *yaml.Node, what string) []Promise {
	var out []Promise
	for _, w := range r.words(n, what) {
		switch x := r.find(w, "effect or flag", effectKind, flagKind).(type) {
		case *Effect:
			out = append(out, Promise{Effect: x, Pos: w.pos})
		case *Flag:
			out = append(out, Promise{Flag: x, Pos: w.pos})
		}
	}
	return out
}

// edge is the declared edge between two states, or nil.
func (r *reader) edge(from, to *State) *Edge { return r.edgeOf[leg{from, to}] }

func (r *reader) addEdge(e *Edge) {
	r.m.edges = append(r.m.edges, e)
	r.edgeOf[leg{e.From, e.To}] = e
}
