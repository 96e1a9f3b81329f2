package spec

import "go.yaml.in/yaml/v4"

// readEffects reads what rules can do, and what that does to flags, identity and timers.
func (r *reader) readEffects() {
	bodies := r.mapping(r.top.get("effects"), "effects")
	for _, f := range bodies {
		e := &Effect{Name: f.key.text, Index: len(r.m.Effects), Pos: f.key.pos}
		r.m.Effects = append(r.m.Effects, e)
		r.declare(f.key, effectKind, e)
	}
	for i, f := range bodies {
		e := r.m.Effects[i]
		if isScalar(f.value) {
			e.Doc = f.value.Value
			continue
		}
		a := r.known(f.value, f.key.text, atEffect)
		e.Doc = r.text(a.get("doc"), "doc")
		e.Deviates = r.text(a.get("deviates"), "deviates")
		e.Sets = resolve[*Flag](r, r.words(a.get("sets"), "sets"), "flag", flagKind)
		e.Clears = resolve[*Flag](r, r.words(a.get("clears"), "clears"), "flag", flagKind)
		e.Drops = resolve[*Identity](r, r.words(a.get("drops"), "drops"), "identity", identityKind)
		e.Takes = resolve[*Identity](r, r.words(a.get("takes"), "takes"), "identity", identityKind)
		e.Starts = resolve[*Timer](r, r.words(a.get("starts"), "starts"), "timer", timerKind)
		e.Forgets = resolve[*Timer](r, r.words(a.get("forgets"), "forgets"), "timer", timerKind)
		calls := r.words(a.get("calls"), "calls")
		e.Calls = texts(calls)
		if c := r.m.Catalogue; c != nil {
			for _, w := range calls {
				r.listed(w, "callback", c.Callbacks)
			}
		}
		e.Sends = r.answers(e, r.words(a.get("sends"), "sends"), responseKind)
		e.AnsweredBy = r.answers(e, r.words(a.get("answered_by"), "answered_by"), eventKind)
		if only := a.get("only"); only != nil {
			if c, ok := r.condition(r.scalar(only, "only")); ok {
				e.Only = c
			}
		}
		r.readParameter(e, a.get("with"))
	}
}

// readParameter reads `with: reason`, which a rule must give, or `with: {reason: default}`, which it may.
func (r *reader) readParameter(e *Effect, n *yaml.Node) {
	switch {
	case n == nil:
	case isScalar(n):
		e.Parameter, e.Required = r.parameterName(r.word(n)), true
	default:
		a := r.mapping(n, "with")
		if len(a) > 1 {
			r.say(Shape, a[1].key.pos, "%s: an effect has one parameter; data stays with the handler", e.Name)
		}
		if len(a) > 0 {
			text := r.scalar(a[0].value, a[0].key.text)
			r.placeholders(text)
			e.Parameter, e.Default = r.parameterName(a[0].key), text.text
		}
	}
}

func (r *reader) parameterName(w word) string {
	if !isName(w.text) && w.text != "" {
		r.say(BadValue, w.pos, "%q cannot be the name of a parameter", w.text)
	}
	return w.text
}

// readDo reads the effects of a rule or a result, in their order; `effect: text` gives an effect its parameter.
func (r *reader) readDo(n *yaml.Node, owner any) []Do {
	if n == nil {
		return nil
	}
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
		if len(items) == 0 {
			r.say(Empty, pos(n), "do: the list is empty; take the key out")
		}
	}
	var out []Do
	for _, item := range items {
		d := r.readOneDo(item)
		if d.Effect == nil {
			r.lost.effects = true
			r.broken[owner] = true
			continue
		}
		for _, before := range out {
			if before.Effect == d.Effect {
				r.conflict(Duplicate, d.Pos, before.Pos, "do: %s stands twice", d.Effect.Name)
			}
		}
		out = append(out, d)
	}
	return out
}

func (r *reader) readOneDo(n *yaml.Node) Do {
	var w word
	var given *yaml.Node
	if n.Kind == yaml.MappingNode {
		a := r.mapping(n, "do")
		if len(a) > 1 {
			r.say(Shape, a[1].key.pos, "do: several effects are a list: [%s, …]", a[0].key.text)
		}
		if len(a) != 1 {
			return Do{}
		}
		w, given = a[0].key, a[0].value
	} else {
		w = r.scalar(n, "do")
		if w.text == "" {
			return Do{}
		}
	}
	e, ok := r.find(w, "effect", effectKind).(*Effect)
	if !ok {
		return Do{}
	}
	d := Do{Effect: e, Text: e.Default, Pos: w.pos}
	switch {
	case given == nil && e.Required:
		r.say(Parameter, w.pos, "%s needs its %s: write `%s: text`", e.Name, e.Parameter, e.Name)
	case given != nil && e.Parameter == "":
		r.say(Parameter, w.pos, "%s takes no parameter", e.Name)
	case given != nil:
		t := r.scalar(given, e.Name)
		d.Text = t.text
		r.placeholders(t)
	}
	return d
}

// answers finds the inputs by which what an effect begins comes to its end.
func (r *reader) answers(e *Effect, ws []word, k kind) []*Input {
	var out []*Input
	for _, w := range ws {
		if d := r.names[w.text]; d != nil && d.kind == k {
			out = append(out, d.at.(*Input))
			continue
		}
		r.say(NeverAnswered, w.pos, "%s waits for the %s %s, and nothing says what that does%s", e.Name, k, w.text, r.guess(w.text, r.namesOf(k)))
	}
	return out
}
