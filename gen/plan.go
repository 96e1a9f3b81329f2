package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/kbeat/kbeat/spec"
)

// plan is a machine with the Go names of everything that it declares.
type plan struct {
	*spec.Machine
	names  *scope // of the package
	print  string // what all files of one generation have in common
	inputs []*inputPlan

	requests      []*requestPlan
	requestGuards []mark // what the conditions ask that end requests, beside flags

	stateNames    map[*spec.State]string
	groupNames    map[*spec.Group]string // of methods of State
	flagNames     map[*spec.Flag]string
	guardNames    map[*spec.Guard]string // of fields, and of constants where the guard is an answer
	questionNames map[*spec.Question]string
	timerNames    map[*spec.Timer]string
	clocks        map[*spec.Timer]int     // timers with the same end are one clock
	effectNames   map[*spec.Effect]string // of methods
	errorNames    map[string]string       // of the result's error, by its name in the specification
	resultNames   map[*spec.Result]string
	codeNames     map[*spec.Code]string
	codeNumbers   map[*spec.Code]int
	ruleRefs      map[*spec.Rule]ruleRef
	from          map[*spec.Rule][]*spec.State // where each rule decides, in the order of the states
}

// inputPlan is one input with its Go names, and what its rules ask and do.
type inputPlan struct {
	*spec.Input
	name    string // HeartbeatTurn
	table   string // heartbeatTurnRules
	rules   []*spec.Rule
	marks   []mark // what is asked beside code and state, in the order of the text
	asked   []mark // of marks, those that stand in the struct of guards
	effects []*spec.Effect
	starts  bool // some effect starts a timer
	forgets bool // some effect forgets the attempts of a timer
}

// ruleRef is where a rule stands in the generated tables.
type ruleRef struct {
	input *inputPlan
	index int
}

// firstUnanswered is the number of the first way in which a request ends without an answer; the next ones go down from it.
// It lies below every number that a protocol has on the wire.
const firstUnanswered = -1001

func newPlan(m *spec.Machine) (*plan, error) {
	p := &plan{
		Machine:       m,
		names:         newScope(m.Path),
		stateNames:    map[*spec.State]string{},
		groupNames:    map[*spec.Group]string{},
		flagNames:     map[*spec.Flag]string{},
		guardNames:    map[*spec.Guard]string{},
		questionNames: map[*spec.Question]string{},
		timerNames:    map[*spec.Timer]string{},
		clocks:        map[*spec.Timer]int{},
		effectNames:   map[*spec.Effect]string{},
		errorNames:    map[string]string{},
		resultNames:   map[*spec.Result]string{},
		codeNames:     map[*spec.Code]string{},
		codeNumbers:   map[*spec.Code]int{},
		ruleRefs:      map[*spec.Rule]ruleRef{},
		from:          map[*spec.Rule][]*spec.State{},
	}
	p.reserve()
	p.numberClocks()
	p.nameCodes()
	p.nameInputs()
	p.nameEffects()
	p.nameResults()
	p.nameQuestions()
	p.nameTimers()
	p.nameStates()
	p.nameFlags()
	p.planRequests()
	p.print = p.fingerprint()
	return p, p.names.err()
}

// describe collects what the rules of an input ask and do.
func (p *plan) describe(in *inputPlan) {
	for i, r := range in.rules {
		p.ruleRefs[r] = ruleRef{in, i}
		p.refuseUnordered(r)
		for _, do := range r.Effects() {
			if !slices.Contains(in.effects, do.Effect) {
				in.effects = append(in.effects, do.Effect)
			}
			in.starts = in.starts || len(do.Effect.Starts) > 0
			in.forgets = in.forgets || len(do.Effect.Forgets) > 0
		}
	}
	for _, cell := range p.CellsOf(in.Input) {
		if from := p.from[cell.Rule]; !slices.Contains(from, cell.State) {
			p.from[cell.Rule] = append(from, cell.State)
		}
	}
	for _, r := range in.rules {
		slices.SortFunc(p.from[r], func(a, b *spec.State) int { return a.Index - b.Index })
	}
	slices.SortFunc(in.effects, func(a, b *spec.Effect) int { return a.Index - b.Index })
	fields := newScope(p.Path)
	for _, c := range in.Cases {
		for _, t := range spec.Asked(c.Decision) {
			m, ok := markOf(t)
			if !ok || slices.Contains(in.marks, m) {
				continue
			}
			in.marks = append(in.marks, m)
			switch {
			case m.question != nil:
				in.asked = append(in.asked, m)
				fields.claim(goName(m.question.Name), "question "+m.question.Name, m.question.Pos)
			case m.guard != nil:
				in.asked = append(in.asked, m)
				p.guardNames[m.guard] = fields.claim(goName(m.guard.Name), "guard "+m.guard.Name, m.guard.Pos)
			}
		}
	}
	p.names.wrong = append(p.names.wrong, fields.wrong...)
}

// fingerprint is the same for all files that were made at once: from one specification, one catalogue and one shape of code.
func (p *plan) fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, p.Sum)
	if p.Catalogue != nil {
		for _, c := range p.Catalogue.All() {
			fmt.Fprintln(h, c.Name, p.codeNumbers[c], c.Retriable, c.Message)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}

func kindWord(k spec.Kind) string {
	switch k {
	case spec.Response:
		return "response"
	case spec.Loop:
		return "loop"
	default:
		return "event"
	}
}
