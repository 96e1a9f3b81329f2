package spec

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readInputs declares responses, loops and events, so that everything above them can name them. Their decisions are read last.
func (r *reader) readInputs() {
	for _, part := range []struct {
		key  string
		kind Kind
		name kind
		list *[]*Input
	}{
		{"responses", Response, responseKind, &r.m.Responses},
		{"loops", Loop, loopKind, &r.m.Loops},
		{"events", Event, eventKind, &r.m.Events},
	} {
		for _, f := range r.mapping(r.top.get(part.key), part.key) {
			in := &Input{Kind: part.kind, Name: f.key.text, Pos: f.key.pos}
			*part.list = append(*part.list, in)
			r.bodies[in] = f.value
			r.declare(f.key, part.name, in)
		}
	}
	if len(r.m.Inputs()) == 0 {
		r.lost = lost{true, true, true, true}
		r.say(Missing, Pos{}, "the machine decides nothing: write `responses:`, `loops:` or `events:`")
	}
	if len(r.m.Responses) > 0 && r.top.get("catalogue") == nil {
		r.say(Missing, r.top.where("responses"), "responses need a catalogue of codes: write `catalogue: NAME`")
	}
}

// input finds an input by name.
func (r *reader) input(name string) *Input {
	if d := r.names[name]; d != nil {
		in, _ := d.at.(*Input)
		return in
	}
	return nil
}

// readOutside reads which events come from outside: the others end a timer or an effect of the machine. Who lists them lists
// all of them, so that an event cannot be lost, or be misspelt, unseen.
func (r *reader) readOutside() {
	n := r.top.get("outside")
	if n == nil {
		return
	}
	outside := map[*Input]Pos{}
	for _, w := range r.words(n, "outside") {
		if in, ok := r.find(w, "event", eventKind).(*Input); ok {
			outside[in] = w.pos
		}
	}
	for _, in := range r.m.Events {
		at, listed := outside[in]
		inside := slices.ContainsFunc(r.m.Effects, func(e *Effect) bool { return slices.Contains(e.AnsweredBy, in) }) ||
			slices.ContainsFunc(r.m.Timers, func(t *Timer) bool { return t.Event == in })
		switch {
		case listed && inside:
			r.conflict(Outside, at, in.Pos, "%s is the end of a timer or an effect: it does not come from outside", in.Name)
		case !listed && !inside && !r.meant[in.Name]:
			r.say(Outside, in.Pos, "%s ends neither a timer nor an effect, and `outside` does not list it: who causes it?", in.Name)
		}
	}
}

func (r *reader) readDecisions() {
	for _, in := range r.m.Inputs() {
		n := r.bodies[in]
		c := context{in: in}
		switch in.Kind {
		case Response:
			r.readCases(in, n)
			continue
		case Loop:
			if n.Kind != yaml.SequenceNode && !isEmpty(n) {
				r.say(Shape, pos(n), "%s: a loop is an ordered list", in.Name)
			}
		}
		in.Cases = []*Case{{Decision: r.decision(n, c), Pos: in.Pos}}
	}
}

// readCases reads the codes of a response: `A, B: decision`, `otherwise: decision`, `A: as B`.
func (r *reader) readCases(in *Input, n *yaml.Node) {
	by, where := map[string]*Case{}, map[string]Pos{}
	type repeat struct {
		c  *Case
		as word
	}
	var repeats []repeat
	var otherwise *Case
	for _, f := range r.mapping(n, in.Name) {
		c := &Case{Pos: f.key.pos}
		in.Cases = append(in.Cases, c)
		if isScalar(f.value) && strings.HasPrefix(f.value.Value, "as ") {
			repeats = append(repeats, repeat{c, r.word(f.value).after("as ")})
		} else {
			c.Decision = r.decision(f.value, context{in: in, path: []string{f.key.text}})
		}
		for _, w := range f.key.split(",") {
			if before, twice := where[w.text]; twice {
				r.conflict(CodeTwice, w.pos, before, "%s: %s is decided twice", in.Name, w.text)
				continue
			}
			where[w.text], by[w.text] = w.pos, c
			if w.text == "otherwise" {
				c.Otherwise, otherwise = true, c
				if f.key.text != "otherwise" {
					r.say(Shape, w.pos, "%s: otherwise stands alone, without codes", in.Name)
				}
				continue
			}
			if code := r.m.Catalogue.Code(w.text); code != nil {
				c.Codes = append(c.Codes, code)
			} else if r.m.Catalogue != nil {
				r.say(UnknownCode, w.pos, "%s: there is no code %s%s", in.Name, w.text, near(w.text, append(r.m.Catalogue.names(), "otherwise")))
			}
		}
	}
	for _, x := range repeats {
		x.c.As = by[x.as.text]
		if x.c.As == nil {
			r.say(UnknownCode, x.as.pos, "%s: as %s: there is no such case here%s", in.Name, x.as.text, near(x.as.text, r.caseNames(by)))
		} else if x.c.As.Decision == nil {
			r.say(UnknownCode, x.as.pos, "%s: as %s: that repeats another case itself; name the one that decides", in.Name, x.as.text)
			x.c.As = nil
		}
	}
	for _, x := range repeats {
		if x.c.As != nil {
			x.c.Decision = x.c.As.Decision
		} else {
			x.c.Decision = r.unread(&Rule{Name: in.Name, Input: in, Pos: x.c.Pos})
		}
	}
	if r.m.Catalogue == nil {
		return
	}
	if otherwise == nil {
		r.say(Gap, in.Pos, "%s: no otherwise: say what a code without a case of its own does", in.Name)
	} else {
		for _, code := range r.m.Catalogue.All() {
			if by[code.Name] == nil {
				otherwise.Codes = append(otherwise.Codes, code)
			}
		}
	}
	r.documented(in, by)
}

// documented holds the cases against the codes that the protocol names for this response. A slip in its name would let them
// all pass.
func (r *reader) documented(in *Input, by map[string]*Case) {
	if all := r.m.Catalogue.Documented; all[in.Name] == nil {
		others := slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
			return slices.ContainsFunc(r.m.Responses, func(response *Input) bool { return response.Name == name })
		})
		if slip := nearest(in.Name, others); slip != "" {
			r.say(Documented, in.Pos, "%s: the catalogue has documented codes of %s, which is no response, and none of %s: did you mean it?", in.Name, slip, in.Name)
		}
	}
	for _, code := range slices.Concat(r.m.Catalogue.Documented[in.Name], r.m.Catalogue.Unanswered) {
		if by[code.Name] == nil {
			r.say(Documented, in.Pos, "%s: the protocol documents %s, so it needs a case of its own: `otherwise` is for what nobody expects", in.Name, code.Name)
		}
	}
}

func (r *reader) caseNames(by map[string]*Case) []string {
	var out []string
	for name := range by {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
