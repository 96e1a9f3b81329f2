package spec

import "slices"

func classes() []string {
	return []string{string(OK), string(Pending), string(Retry), string(Backoff), string(Fatal), string(Ignored)}
}

// readResults reads, by who waits for them, what the one who waits is told.
func (r *reader) readResults() {
	for _, f := range r.mapping(r.top.get("results"), "results") {
		g := &ResultGroup{Pos: f.key.pos}
		for _, w := range f.key.split(",") {
			in, ok := r.find(w, "response, loop or event", responseKind, loopKind, eventKind).(*Input)
			if !ok {
				continue
			}
			if in.Results != nil {
				r.conflict(Duplicate, w.pos, in.Results.Pos, "%s has results already: one group for each input", in.Name)
				continue
			}
			in.Results = g
			g.Inputs = append(g.Inputs, in)
		}
		if len(g.Inputs) > 0 {
			g.Name = g.Inputs[0].Name
		}
		r.m.Results = append(r.m.Results, g)
		for _, x := range r.mapping(f.value, f.key.text) {
			g.Results = append(g.Results, r.readResult(x, g))
		}
	}
}

func (r *reader) readResult(f field, g *ResultGroup) *Result {
	out := &Result{Name: f.key.text, Group: g, Pos: f.key.pos}
	if r.wrongName(f.key, resultKind) {
		r.meant[f.key.text] = true
	}
	if isScalar(f.value) {
		out.Doc = f.value.Value
		return out
	}
	a := r.known(f.value, f.key.text, atResult)
	out.Doc = r.text(a.get("doc"), "doc")
	out.Deviates = r.text(a.get("deviates"), "deviates")
	if n := a.get("is"); n != nil {
		w := r.scalar(n, "is")
		out.Class = Class(w.text)
		if !slices.Contains(classes(), w.text) {
			r.say(UnknownName, w.pos, "unknown class %s%s", w.text, near(w.text, classes()))
		}
	}
	if n := a.get("error"); n != nil {
		w := r.scalar(n, "error")
		out.Error = w.text
		r.findError(w)
	}
	out.Do = r.readDo(a.get("do"), out)
	return out
}

// findError resolves the error of a result: the code's own, a code of the catalogue, or one that the machine declares.
func (r *reader) findError(w word) {
	if w.text == "own" || w.text == "" || r.m.Catalogue.Code(w.text) != nil {
		return
	}
	if d := r.names[w.text]; d != nil && d.kind == errorKind {
		return
	}
	r.say(UnknownName, w.pos, "unknown error %s: it is own, a code, or a name under `errors`%s", w.text,
		r.guess(w.text, append(r.namesOf(errorKind), r.m.Catalogue.names()...)))
}

// result finds a result of an input by name.
func (r *reader) result(in *Input, name string) *Result {
	if in.Results != nil {
		for _, x := range in.Results.Results {
			if x.Name == name {
				return x
			}
		}
	}
	return r.results[name]
}

// resultNames are those that a rule of the input can give.
func (r *reader) resultNames(in *Input) []string {
	out := []string{"ignored", "illegal"}
	if in.Results != nil {
		for _, x := range in.Results.Results {
			out = append(out, x.Name)
		}
	}
	return out
}
