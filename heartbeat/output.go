package heartbeat

//kbeat:pure

import "github.com/kbeat/kbeat/fsm/classic"

// Output is what a Core wants to be done, in the order given: Request, PollEnded, Callback, RunAssignment,
// Abandoned, AssignmentAbandoned, CommitEnded, Left or Fired.
type Output interface{ output() }

type (
	// PollEnded answers Poll. Without an error the member is in the group, or goes on with what it has.
	PollEnded struct{ Err error }

	// Callback wants the application to be notified of its partitions; CallbackEnded answers it. No other callback comes before.
	Callback struct {
		Kind       CallbackKind
		Generation int32
		Member     string
		Protocol   string
		Assignment []byte // with CallbackAssigned
		Reason     string // with the others: why the partitions go
	}

	// RunAssignment wants the leader's assignor to divide the group's work; Assigned or AssignmentFailed answers it.
	RunAssignment struct {
		Join  uint64 // tells one from the next
		Input AssignmentInput
	}

	// Abandoned says that the answer to a request does not count any more: the transport may forget it.
	Abandoned struct {
		ID     uint64
		Listen bool // its answer is still listened for: it may bring a member id
	}

	// AssignmentAbandoned says that nobody waits for the answer to RunAssignment any more; it needs none.
	AssignmentAbandoned struct{ Join uint64 }

	// CommitEnded answers CommitAsked.
	CommitEnded struct {
		ID  uint64
		Err error // nil, an *Error, or ErrClosed; with ErrOutcomeUnknown where it was sent
	}

	// Left answers LeaveAsked. Err says why the coordinator may not know of it; the member has left all the same.
	Left struct{ Err error }

	// Fired says that a rule has decided, and what of the state it changed; what the rule does comes after it. Rules by
	// which a loop only waits are left out.
	Fired struct {
		Rule     *classic.Rule
		Code     classic.Code // of the response that it decided about; else NONE
		Request  uint64       // the response's; else 0
		Node     int32        // the broker that the request was sent to; else AnyBroker
		From, To classic.State
		Err      error // what lies behind Code
	}
)

// CallbackKind is what a callback is about.
type CallbackKind uint8

// The kinds of callbacks.
const (
	CallbackAssigned CallbackKind = iota + 1 // it has an assignment: of this generation, until told otherwise
	CallbackRevoked                          // it is to release what it owns before the next generation; commits still count
	CallbackLost                             // what it owned belongs to somebody else already
)

// String is "assigned", "revoked" or "lost".
func (k CallbackKind) String() string {
	return [...]string{"none", "assigned", "revoked", "lost"}[k&3]
}

func (Request) output()             {}
func (PollEnded) output()           {}
func (Callback) output()            {}
func (RunAssignment) output()       {}
func (Abandoned) output()           {}
func (AssignmentAbandoned) output() {}
func (CommitEnded) output()         {}
func (Left) output()                {}
func (Fired) output()               {}
