package heartbeat

//kbeat:pure

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// What a caller may want to tell apart beside an *Error.
var (
	// ErrClosed is returned by calls on a member that is closed.
	ErrClosed = errors.New("the member is closed")

	// ErrLeft ends a poll, or a session, because the application has asked to leave the group.
	ErrLeft = errors.New("the member leaves the group, as it was asked to")
)

// Error is a failure that a rule of the specification decides about.
type Error struct {
	Name       string        // what it is: a code's name, or one of the specification's own such as COMMIT_FAILED
	Input      classic.Input // the response, event or loop that brought it
	Code       classic.Code  // what the response carried, or how the request ended without one; NONE without a response
	Group      string
	Member     string        // id, as it was when it happened
	Generation int32         // as it was when it happened
	State      classic.State // as it was when it happened
	Rule       *classic.Rule // that decided, with its line and reason
	Err        error         // what lies behind it, or nil

	Retriable  bool             // of a commit: the same one may succeed after a pause
	Partitions []PartitionError // of a commit that was answered: what the coordinator said of each
}

// Error says what happened, to which group, and which rule decided.
func (e *Error) Error() string {
	s := fmt.Sprintf("group %q: %s in %s: %s", e.Group, e.Input, e.State, e.Name)
	if message := e.message(); message != "" {
		s += " (" + message + ")"
	}
	if e.Code != classic.CodeNone {
		if e.Code.String() != e.Name {
			s += " after " + e.Code.String()
		}
		if message := strings.TrimSuffix(e.Code.Message(), "."); message != "" {
			s += " (" + message + ")"
		}
	}
	if e.Err != nil {
		s += fmt.Sprintf(": %v", e.Err)
	}
	if e.Rule != nil {
		s += fmt.Sprintf("; rule %s at %s", e.Rule.Name, e.Rule.At())
		if e.Rule.Why != "" {
			s += ": " + e.Rule.Why
		}
	}
	return s
}

// message is what the error's name means, where that is not the code's that was answered.
func (e *Error) message() string {
	if e.Rule == nil || e.Name == e.Code.String() {
		return ""
	}
	message := ""
	switch r := e.Rule.Result.Error(); {
	case r.Kind == fsm.ErrorNamed && r.Name.String() == e.Name:
		message = r.Name.Message()
	case r.Kind == fsm.ErrorCode && r.Code.String() == e.Name:
		message = r.Code.Message()
	}
	return strings.TrimSuffix(message, ".")
}

// Is says whether target, a classic.Code or a classic.ErrorName, is what the error is, by its Name:
//
//	errors.Is(err, classic.CodeFencedInstanceID) // another process has the instance id
//	errors.Is(err, classic.ErrorCommitFailed)    // the generation in which the offsets were read has ended
//
// What is raised under a name of the specification's own is not the code that was answered: a commit that comes too late is
// COMMIT_FAILED whether the coordinator answered ILLEGAL_GENERATION or UNKNOWN_MEMBER_ID. That code is in Code.
func (e *Error) Is(target error) bool {
	switch target := target.(type) {
	case classic.Code:
		return e.Name == target.String()
	case classic.ErrorName:
		return e.Name == target.String()
	}
	return false
}

// Unwrap is Err.
func (e *Error) Unwrap() error { return e.Err }
