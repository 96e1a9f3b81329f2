package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kbeat/kbeat/spec"
)

// reserve keeps the names that the code of every machine has.
func (p *plan) reserve() {
	p.names.reserve("TestNames", "TestFlags", "TestCodes", "TestResults", "TestTimers", "TestDrawings", "TestRules", "TestMachineRefuses")
	p.names.reserve("NumTimers", "NumClocks", "RequestGuards", "Abandons", "TestLifetimes", "TestAbandons")
	p.names.reserve("State", "ParseState", "Flags", "ParseFlags", "Memory", "Initial", "Code", "ParseCode", "Input", "ParseInput",
		"Effect", "ParseEffect", "Timer", "Timers", "ParseTimer", "Result", "ParseResult", "ResultNone", "ResultError", "ErrorName",
		"ParseErrorName", "Rule", "Do", "Rules", "File", "Sum", "Machine", "NewMachine", "Definition", "Mermaid", "Graphviz")
}

// nameCodes also gives numbers to the ways in which a request ends without an answer.
func (p *plan) nameCodes() {
	if p.Catalogue == nil {
		return
	}
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
		for _, id := range []string{"Input", "Decide", "Handle", "Test"} {
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

func (p *plan) nameEffects() {
	methods := newScope(p.Path)
	if len(p.Timers) > 0 {
		methods.reserve("Start", "Forget")
	}
	for _, e := range p.Effects {
		name := methods.claim(goName(e.Name), "effect "+e.Name, e.Pos)
		p.effectNames[e] = name
		p.names.claim("Effect"+name, "effect "+e.Name, e.Pos)
	}
	p.names.wrong = append(p.names.wrong, methods.wrong...)
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
		p.refuseNone(t.Name, "timer", t.Pos)
	}
	const most = 63 // bit 0 is that of no timer
	if len(p.Timers) > most {
		p.names.fail(p.Timers[most].Pos, "more than %d timers", most)
	}
}

// nameStates gives states their bare names, and a prefix to all of them where one would clash.
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
	methods := newScope(p.Path)
	methods.reserve("String", "MarshalText", "UnmarshalText")
	for _, g := range p.Groups {
		p.groupNames[g] = methods.claim(goName(g.Name), "group "+g.Name, g.Pos)
	}
	p.names.wrong = append(p.names.wrong, methods.wrong...)
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
		p.refuseNone(f.Name, "flag", f.Pos)
	}
	const most = 64 // the bits of the widest integer
	if len(p.Flags) > most {
		p.names.fail(p.Flags[most].Pos, "more than %d flags", most)
	}
}

// refuseNone keeps the word for an empty set from being the name of a member.
func (p *plan) refuseNone(name, what string, pos spec.Pos) {
	if name == "none" {
		p.names.fail(pos, "a %s cannot be called none: that is how an empty set is written", what)
	}
}
