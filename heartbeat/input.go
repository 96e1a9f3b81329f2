package heartbeat

//kbeat:pure

import "github.com/kbeat/kbeat/fsm"

// Input is what a Core is told: Poll, PollGivenUp, Tick, Response, Assigned, AssignmentFailed, CallbackEnded,
// RejoinAsked, ProtocolsChanged, LeaveAsked, CloseAsked, CommitAsked or LoopBroke.
type Input interface{ input() }

type (
	// Poll says that the application asks for its membership: it is at work, and waits until it has what it should have.
	// One poll waits at a time; PollEnded answers it.
	Poll struct{}

	// PollGivenUp says that the application does not wait for the end of its poll any more.
	PollGivenUp struct{}

	// Tick says that time has passed.
	Tick struct{}

	// Assigned answers RunAssignment.
	Assigned struct {
		Join        uint64 // RunAssignment's
		Assignments []Assignment
	}

	// AssignmentFailed answers RunAssignment.
	AssignmentFailed struct {
		Join uint64 // RunAssignment's
		Err  error
	}

	// CallbackEnded answers Callback. Err is what the application returned.
	CallbackEnded struct{ Err error }

	// RejoinAsked says that the application wants a rebalance. Reason travels to the coordinator.
	RejoinAsked struct{ Reason string }

	// ProtocolsChanged replaces Config.Protocols, from the next JoinGroup on.
	ProtocolsChanged struct{ Protocols []Protocol }

	// LeaveAsked says that the application wants to be in the group no more; Left answers it. A Poll after that joins again.
	LeaveAsked struct {
		Mode   LeaveMode
		Reason string
		Last   bool // CloseAsked follows: a JoinGroup that may bring a member id is waited for
	}

	// CloseAsked ends the member: nothing is sent after it. LeaveAsked goes before it where the group is to be told.
	CloseAsked struct{}

	// CommitAsked wants offsets to be committed; CommitEnded answers it.
	CommitAsked struct {
		ID         uint64 // the application's own
		Member     string // that read the offsets, in
		Generation int32  // this generation
		Offsets    []Offset
	}

	// LoopBroke says that whatever drives the heartbeat loop has failed.
	LoopBroke struct{ Err error }
)

// LeaveMode reports whether the coordinator is told that the member leaves (KIP-1092).
type LeaveMode uint8

// The modes.
const (
	LeaveIfDynamic LeaveMode = iota // a dynamic member leaves, a static one keeps its place for a session timeout
	LeaveAlways                     // leaves, also when static
	LeaveNever                      // does not leave, also when dynamic
)

var leaveModes = fsm.Names[LeaveMode]{Of: "leave mode", List: []string{"if_dynamic", "always", "never"}}

// String is "if_dynamic", "always" or "never".
func (m LeaveMode) String() string { return leaveModes.String(m) }

// MarshalText is String, and an error for a mode that does not exist.
func (m LeaveMode) MarshalText() ([]byte, error) { return leaveModes.Marshal(m) }

// UnmarshalText reads what String wrote; an unknown name is an *fsm.UnknownNameError.
func (m *LeaveMode) UnmarshalText(text []byte) (err error) {
	*m, err = leaveModes.Parse(string(text))
	return err
}

func (Poll) input()             {}
func (PollGivenUp) input()      {}
func (Tick) input()             {}
func (Response) input()         {}
func (Assigned) input()         {}
func (AssignmentFailed) input() {}
func (CallbackEnded) input()    {}
func (RejoinAsked) input()      {}
func (ProtocolsChanged) input() {}
func (LeaveAsked) input()       {}
func (CloseAsked) input()       {}
func (CommitAsked) input()      {}
func (LoopBroke) input()        {}
