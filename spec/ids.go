package spec

// ID names a kind of finding. IDs are stable: scripts and documents may refer to them.
type ID string

// The kinds of findings.
const (
	// The text as such.
	NotText   ID = "not-text"  // bytes that are no UTF-8, or control characters
	TooMuch   ID = "too-much"  // larger, longer or deeper than any specification is, or more cells than can be enumerated
	Syntax    ID = "syntax"    // no YAML
	Documents ID = "documents" // more than one YAML document
	Anchor    ID = "anchor"    // an anchor or an alias
	MergeKey  ID = "merge-key" // a YAML merge key
	Tag       ID = "tag"       // an explicit YAML tag
	Shape     ID = "shape"     // a list where a mapping is wanted, and the like
	Empty     ID = "empty"     // a key without a value, an empty list
	BadValue  ID = "bad-value" // a number, truth or name that is none
	Duplicate ID = "duplicate" // a key or a list item that stands twice

	// Names.
	UnknownKey   ID = "unknown-key"   // a key that the notation does not have
	MisplacedKey ID = "misplaced-key" // a key of the notation that belongs elsewhere
	UnknownName  ID = "unknown-name"  // a name that is not declared
	UnknownCode  ID = "unknown-code"  // a code that the catalogue does not have
	Misspelt     ID = "misspelt"      // a free name that stands once, and is nearly another
	NameTwice    ID = "name-twice"    // one name with two meanings
	Missing      ID = "missing"       // a key that must be there
	NoCatalogue  ID = "catalogue"     // a catalogue that cannot be read

	// Declarations.
	States     ID = "states"      // no initial state, or two
	Outside    ID = "outside"     // an event that neither the machine causes nor `outside` lists, or both
	GuardScope ID = "guard-scope" // a guard that is asked where its owner is not
	Parameter  ID = "parameter"   // an effect's parameter missing, superfluous, or with an unknown placeholder

	// Decisions.
	NeverHolds    ID = "never-holds"    // a condition that cannot hold
	Else          ID = "else"           // else where it hides something, or a list without it
	NoResult      ID = "result"         // a rule without a result, where somebody waits for one
	CodeTwice     ID = "code-twice"     // a code with two cases in one response
	Gap           ID = "gap"            // a cell that nothing decides
	Documented    ID = "documented"     // a documented code without a case of its own
	Overlap       ID = "overlap"        // a cell that two branches decide
	SameCondition ID = "same-condition" // two branches of one switch with the same condition
	Unguarded     ID = "unguarded"      // a line of a list whose loss nothing would notice
	DeadRule      ID = "dead-rule"      // a line or branch that never decides

	// What rules do.
	Only            ID = "only"            // an effect where its precondition does not hold
	UndeclaredEdge  ID = "undeclared-edge" // a rule that takes an edge that no state declares
	UntakenEdge     ID = "untaken-edge"    // a declared edge that no rule takes
	UnusedEdge      ID = "unused-edge"     // an edge that is declared unused, and taken
	Obligation      ID = "obligation"      // identity dropped, and nothing of what must follow
	Promised        ID = "promise"         // a state entered or left without what the state promises
	Unpromised      ID = "unpromised"      // what every rule that enters or leaves a state does, and the state does not promise
	LeavesAbsorbing ID = "absorbing"       // an absorbing state that is left
	Unreachable     ID = "unreachable"     // a state that is never reached
	Trap            ID = "trap"            // a state that is never left and not final, or final and left
	Unlimited       ID = "unlimited"       // a response that is sent, and does not say how long it waits
	NeverSent       ID = "never-sent"      // a response that no effect sends
	NeverAnswered   ID = "never-answered"  // an effect whose answer nobody treats
	NothingPending  ID = "pending"         // somebody waits, and nothing is under way
	LeftMarked      ID = "left-marked"     // a flag that says something is under way, and stays set when it has ended
	TimerOff        ID = "timer-off"       // a state that waits for a timer which nothing has started
	NoBackoff       ID = "backoff"         // a result that asks for a backoff and starts no timer, unlike the others
	WrongClass      ID = "class"           // a result whose class is not what it says and does
	Livelock        ID = "livelock"        // a loop that goes in circles
	Unused          ID = "unused"          // a declaration that nothing needs
)
