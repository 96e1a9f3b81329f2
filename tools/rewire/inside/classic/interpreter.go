//go:build specmutants

// This file is compiled into fsm/classic in the place of its generated functions: the same questions are put to a
// specification that is read at run time, so that it can be exchanged within a process.

package classic

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/spec"
)

// Interpreter decides by a specification what the generated code decides by its own.
type Interpreter struct {
	Machine *spec.Machine
	Noted   func(Point) // is told of each decision; may be nil

	decisions map[Input]map[Code]spec.Decision // of loops and events under CodeNone
	rest      map[Input]spec.Decision          // otherwise
	requests  map[Input]*spec.Request
	codes     map[Code]*spec.Code
	rows      map[*spec.Rule]*Rule
	rules     []*Rule
	order     map[*Rule]*spec.Rule
	flags     map[*spec.Flag]Flags
	initial   Memory
	retriable map[ErrorName]bool
	fields    sync.Map // of a struct of guards, by field
	methods   sync.Map // of a handler, by method
}

// Point is all that a decision depends on.
type Point struct {
	Input  Input
	Code   Code
	Memory Memory
	Guards any
}

type field struct {
	guards reflect.Type
	name   string
}

type method struct {
	handler reflect.Type
	effect  Effect
}

// running is whom the functions of this package ask.
var running = first()

// first reads the specification that the environment names, or else the one that this package was generated from.
func first() *Interpreter {
	path := os.Getenv("KBEAT_SPECIFICATION")
	if path == "" {
		path = generatedFrom
	}
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	m, err := ParseSpecification(text)
	if err != nil {
		panic(err)
	}
	i := NewInterpreter(m)
	i.place()
	i.declare()
	return i
}

// ParseSpecification reads the text of a specification under the name, and with the catalogue, of the one that this
// package was generated from.
func ParseSpecification(text []byte) (*spec.Machine, error) {
	return spec.Parse(generatedFrom, text, func(name string) ([]byte, error) {
		return os.ReadFile(filepath.Join(filepath.Dir(generatedFrom), "catalogue", name+".yaml"))
	})
}

// Run lets the functions of this package ask i from now on.
func Run(i *Interpreter) {
	running = i
	i.declare()
}

// NewInterpreter prepares a specification. What it names and this package does not have is a panic.
func NewInterpreter(m *spec.Machine) *Interpreter {
	i := &Interpreter{
		Machine: m, decisions: map[Input]map[Code]spec.Decision{}, rest: map[Input]spec.Decision{}, requests: map[Input]*spec.Request{}, codes: map[Code]*spec.Code{},
		rows: map[*spec.Rule]*Rule{}, order: map[*Rule]*spec.Rule{}, flags: map[*spec.Flag]Flags{}, retriable: map[ErrorName]bool{},
	}
	for _, c := range m.Catalogue.All() {
		i.codes[must(ParseCode(c.Name))] = c
	}
	for _, s := range m.States {
		if int(must(ParseState(s.Name))) != s.Index {
			panic("the states are in another order")
		}
	}
	i.initial.State = must(ParseState(m.Initial.Name))
	for _, f := range m.Flags {
		i.flags[f] = must(ParseFlags(f.Name))
		if f.Initial {
			i.initial.Flags |= i.flags[f]
		}
	}
	for _, e := range m.Errors {
		i.retriable[must(ParseErrorName(e.Name))] = e.Retriable
	}
	for _, q := range m.Requests {
		i.requests[must(ParseInput(q.Response.Name))] = q
	}
	for _, in := range m.Inputs() {
		input := must(ParseInput(in.Name))
		i.decisions[input] = map[Code]spec.Decision{}
		for _, c := range in.Cases {
			switch {
			case in.Kind != spec.Response:
				i.decisions[input][CodeNone] = c.Decision
			case c.Otherwise:
				i.rest[input] = c.Decision
			}
			for _, code := range c.Codes {
				i.decisions[input][must(ParseCode(code.Name))] = c.Decision
			}
		}
		for _, r := range in.Rules() {
			row := i.row(input, r)
			i.rows[r], i.order[row] = row, r
			i.rules = append(i.rules, row)
		}
	}
	return i
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// row is a rule of the specification as one of this package.
func (i *Interpreter) row(input Input, r *spec.Rule) *Rule {
	row := &Rule{Name: r.Name, Why: r.Why, Deviates: r.Deviates, Line: r.Pos.Line, Input: input}
	for _, s := range r.To {
		row.To = append(row.To, must(ParseState(s.Name)))
	}
	for _, do := range r.Effects() {
		e := do.Effect
		row.Do = append(row.Do, Do{Effect: must(ParseEffect(e.Name)), Text: fsm.Text(do.Text)})
		for _, f := range e.Clears {
			row.Sets, row.Clears = row.Sets&^i.flags[f], row.Clears|i.flags[f]
		}
		for _, f := range e.Sets {
			row.Sets, row.Clears = row.Sets|i.flags[f], row.Clears&^i.flags[f]
		}
		for _, t := range e.Starts {
			row.Starts |= 1 << must(ParseTimer(t.Name))
		}
		for _, t := range e.Forgets {
			row.Forgets |= 1 << must(ParseTimer(t.Name))
		}
	}
	switch {
	case r.Result == nil:
	case r.Result.Group == nil:
		row.Result = must(ParseResult(r.Result.Name))
	default:
		row.Result = must(ParseResult(r.Result.Group.Name + "." + r.Result.Name))
	}
	return row
}

// place fills in where each rule decides, which costs time and is asked by machines only.
func (i *Interpreter) place() {
	from := map[*Rule][]State{}
	for _, c := range i.Machine.Cells() {
		row, s := i.rows[c.Rule], must(ParseState(c.State.Name))
		if !slices.Contains(from[row], s) {
			from[row] = append(from[row], s)
		}
	}
	for row, states := range from {
		if len(states) < len(i.Machine.States) {
			slices.Sort(states)
			row.From = states
		}
	}
}

// declare puts into this package's tables what the specification says of results, timers and requests.
func (i *Interpreter) declare() {
	for _, g := range i.Machine.Results {
		for _, r := range g.Results {
			entry := &results[must(ParseResult(g.Name+"."+r.Name))]
			entry.class, entry.err = fsm.ClassNone, ResultError{}
			if r.Class != "" {
				entry.class = must(fsm.ParseClass(string(r.Class)))
			}
			code, notCode := ParseCode(r.Error)
			switch {
			case r.Error == "":
			case r.Error == "own":
				entry.err.Kind = fsm.ErrorOwn
			case notCode == nil:
				entry.err = ResultError{Kind: fsm.ErrorCode, Code: code}
			default:
				entry.err = ResultError{Kind: fsm.ErrorNamed, Name: must(ParseErrorName(r.Error))}
			}
		}
	}
	ends := map[any]uint8{}
	for _, t := range i.Machine.Timers {
		timer := must(ParseTimer(t.Name))
		timerSpecs[timer] = fsm.TimerSpec{
			Length: limit(t.After), Default: milliseconds(t.Default), Most: milliseconds(t.Most), Jitter: t.Jitter, Free: t.Free, FromSending: t.Sending,
		}
		end := any(t.Guard)
		if t.Event != nil {
			end = t.Event
		}
		if _, known := ends[end]; !known {
			ends[end] = uint8(len(ends))
		}
		timerClocks[timer] = ends[end]
	}
	for input, q := range i.requests {
		lifetimes[input] = fsm.Lifetime{Limit: limit(q.Limit), Again: limit(q.Again)}
	}
}

// Specification is the one that decides.
func Specification() *spec.Machine { return running.Machine }

// Row is the rule that r was made from.
func (i *Interpreter) Row(r *Rule) *spec.Rule { return i.order[r] }

// Decide is the rule at a point.
func (i *Interpreter) Decide(p Point) *Rule {
	d, ok := i.decisions[p.Input][p.Code]
	if !ok {
		d = i.rest[p.Input]
	}
	for {
		s, ok := d.(*spec.Switch)
		if !ok {
			return i.rows[d.(*spec.Rule)]
		}
		if d = i.choose(s, p); d == nil {
			panic(fmt.Sprintf("nothing decides %v", p))
		}
	}
}

func (i *Interpreter) choose(s *spec.Switch, p Point) spec.Decision {
	var rest spec.Decision
	for _, a := range s.Arms {
		switch {
		case a.When == nil && s.Ordered:
			return a.Then
		case a.When == nil:
			rest = a.Then
		case i.holds(a.When, p):
			return a.Then
		}
	}
	return rest
}

func (i *Interpreter) holds(c *spec.Condition, p Point) bool {
	for _, t := range c.Tests {
		if i.answer(t, p) != t.Want {
			return false
		}
	}
	return c.States == nil || slices.ContainsFunc(c.States, func(s *spec.State) bool { return s.Index == int(p.Memory.State) })
}

func (i *Interpreter) answer(t spec.Test, p Point) bool {
	switch {
	case t.Flag != nil:
		return p.Memory.Flags.Has(i.flags[t.Flag])
	case slices.Contains(t.Guard.Scope, "code"):
		code := i.codes[p.Code]
		return code != nil && code.Property(t.Guard.Name)
	case p.Guards == nil:
		return false
	}
	guards := reflect.ValueOf(p.Guards)
	at := field{guards.Type(), t.Guard.Name}
	index, known := i.fields.Load(at)
	if !known {
		index = -1 // whoever asks for a decision says nothing of it
		for n := range guards.NumField() {
			if same(guards.Type().Field(n).Name, t.Guard.Name) {
				index = n
			}
		}
		i.fields.Store(at, index)
	}
	return index.(int) >= 0 && guards.Field(index.(int)).Bool()
}

// same reports whether a name of Go is the given one of the specification.
func same(name, declared string) bool {
	return strings.EqualFold(name, strings.NewReplacer("_", "", "-", "", "+", "").Replace(declared))
}

func (i *Interpreter) decide(p Point) *Rule {
	if i.Noted != nil {
		i.Noted(p)
	}
	return i.Decide(p)
}

// handle does what is decided, as generated code does it.
func (i *Interpreter) handle(p Point, m *Memory, handler any) *Rule {
	row := i.decide(p)
	m.State = row.Next(m.State)
	m.Flags = m.Flags&^row.Clears | row.Sets
	h := reflect.ValueOf(handler)
	if row.Starts != 0 {
		handler.(interface{ Start(Timers) }).Start(row.Starts)
	}
	if row.Forgets != 0 {
		handler.(interface{ Forget(Timers) }).Forget(row.Forgets)
	}
	for _, do := range row.Do {
		switch f := h.Method(i.methodOf(h.Type(), do.Effect)).Interface().(type) {
		case func():
			f()
		case func(fsm.Text):
			f(do.Text)
		}
	}
	return row
}

func (i *Interpreter) methodOf(handler reflect.Type, e Effect) int {
	at := method{handler, e}
	if n, known := i.methods.Load(at); known {
		return n.(int)
	}
	for n := range handler.NumMethod() {
		if same(handler.Method(n).Name, e.String()) {
			i.methods.Store(at, n)
			return n
		}
	}
	panic(fmt.Sprintf("%s has no method for %s", handler, e))
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// GeneratedFrom is where the specification stands that this package was generated from.
func GeneratedFrom() string { return generatedFrom }
