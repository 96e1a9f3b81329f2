package spec

import "go.yaml.in/yaml/v4"

// readInvariants reads what no rule may break.
func (r *reader) readInvariants() {
	n := r.top.get("invariants")
	if n == nil {
		return
	}
	if n.Kind != yaml.SequenceNode {
		if !isEmpty(n) {
			r.say(Shape, pos(n), "invariants: a list is wanted")
		}
		return
	}
	for _, item := range n.Content {
		a := r.known(item, "an invariant", atInvariant)
		if len(a) == 0 {
			continue
		}
		why := r.text(a.get("why"), "why")
		must, absorbing := a.get("drops") != nil || a.get("must") != nil, a.get("absorbing") != nil
		switch {
		case must && absorbing:
			r.say(Shape, pos(item), "an invariant: either drops and must, or absorbing")
		case absorbing:
			for _, w := range r.words(a.get("absorbing"), "absorbing") {
				if s, ok := r.find(w, "state", stateKind).(*State); ok {
					r.m.Absorbing = append(r.m.Absorbing, &Absorbing{State: s, Why: why, Pos: w.pos})
				}
			}
		case a.get("drops") == nil || a.get("must") == nil:
			r.say(Missing, pos(item), "an invariant: `drops: identity` goes with `must: what follows`, or say `absorbing: STATE`")
		default:
			r.readMust(a, &Must{Why: why, Pos: pos(item)})
		}
	}
}

func (r *reader) readMust(a fields, must *Must) {
	must.Drops = resolve[*Identity](r, r.words(a.get("drops"), "drops"), "identity", identityKind)
	for _, w := range r.words(a.get("must"), "must") {
		switch x := r.find(w, "flag, effect or state", flagKind, effectKind, stateKind).(type) {
		case *Flag:
			must.Flags = append(must.Flags, x)
		case *Effect:
			must.Effects = append(must.Effects, x)
		case *State:
			must.States = append(must.States, x)
		}
	}
	r.m.Musts = append(r.m.Musts, must)
}
