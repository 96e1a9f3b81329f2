package spec

import "slices"

// readStates reads states, groups and edges. A state's `from` may name states and groups that stand below it.
func (r *reader) readStates() {
	if r.top.get("states") == nil {
		r.say(Missing, Pos{}, "the machine has no states: write `states:`")
	}
	bodies := r.mapping(r.top.get("states"), "states")
	for _, f := range bodies {
		s := &State{Name: f.key.text, Index: len(r.m.States), Pos: f.key.pos}
		r.m.States = append(r.m.States, s)
		r.declare(f.key, stateKind, s)
	}
	for _, f := range r.mapping(r.top.get("groups"), "groups") {
		g := &Group{Name: f.key.text, Pos: f.key.pos, States: resolve[*State](r, r.words(f.value, f.key.text), "state", stateKind)}
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
	}
	if len(r.m.States) > 0 && r.m.Initial == nil {
		r.say(States, r.m.States[0].Pos, "no state is initial: mark one with `initial: true`")
	}
	if !declares {
		r.m.edges = nil
	}
}

// readEdges reads `from` and `unused` of one state.
func (r *reader) readEdges(to *State, a fields) {
	from := r.words(a.get("from"), "from")
	if len(from) == 1 && from[0].text == "any" {
		for _, s := range r.m.States {
			r.m.edges = append(r.m.edges, &Edge{From: s, To: to, Any: true, Pos: from[0].pos})
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
			r.m.edges = append(r.m.edges, &Edge{From: s, To: to, Unused: i == 1, Pos: w.pos})
		}
	}
}

// edge is the declared edge between two states, or nil.
func (r *reader) edge(from, to *State) *Edge {
	i := slices.IndexFunc(r.m.edges, func(e *Edge) bool { return e.From == from && e.To == to })
	if i < 0 {
		return nil
	}
	return r.m.edges[i]
}
