package gen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/kbeat/kbeat/spec"
)

// requestPlan is a request with what the conditions ask that end it.
type requestPlan struct {
	*spec.Request
	input string // the constant of its response
	marks []mark
}

// planRequests collects what the conditions ask that end requests, and names what stands in their struct of guards.
func (p *plan) planRequests() {
	fields := newScope(p.Path)
	for _, q := range p.Requests {
		in := p.inputOf(q.Response)
		r := &requestPlan{Request: q, input: "Input" + in.name}
		for _, t := range q.Asked() {
			m, _ := markOf(t) // none is of the code
			if slices.Contains(r.marks, m) {
				continue
			}
			r.marks = append(r.marks, m)
			if m.flag != nil || slices.Contains(p.requestGuards, m) {
				continue
			}
			p.requestGuards = append(p.requestGuards, m)
			if m.question != nil {
				fields.claim(goName(m.question.Name), "question "+m.question.Name, m.question.Pos)
			} else {
				p.guardNames[m.guard] = fields.claim(goName(m.guard.Name), "guard "+m.guard.Name, m.guard.Pos)
			}
		}
		p.requests = append(p.requests, r)
	}
	p.names.wrong = append(p.names.wrong, fields.wrong...)
}

func (p *plan) inputOf(in *spec.Input) *inputPlan {
	return p.inputs[slices.IndexFunc(p.inputs, func(x *inputPlan) bool { return x.Input == in })]
}

// requestsFile declares how long requests wait, and what ends them before.
func (p *plan) requestsFile() *jen.File {
	f := p.guarded()
	var rows []jen.Code
	for _, r := range p.requests {
		row := keyed(r.input, lifetime(r.Request))
		if r.Doc != "" {
			row = jen.Comment(oneLine(r.Doc)).Line().Add(row)
		}
		rows = append(rows, row)
	}
	f.Var().Id("lifetimes").Op("=").Index(jen.Op("...")).Qual(fsmPath, "Lifetime").Add(lines(rows...))
	f.Line()
	comment(f, "Lifetime is how long the request waits which the input is the response to. For all other inputs it is zero.")
	f.Func().Params(jen.Id("i").Id("Input")).Id("Lifetime").Params().Qual(fsmPath, "Lifetime").Block(
		jen.If(jen.Int().Call(jen.Id("i")).Op(">=").Len(jen.Id("lifetimes"))).Block(jen.Return(jen.Qual(fsmPath, "Lifetime").Values())),
		jen.Return(jen.Id("lifetimes").Index(jen.Id("i"))))
	f.Line()
	p.guardsStruct(f, "RequestGuards", "RequestGuards are what the conditions ask that end a request before its limit.", p.requestGuards)
	p.abandons(f)
	return f
}

// abandons declares the function that finds whether a request ends.
func (p *plan) abandons(f *jen.File) {
	d := decider{p: p}
	var cases []jen.Code
	for _, r := range p.requests {
		var body []jen.Code
		for _, c := range r.When {
			when, _ := resolveCondition(c, nil) // none asks of the code
			body = append(body, jen.If(d.condition(when)).Block(
				jen.Return(jen.Id(p.codeNames[r.Abandoned]), jen.True()).Comment(p.at(c.Pos))))
		}
		if len(body) > 0 {
			cases = append(cases, caseOf([]jen.Code{jen.Id(r.input)}, body...))
		}
	}
	var body []jen.Code
	if len(cases) > 0 {
		body = append(body, jen.Switch(jen.Id("i")).Block(cases...))
	}
	comment(f, "Abandons reports whether a request that waits for the response i ends now, before its limit, and the code that its response then has. "+
		"It is to be asked after each input, when the memory is what the input has made of it, for each request under way.")
	f.Func().Id("Abandons").Params(p.abandonsParameters()...).Params(jen.Id("Code"), jen.Bool()).Block(append(body, jen.Return(jen.Lit(0), jen.False()))...)
}

func (p *plan) abandonsParameters() []jen.Code {
	out := []jen.Code{jen.Id("i").Id("Input"), jen.Id("m").Id("Memory")}
	if len(p.requestGuards) > 0 {
		out = append(out, jen.Id("g").Id("RequestGuards"))
	}
	return out
}

// lifetime is the literal, without its type, for how long a request waits.
func lifetime(r *spec.Request) *jen.Statement {
	fields := []jen.Code{keyed("Limit", limit(r.Limit))}
	if r.Again != nil {
		fields = append(fields, keyed("Again", limit(r.Again)))
	}
	return list(fields...)
}

func limit(l *spec.Limit) *jen.Statement {
	var fields []jen.Code
	if l.Choice != "" {
		fields = append(fields, keyed("Choice", jen.Qual(fsmPath, map[string]string{"min": "Least", "max": "Greatest"}[l.Choice])))
	}
	for i, t := range l.Terms {
		fields = append(fields, keyed([]string{"First", "Second"}[i], jen.Qual(fsmPath, "Term").Add(term(t))))
	}
	return jen.Qual(fsmPath, "Limit").Add(list(fields...))
}

func term(t spec.Term) *jen.Statement {
	var fields []jen.Code
	if t.Setting != "" {
		fields = append(fields, keyed("Setting", jen.Lit(t.Setting)))
	}
	if t.Times != 0 {
		fields = append(fields, keyed("Times", jen.Lit(t.Times)))
	}
	if t.Over != 0 {
		fields = append(fields, keyed("Over", jen.Lit(t.Over)))
	}
	if t.Plus != 0 {
		fields = append(fields, keyed("Plus", millis(t.Plus)))
	}
	return list(fields...)
}

// requestTable writes how long each request waits, what ends it before, and with which result.
func (d *document) requestTable() {
	if len(d.Requests) == 0 {
		return
	}
	d.heading(2, "Requests")
	d.text("How long each request waits for its answer, counted from its sending. After the time under “sent again after” it is sent once more beside " +
		"itself, and either answer counts. Each line under “what ends it before” is a condition that ends it before its limit: its response then has " +
		"the code under “ends as”, for which the rules of the response give the result beside it.")
	var rows [][]string
	for _, q := range d.Requests {
		again, ends := "", ""
		if q.Again != nil {
			again = prose(q.Again.Text)
		}
		if q.Abandoned != nil {
			ends = word(q.Abandoned.Name) + ": " + d.resultsOf(q)
		}
		rows = append(rows, []string{word(q.Response.Name), fmt.Sprint(q.Pos.Line), prose(q.Limit.Text), again,
			strings.Join(namesIn(q.When, d.endText), "<br>"), ends, prose(q.Doc)})
	}
	d.table([]string{"request", "line", "limit", "sent again after", "what ends it before", "ends as", "note"}, rows)
}

// endText is a condition that ends a request, with what its guards ask.
func (d *document) endText(c *spec.Condition) string {
	text := "**" + prose(c.Text) + "**"
	var asks []string
	for _, t := range c.Tests {
		doc := ""
		if t.Flag != nil {
			doc = t.Flag.Doc
		} else {
			doc = d.guardDoc(t.Guard)
		}
		if doc == "" {
			continue
		}
		if !t.Want {
			doc = "not: " + doc
		}
		asks = append(asks, prose(doc))
	}
	if asks != nil {
		text += " (" + strings.Join(asks, "; ") + ")"
	}
	return text
}

// resultsOf are those of the rules for the code that an abandoned request has.
func (d *document) resultsOf(q *spec.Request) string {
	var out []string
	for _, c := range q.Response.Cases {
		if !slices.Contains(c.Codes, q.Abandoned) {
			continue
		}
		for _, r := range (&spec.Input{Cases: []*spec.Case{c}}).Rules() {
			text := "no result"
			if r.Result != nil {
				text = word(r.Result.Name)
			}
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return strings.Join(out, " or ")
}
