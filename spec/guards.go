package spec

import "slices"

// scopes are those that a guard can be asked of beside the inputs of the machine.
func scopes() []string { return []string{"request", "code", "member", "config"} }

// readGuards reads what is asked of somebody outside the machine, by whom it is asked of.
func (r *reader) readGuards() {
	for _, part := range r.mapping(r.top.get("guards"), "guards") {
		var scope []string
		for _, w := range part.key.split(",") {
			if !slices.Contains(scopes(), w.text) && r.input(w.text) == nil {
				known := append(scopes(), r.namesOf(responseKind, eventKind, loopKind)...)
				r.say(GuardScope, w.pos, "guards of %s: that is neither request, code, member nor config, nor a response or event%s", w.text, r.guess(w.text, known))
			}
			scope = append(scope, w.text)
		}
		for _, f := range r.mapping(part.value, part.key.text) {
			r.readGuard(f, scope)
		}
	}
}

func (r *reader) readGuard(f field, scope []string) {
	if isScalar(f.value) {
		r.addGuard(&Guard{Name: f.key.text, Doc: f.value.Value, Scope: scope, Pos: f.key.pos}, f.key)
		return
	}
	a := r.known(f.value, f.key.text, atGuard)
	doc := r.text(a.get("doc"), "doc")
	if a.get("one_of") == nil {
		r.addGuard(&Guard{Name: f.key.text, Doc: doc, Scope: scope, Pos: f.key.pos}, f.key)
		return
	}
	q := &Question{Name: f.key.text, Doc: doc, Pos: f.key.pos}
	r.m.Questions = append(r.m.Questions, q)
	r.declare(f.key, questionKind, q)
	answers := r.mapping(a.get("one_of"), f.key.text)
	if len(answers) == 1 {
		r.say(Shape, answers[0].key.pos, "%s has one answer only: a question has two or more", q.Name)
	}
	for _, x := range answers {
		g := &Guard{Name: x.key.text, Doc: r.text(x.value, x.key.text), Scope: scope, Question: q, Pos: x.key.pos}
		q.Answers = append(q.Answers, g)
		r.addGuard(g, x.key)
	}
}

func (r *reader) addGuard(g *Guard, at word) {
	r.m.Guards = append(r.m.Guards, g)
	r.declare(at, guardKind, g)
}
