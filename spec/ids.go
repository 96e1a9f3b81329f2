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
	NameTwice    ID = "name-twice"    // one name with two meanings
	Missing      ID = "missing"       // a key that must be there
	NoCatalogue  ID = "catalogue"     // a catalogue that cannot be read

	// Declarations.
	States     ID = "states"      // no initial state, or two
	GuardScope ID = "guard-scope" // a guard that is asked where its owner is not
	Parameter  ID = "parameter"   // an effect's parameter missing, superfluous, or with an unknown placeholder

	// Decisions.
	NeverHolds ID = "never-holds" // a condition that cannot hold
	Else       ID = "else"        // else where it hides something, or a list without it
	NoResult   ID = "result"      // a rule without a result, where somebody waits for one
	CodeTwice  ID = "code-twice"  // a code with two cases in one response
	Gap        ID = "gap"         // a cell that nothing decides
	Documented ID = "documented"  // a documented code without a case of its own
)
