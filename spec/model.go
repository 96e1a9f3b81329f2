package spec

// Pos is a place in the text of a specification. Line and Col count from 1, Col in runes.
type Pos struct{ Line, Col int }

// Machine is one specification, read and resolved: every name points at its declaration.
// A Machine that Load returned without an error has passed every check and is not to be changed.
type Machine struct {
	Name      string // of the key `machine`: a Go package name
	Doc       string
	Original  string // what `deviates` speaks of
	File      string // base name of the file, as rules cite it: "classic.yaml"
	Path      string // of the file, as findings print it
	Sum       string // SHA-256, in hex, over what the text says: comments, blank lines and layout are no part of it
	Initial   *State
	States    []*State
	Groups    []*Group
	Identity  []*Identity
	Flags     []*Flag
	Guards    []*Guard
	Questions []*Question
	Timers    []*Timer
	Effects   []*Effect
	Requests  []*Request
	Errors    []*Error
	Results   []*ResultGroup
	Responses []*Input
	Loops     []*Input
	Events    []*Input
	Musts     []*Must
	Absorbing []*Absorbing
	// Disagreements are points on which those who speak the protocol differ.
	Disagreements []*Disagreement
	Catalogue     *Catalogue // nil where the machine names none

	edges []*Edge // nil where no state declares `from`
}

// State is what the member is.
type State struct {
	Name  string
	Doc   string
	Index int // in Machine.States
	Final bool
	// EntersWith is what every rule that enters the state does, and LeavesWith every one that leaves it.
	EntersWith, LeavesWith []Promise
	Pos                    Pos
}

// Promise is something that rules must do: have an effect, or one that sets a flag. Exactly one of Effect and Flag is set.
type Promise struct {
	Effect *Effect
	Flag   *Flag
	Pos    Pos
}

// Name of what is promised.
func (p Promise) Name() string {
	if p.Flag != nil {
		return p.Flag.Name
	}
	return p.Effect.Name
}

// Edge is a declared way from one state to another.
type Edge struct {
	From, To *State
	Unused   bool // declared, and taken by no rule on purpose
	Any      bool // of a `from: any` (every other state), which promises nothing about each single edge
	Pos      Pos
}

// Group names several states.
type Group struct {
	Name   string
	States []*State
	Pos    Pos
}

// Identity is something that the other side knows the member by.
type Identity struct {
	Name string
	Pos  Pos
}

// Flag is a piece of the machine's memory beside its state. Only effects change it.
type Flag struct {
	Name    string
	Doc     string
	Index   int // in Machine.Flags
	Initial bool
	Pos     Pos
}

// Guard is a question with the answers yes and no, asked of somebody outside the machine.
// The answers of a Question are guards too: exactly one of them holds.
type Guard struct {
	Name     string
	Doc      string
	Scope    []string // under whom it is declared: request, code, member, config, timer, or names of inputs
	Timer    *Timer   // that this guard is the end of, or nil
	Question *Question
	Pos      Pos
}

// Question has several answers, one of which holds.
type Question struct {
	Name    string
	Doc     string
	Answers []*Guard
	Pos     Pos
}

// Effect is something that a rule does. What it does to flags, identity and timers is declared here, once.
type Effect struct {
	Name       string
	Doc        string
	Index      int // in Machine.Effects
	Sets       []*Flag
	Clears     []*Flag
	Drops      []*Identity
	Takes      []*Identity
	Starts     []*Timer
	Forgets    []*Timer // whose attempts start from the first again; the clock goes on
	Sends      []*Input // responses that answer what it sends
	Calls      []string // callbacks of the application
	AnsweredBy []*Input // events
	Only       *Condition
	Parameter  string // its name, "" where the effect takes none
	Default    string // of the parameter; with Required it has none
	Required   bool
	Deviates   string
	Pos        Pos
}

// Error is something that is raised and has no code in the catalogue.
type Error struct {
	Name      string
	Doc       string
	Retriable bool
	Pos       Pos
}

// ResultGroup lists what those who wait for one of Inputs can be told.
type ResultGroup struct {
	Name    string // of its first input
	Inputs  []*Input
	Results []*Result
	Pos     Pos
}

// Class says what the one who waits does with a result.
type Class string

// The classes. A result of a loop may have none.
const (
	OK      Class = "ok"
	Pending Class = "pending"
	Retry   Class = "retry"
	Backoff Class = "backoff"
	Fatal   Class = "fatal"
	Ignored Class = "ignored"
)

// Result is one of a group.
type Result struct {
	Name  string
	Doc   string
	Group *ResultGroup // nil for the two that every input has: ignored, illegal
	Class Class        // "" where a loop's result has none
	Error string       // "", "own" (the code's), a code of the catalogue, or the name of an Error
	Do    []Do
	// Deviates says why what is done with this result differs from the original on purpose.
	Deviates string
	Pos      Pos
}

// Do is an effect as a rule or a result has it.
type Do struct {
	Effect *Effect
	Text   string // the parameter, its default filled in
	Pos    Pos
}

// Kind is what an input of the machine is.
type Kind uint8

// The kinds of inputs.
const (
	Response Kind = iota + 1
	Loop
	Event
)

// Input is something that the machine decides about: the response of an API, one turn of a loop, or an event.
type Input struct {
	Kind    Kind
	Name    string
	Doc     string
	Results *ResultGroup // nil where the input has none of its own
	Cases   []*Case      // a Loop and an Event have one, without codes
	Pos     Pos
}

// Case is the decision for some codes of a response, as written: `A, B: …`, `otherwise: …`, `A: as B`.
type Case struct {
	Codes     []*Code // for otherwise: every code that has no case of its own
	Otherwise bool
	As        *Case // whose decision this one repeats, or nil
	Decision  Decision
	Pos       Pos
}

// Decision is a *Rule or a *Switch.
type Decision interface{ At() Pos }

// Switch chooses among arms. Unordered (a mapping) exactly one arm holds; ordered (a sequence) the first that holds decides.
type Switch struct {
	Ordered  bool
	Arms     []Arm
	Why      string
	Deviates string
	Pos      Pos
}

// Arm is one branch of a Switch. When is nil for else.
type Arm struct {
	When *Condition
	Then Decision
	Pos  Pos
}

// Rule is what finally is done. Name is the path that leads to it: "Heartbeat/ILLEGAL_GENERATION/not stale".
type Rule struct {
	Name     string
	Input    *Input
	To       []*State // a path; empty: the state stays
	Do       []Do     // its own; Effects adds the result's
	Result   *Result  // nil where an event has no result
	Why      string   // its own or the nearest above it
	Deviates string
	Pos      Pos
}

// Condition is a conjunction: each guard answered as wanted, in one of the states.
type Condition struct {
	Text   string
	Tests  []Test
	States []*State // nil: in every state
	Pos    Pos
}

// Test asks for one guard or flag. Exactly one of Guard and Flag is set.
type Test struct {
	Guard *Guard
	Flag  *Flag
	Want  bool
	Pos   Pos
}

// Name of what is asked.
func (t Test) Name() string {
	if t.Flag != nil {
		return t.Flag.Name
	}
	return t.Guard.Name
}

// Must is an obligation: a rule that drops one of Drops also sets a flag, has an effect or ends in a state of those named.
type Must struct {
	Drops   []*Identity
	Flags   []*Flag
	Effects []*Effect
	States  []*State
	Why     string
	Pos     Pos
}

// Absorbing is the promise that no rule leaves State.
type Absorbing struct {
	State *State
	Why   string
	Pos   Pos
}

// Catalogue lists what the protocol calls things: the codes that a response may carry, the ways in which a request ends
// without one, settings and callbacks.
type Catalogue struct {
	Name       string
	Codes      []*Code
	Unanswered []*Code
	Documented map[string][]*Code // by response
	Settings   []string           // that timers can be named after; none: any
	Callbacks  []string           // that effects can call; none: any

	byName map[string]*Code
}

// Code is one entry of a Catalogue.
type Code struct {
	Name       string
	Number     int // on the wire; meaningless where Unanswered
	Retriable  bool
	Message    string
	Unanswered bool
	Index      int // in All
}

// At is where the rule stands.
func (r *Rule) At() Pos { return r.Pos }

// At is where the switch stands.
func (s *Switch) At() Pos { return s.Pos }

// Edges are the declared ways between states; nil where the machine declares none.
func (m *Machine) Edges() []*Edge { return m.edges }

// Inputs are responses, loops and events, in this order, each as written.
func (m *Machine) Inputs() []*Input {
	all := append([]*Input(nil), m.Responses...)
	all = append(all, m.Loops...)
	return append(all, m.Events...)
}

// All are the codes, then the unanswered ends.
func (c *Catalogue) All() []*Code {
	return append(append([]*Code(nil), c.Codes...), c.Unanswered...)
}

// Effects are the rule's own, then its result's, in the order in which they are carried out.
func (r *Rule) Effects() []Do {
	if r.Result == nil {
		return r.Do
	}
	return append(append([]Do(nil), r.Do...), r.Result.Do...)
}
