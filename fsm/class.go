package fsm

// Class says what the one who waits for a result does next. A result of a loop may have none.
type Class uint8

// The classes of results.
const (
	ClassNone    Class = iota // nothing is said
	ClassOK                   // it is done
	ClassPending              // it goes on, the result follows
	ClassRetry                // again, at once
	ClassBackoff              // again, after a pause that grows
	ClassFatal                // it has failed, and nothing repeats it
	ClassIgnored              // nobody is told
)

var classNames = Names[Class]{Of: "class", List: []string{
	"none", "ok", "pending", "retry", "backoff", "fatal", "ignored",
}}

// String is the class as specifications write it: "backoff".
func (c Class) String() string { return classNames.String(c) }

// MarshalText is String, and an error for a class that does not exist.
func (c Class) MarshalText() ([]byte, error) { return classNames.Marshal(c) }

// UnmarshalText is ParseClass.
func (c *Class) UnmarshalText(text []byte) (err error) {
	*c, err = ParseClass(string(text))
	return err
}

// ParseClass reads what String wrote; an unknown name is an *UnknownNameError.
func ParseClass(name string) (Class, error) { return classNames.Parse(name) }
