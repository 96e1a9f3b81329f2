package spec

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// readInvariants reads what no rule may break.
func (r *reader) readInvariants() {
	n := r.top.get("invariants")
	if n != nil && n.Kind != yaml.SequenceNode {
		if !isEmpty(n) {
			r.say(Shape, pos(n), "invariants: a list is wanted")
		}
		return
	}
	if n != nil {
		before := map[string]Pos{}
		for _, item := range n.Content {
			if said := r.readInvariant(item); said != "" {
				if at, twice := before[said]; twice {
					r.conflict(Duplicate, pos(item), at, "the same invariant stands twice")
				}
				before[said] = pos(item)
			}
		}
	}
	r.promised()
}

// readInvariant reads one, and returns what it says without its reason, so that a repetition is seen.
func (r *reader) readInvariant(item *yaml.Node) string {
	a := r.known(item, "an invariant", atInvariant)
	if len(a) == 0 {
		return ""
	}
	why := r.text(a.get("why"), "why")
	var about, said []string
	for _, f := range a {
		if f.key.text == "why" {
			continue
		}
		said = append(said, f.key.text+" "+strings.Join(texts(r.words(f.value, f.key.text)), ","))
		if f.key.text != "must" {
			about = append(about, f.key.text)
		}
	}
	switch {
	case len(about) != 1 || (about[0] == "absorbing") == (a.get("must") != nil):
		r.say(Shape, pos(item), "an invariant is `drops` with its `must`, or `absorbing`")
		return ""
	case about[0] == "absorbing":
		for _, s := range resolve[*State](r, r.words(a.get("absorbing"), "absorbing"), "state", stateKind) {
			r.m.Absorbing = append(r.m.Absorbing, &Absorbing{State: s, Why: why, Pos: pos(item)})
		}
	default:
		r.readMust(a, &Must{Why: why, Pos: pos(item)})
	}
	return strings.Join(said, "; ")
}

func (r *reader) readMust(a fields, must *Must) {
	must.Drops = resolve[*Identity](r, r.words(a.get("drops"), "drops"), "identity", identityKind)
	for _, i := range must.Drops {
		r.obliges[i] = true
	}
	follows := r.words(a.get("must"), "must")
	if len(follows) == 1 && follows[0].text == "nothing" {
		if must.Why == "" {
			r.say(Missing, follows[0].pos, "say `why` nothing must follow when identity is dropped")
		}
		return
	}
	for _, w := range follows {
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

// promised demands the invariants without which the loss of a word elsewhere would pass unseen: for each identity what must
// follow when it is dropped, if only that nothing must, and of a final state that it is not left.
func (r *reader) promised() {
	for _, i := range r.m.Identity {
		if !r.obliges[i] {
			r.say(Missing, i.Pos, "no invariant says what must follow when %s is dropped: write `- {drops: %s, must: …}`, or `must: nothing` and why", i.Name, i.Name)
		}
	}
	for _, s := range r.m.States {
		promised := false
		for _, a := range r.m.Absorbing {
			promised = promised || a.State == s
		}
		if s.Final && !promised {
			r.say(Missing, s.Pos, "%s is final, and no invariant promises that it is not left: write `- {absorbing: %s}`", s.Name, s.Name)
		}
	}
}
