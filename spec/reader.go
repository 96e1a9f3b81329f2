package spec

import (
	"go/token"
	"regexp"

	"go.yaml.in/yaml/v4"
)

// reader turns nodes into a Machine. Names are declared first, section by section, and resolved afterwards; what cannot be
// resolved is reported and left out, and what contains it is remembered as broken, so that no check reports it again.
type reader struct {
	*source
	m         *Machine
	top       fields
	catalogue func(name string) ([]byte, error)

	edgeOf     map[leg]*Edge
	names      map[string]*declared
	meant      map[string]bool    // names that a finding has proposed: they are not reported as unused too
	obliges    map[*Identity]bool // of which an invariant says what must follow when they are dropped
	promises   []func()           // of states, read when effects are declared
	groupsUsed map[*Group]bool    // groups leave no trace in the Machine
	broken     map[any]bool       // decisions, results and inputs in which something was not understood
	lost       lost
	results    map[string]*Result // the two that every input has
	bodies     map[*Input]*yaml.Node
}

// lost says what may stand in the places that were not understood, so that nobody concludes from its absence.
type lost struct{ targets, conditions, effects, results bool }

// read fills the Machine section by section, in the order in which they depend on each other. It is not worth a check where
// the catalogue could not be read.
func (r *reader) read(root *yaml.Node, file string) (whole bool) {
	r.m = &Machine{File: file, Path: r.path, Sum: sum(root)}
	r.names, r.meant, r.groupsUsed, r.broken = map[string]*declared{}, map[string]bool{}, map[*Group]bool{}, map[any]bool{}
	r.obliges = map[*Identity]bool{}
	r.edgeOf, r.bodies = map[leg]*Edge{}, map[*Input]*yaml.Node{}
	r.results = map[string]*Result{"ignored": {Name: "ignored", Class: Ignored}, "illegal": {Name: "illegal", Class: Ignored}}
	r.top = r.known(root, "the machine", atTop)
	r.readHead()
	if !r.readCatalogue() {
		return false // what it lacks would be missed in every line
	}
	r.readStates()
	r.readIdentity()
	r.readFlags()
	r.readInputs()
	r.readGuards()
	r.readTimers()
	r.readErrors()
	r.readEffects()
	r.readRequests()
	for _, read := range r.promises {
		read()
	}
	r.readResults()
	r.readOutside()
	r.readDecisions()
	r.readInvariants()
	r.readDisagreements()
	return true
}

func (r *reader) readHead() {
	r.m.Doc = r.text(r.top.get("doc"), "doc")
	r.m.Original = r.text(r.top.get("original"), "original")
	if r.top.get("machine") == nil {
		r.say(Missing, Pos{}, "the machine has no name: begin with `machine: NAME`")
		return
	}
	name := r.scalar(r.top.get("machine"), "machine")
	r.m.Name = name.text
	ok, _ := regexp.MatchString(`^[a-z][a-z0-9]*$`, name.text)
	switch {
	case name.text == "" && r.top.get("machine").Style == 0: // has been said
	case !ok:
		r.say(BadValue, name.pos, "machine is the name of a Go package, in lower case letters and digits, not %q", name.text)
	case token.IsKeyword(name.text) || name.text == "main":
		r.say(BadValue, name.pos, "machine is the name of a Go package that others import; none can be named %s", name.text)
	}
}

func (r *reader) readIdentity() {
	for _, w := range r.words(r.top.get("identity"), "identity") {
		i := &Identity{Name: w.text, Pos: w.pos}
		r.m.Identity = append(r.m.Identity, i)
		r.declare(w, identityKind, i)
	}
}

func (r *reader) readFlags() {
	for _, f := range r.mapping(r.top.get("flags"), "flags") {
		flag := &Flag{Name: f.key.text, Index: len(r.m.Flags), Pos: f.key.pos}
		if isScalar(f.value) {
			flag.Doc = f.value.Value
		} else {
			a := r.known(f.value, f.key.text, atFlag)
			flag.Doc = r.text(a.get("doc"), "doc")
			flag.Initial = r.truth(a.get("initial"), "initial")
		}
		r.m.Flags = append(r.m.Flags, flag)
		r.declare(f.key, flagKind, flag)
	}
}

func (r *reader) readErrors() {
	for _, f := range r.mapping(r.top.get("errors"), "errors") {
		e := &Error{Name: f.key.text, Pos: f.key.pos}
		if isScalar(f.value) {
			e.Doc = f.value.Value
		} else {
			a := r.known(f.value, f.key.text, atError)
			e.Doc = r.text(a.get("doc"), "doc")
			e.Retriable = r.truth(a.get("retriable"), "retriable")
		}
		if r.m.Catalogue.Code(e.Name) != nil {
			r.say(NameTwice, e.Pos, "%s is a code of the catalogue already: a result can name it as it is", e.Name)
		}
		r.m.Errors = append(r.m.Errors, e)
		r.declare(f.key, errorKind, e)
	}
}
