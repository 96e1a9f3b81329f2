package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// plan is a machine with the Go names of everything that it declares.
type plan struct {
	*spec.Machine
	names  *scope // of the package
	print  string // what all files of one generation have in common
	inputs []*inputPlan

	stateNames    map[*spec.State]string
	groupNames    map[*spec.Group]string // of methods of State
	flagNames     map[*spec.Flag]string
	guardNames    map[*spec.Guard]string // of fields, and of constants where the guard is an answer
	questionNames map[*spec.Question]string
	timerNames    map[*spec.Timer]string
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

// mark is something that tells the cells of an input apart: one of these is set.
type mark struct {
	flag     *spec.Flag
	guard    *spec.Guard
	question *spec.Question
}

// name is that of the specification.
func (m mark) name() string {
	switch {
	case m.flag != nil:
		return m.flag.Name
	case m.guard != nil:
		return m.guard.Name
	default:
		return m.question.Name
	}
}

// radix is the number of answers.
func (m mark) radix() int {
	if m.question != nil {
		return len(m.question.Answers)
	}
	return 2
}

// markOf is what a test asks; false where the catalogue answers it.
func markOf(t spec.Test) (mark, bool) {
	switch {
	case t.Flag != nil:
		return mark{flag: t.Flag}, true
	case ofCode(t.Guard):
		return mark{}, false
	case t.Guard.Question != nil:
		return mark{question: t.Guard.Question}, true
	default:
		return mark{guard: t.Guard}, true
	}
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
		names:         newScope(m.File),
		stateNames:    map[*spec.State]string{},
		groupNames:    map[*spec.Group]string{},
		flagNames:     map[*spec.Flag]string{},
		guardNames:    map[*spec.Guard]string{},
		questionNames: map[*spec.Question]string{},
		timerNames:    map[*spec.Timer]string{},
		effectNames:   map[*spec.Effect]string{},
		errorNames:    map[string]string{},
		resultNames:   map[*spec.Result]string{},
		codeNames:     map[*spec.Code]string{},
		codeNumbers:   map[*spec.Code]int{},
		ruleRefs:      map[*spec.Rule]ruleRef{},
		from:          map[*spec.Rule][]*spec.State{},
	}
	p.reserve()
	p.nameCodes()
	p.nameInputs()
	p.nameEffects()
	p.nameResults()
	p.nameQuestions()
	p.nameTimers()
	p.nameStates()
	p.nameFlags()
	p.print = p.fingerprint()
	return p, p.names.err()
}

func (p *plan) reserve() {
	p.names.reserve("State", "ParseState", "Flags", "ParseFlags", "Memory", "Initial", "Code", "ParseCode", "Input", "ParseInput",
		"Effect", "ParseEffect", "Timer", "Timers", "ParseTimer", "Result", "ParseResult", "ResultNone", "ResultError", "ErrorName",
		"ParseErrorName", "Rule", "Do", "Rules", "File", "Sum", "Machine", "NewMachine", "Definition", "Mermaid", "Graphviz")
}

func (p *plan) nameCodes() {
	if p.Catalogue == nil {
		return
	}
	p.names.reserve("ParseCode")
	for _, c := range p.Catalogue.Codes {
		p.codeNumbers[c] = c.Number
	}
	for i, c := range p.Catalogue.Unanswered {
		p.codeNumbers[c] = firstUnanswered - i
	}
	for _, c := range p.Catalogue.All() {
		p.codeNames[c] = p.names.claim("Code"+goName(c.Name), "code "+c.Name, spec.Pos{Line: 1, Col: 1})
		if n := p.codeNumbers[c]; !c.Unanswered && (n <= firstUnanswered || n > 1<<15-1) {
			p.names.fail(spec.Pos{Line: 1, Col: 1}, "the number %d of code %s does not fit: a code lies between %d and %d", n, c.Name, firstUnanswered, 1<<15-1)
		}
	}
}

func (p *plan) nameInputs() {
	for _, in := range p.Inputs() {
		name := goName(in.Name)
		if in.Kind == spec.Loop {
			name += "Turn"
		}
		what := fmt.Sprintf("%s %s", kindWord(in.Kind), in.Name)
		for _, id := range []string{"Input", "Decide", "Handle"} {
			p.names.claim(id+name, what, in.Pos)
		}
		for _, id := range []string{"Guards", "Handler"} {
			p.names.claim(name+id, what, in.Pos)
		}
		ip := &inputPlan{Input: in, name: name, table: lowerFirst(name) + "Rules", rules: in.Rules()}
		p.inputs = append(p.inputs, ip)
		p.describe(ip)
	}
}

// describe collects what the rules of an input ask and do.
func (p *plan) describe(in *inputPlan) {
	for i, r := range in.rules {
		p.ruleRefs[r] = ruleRef{in, i}
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
	fields := newScope(p.File)
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
	p.names.errs = append(p.names.errs, fields.errs...)
}

// ofCode says whether the catalogue answers the guard, so that it is resolved when code is generated.
func ofCode(g *spec.Guard) bool { return slices.Contains(g.Scope, "code") }

func (p *plan) nameEffects() {
	methods := newScope(p.File)
	methods.reserve("Start", "Forget")
	for _, e := range p.Effects {
		name := methods.claim(goName(e.Name), "effect "+e.Name, e.Pos)
		p.effectNames[e] = name
		p.names.claim("Effect"+name, "effect "+e.Name, e.Pos)
	}
	p.names.errs = append(p.names.errs, methods.errs...)
}

func (p *plan) nameResults() {
	for _, e := range p.Errors {
		p.errorNames[e.Name] = p.names.claim("Error"+goName(e.Name), "error "+e.Name, e.Pos)
	}
	for _, g := range p.resultGroups() {
		for _, r := range g.Results {
			name := "Result" + p.groupPrefix(g) + goName(r.Name)
			p.resultNames[r] = p.names.claim(name, "result "+resultText(r), r.Pos)
			if _, named := p.errorNames[r.Error]; r.Error != "" && r.Error != "own" && !named && p.code(r.Error) == nil {
				p.names.fail(r.Pos, "result %s raises %s, which is neither a code nor an error", resultText(r), r.Error)
			}
		}
	}
}

// resultGroups are the groups of the specification, and one before them for what every input has.
func (p *plan) resultGroups() []*spec.ResultGroup {
	common := &spec.ResultGroup{}
	for _, in := range p.inputs {
		for _, r := range in.rules {
			if r.Result != nil && r.Result.Group == nil && !slices.Contains(common.Results, r.Result) {
				common.Results = append(common.Results, r.Result)
			}
		}
	}
	slices.SortFunc(common.Results, func(a, b *spec.Result) int { return strings.Compare(a.Name, b.Name) })
	return append([]*spec.ResultGroup{common}, p.Results...)
}

// groupPrefix tells the results of groups apart; what every input has needs no prefix.
func (p *plan) groupPrefix(g *spec.ResultGroup) string {
	if len(g.Inputs) == 0 {
		return ""
	}
	for _, in := range p.inputs {
		if in.Input == g.Inputs[0] {
			return in.name
		}
	}
	return ""
}

// resultText is how a result is written where it stands alone: "Heartbeat.received".
func resultText(r *spec.Result) string {
	if r.Group == nil {
		return r.Name
	}
	return r.Group.Name + "." + r.Name
}

func (p *plan) nameQuestions() {
	for _, q := range p.Questions {
		name := p.names.claim(goName(q.Name), "question "+q.Name, q.Pos)
		p.names.claim("Parse"+name, "question "+q.Name, q.Pos)
		p.questionNames[q] = name
		for _, a := range q.Answers {
			p.guardNames[a] = p.names.claim(name+goName(a.Name), "answer "+a.Name, a.Pos)
		}
	}
}

func (p *plan) nameTimers() {
	for _, t := range p.Timers {
		p.timerNames[t] = p.names.claim("Timer"+goName(t.Name), "timer "+t.Name, t.Pos)
	}
}

func (p *plan) nameStates() {
	var names []string
	for _, s := range p.States {
		names = append(names, goName(s.Name))
	}
	for _, f := range p.Flags {
		names = append(names, goName(f.Name))
	}
	prefix := ""
	if !p.names.free(names) {
		prefix = "State"
	}
	for _, s := range p.States {
		p.stateNames[s] = p.names.claim(prefix+goName(s.Name), "state "+s.Name, s.Pos)
	}
	methods := newScope(p.File)
	methods.reserve("String", "MarshalText", "UnmarshalText")
	for _, g := range p.Groups {
		p.groupNames[g] = methods.claim(goName(g.Name), "group "+g.Name, g.Pos)
	}
	p.names.errs = append(p.names.errs, methods.errs...)
}

func (p *plan) nameFlags() {
	var names []string
	for _, f := range p.Flags {
		names = append(names, goName(f.Name))
	}
	prefix := ""
	if !p.names.free(names) {
		prefix = "Flag"
	}
	for _, f := range p.Flags {
		p.flagNames[f] = p.names.claim(prefix+goName(f.Name), "flag "+f.Name, f.Pos)
	}
	if len(p.Flags) > 64 {
		p.names.fail(p.Flags[64].Pos, "more than 64 flags")
	}
	if len(p.Timers) > 63 {
		p.names.fail(p.Timers[63].Pos, "more than 63 timers")
	}
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
