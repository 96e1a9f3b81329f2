package heartbeat

//kbeat:pure

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// What a caller may want to tell apart beside an *Error.
var (
	// ErrClosed is returned by calls on a member that is closed.
	ErrClosed = errors.New("the member is closed")

	// ErrLeft ends a poll, or a session, because the application has asked to leave the group.
	ErrLeft = errors.New("the member leaves the group, as it was asked to")

	// ErrReplaced is returned by a commit that would be tried again, where a later commit of the same partition was asked
	// for meanwhile: the earlier one is sent no more, as it would undo the later one.
	ErrReplaced = errors.New("a later commit has replaced it")

	// ErrOutcomeUnknown is what the error of a commit is, by errors.Is, when a request was sent and not answered. It is no
	// reason to take the offsets for not stored.
	ErrOutcomeUnknown = errors.New("the outcome is unknown: the offsets may have been stored")
)

// Error is a failure that a rule of the specification decides about.
type Error struct {
	Name       string        // what it is: a code's name, or one of the specification's own such as COMMIT_FAILED
	Input      classic.Input // the response, event or loop that brought it
	Code       classic.Code  // what the response carried, or how the request ended without one; NONE without a response
	Group      string
	Node       int32         // the broker that the request was sent to; AnyBroker for a lookup, and where there was no request
	Member     string        // id, as it was when it happened
	Generation int32         // as it was when it happened
	State      classic.State // as it was when it happened
	Rule       *classic.Rule // that decided, with its line and reason
	Err        error         // what lies behind it, or nil

	Retriable  bool             // of a commit: the same one may succeed after a pause
	Unknown    bool             // of a commit: a request was sent and not answered, and the offsets may have been stored
	Partitions []PartitionError // of a commit that was answered: those that failed
	rules      []*classic.Rule  // that decided about each of Partitions
}

// Error says what happened, to which group and at which broker, and where the rule stands that decided. It names no code but
// those that were received, so that who searches for a code finds where that was answered; Rule has its name and reason. Of
// a request that the member has abandoned it has the message alone.
func (e *Error) Error() string {
	s := fmt.Sprintf("group %q: %s", e.Group, e.text())
	if e.Rule != nil {
		s += "; rule at " + e.Rule.At()
	}
	return s
}

// text is the error without its group and rule, which an error that lies behind another has in common with it, or has no
// need of.
func (e *Error) text() string {
	s := happened(e.Input)
	if e.Code != classic.CodeNone && e.Node != AnyBroker {
		s += " at " + brokerName(e.Node)
	}
	if e.Input != classic.InputReleased { // the member is in none any more
		s += " in " + e.State.String()
	}
	if what := e.what(); what != "" {
		s += ": " + what
	}
	if e.Code != classic.CodeNone {
		if e.Code.String() != e.Name && e.Code != classic.CodeAbandoned {
			s += " after " + e.Code.String()
		}
		if message := plain(e.Code.Message()); message != "" && !e.isAbandoned() {
			s += " (" + message + ")"
		}
	}
	if len(e.Partitions) > 0 {
		s += ": " + e.partitions()
	}
	if behind, ok := e.Err.(*Error); ok && behind.Group == e.Group {
		s += ": " + behind.text()
	} else if e.Err != nil {
		s += fmt.Sprintf(": %v", e.Err)
	}
	if e.Unknown {
		s += "; " + ErrOutcomeUnknown.Error()
	}
	return s
}

// happened is an input in an operator's words.
func happened(in classic.Input) string {
	switch in {
	case classic.InputLeaseTurn:
		return "lease"
	case classic.InputCheckTurn:
		return "check of the coordinator"
	case classic.InputHeartbeatTurn, classic.InputLoopBroke:
		return "heartbeat loop"
	case classic.InputAssigned, classic.InputAssignmentFailed:
		return "assignment by the leader"
	case classic.InputCallbackFailed:
		return "callback"
	case classic.InputRejoinAsked:
		return "rejoin, as the application has asked for"
	case classic.InputReleased:
		return "left group without notifying the coordinator"
	}
	return in.String()
}

// what is the error's name, with what that means where it is not the code that was answered. A code that was not answered
// is not named; nor is a rule that is no failure.
func (e *Error) what() string {
	if e.isAbandoned() {
		return plain(e.Code.Message())
	}
	if e.Rule == nil || e.Name == e.Code.String() {
		return e.Name
	}
	switch r := e.Rule.Result.Error(); {
	case e.Name == e.Rule.Name:
		return ""
	case e.Err == errNoAssignment:
		return e.Name
	case r.Kind == fsm.ErrorNamed && r.Name.String() == e.Name && r.Name.Message() != "":
		return e.Name + " (" + plain(r.Name.Message()) + ")"
	case r.Kind == fsm.ErrorCode && r.Code.String() == e.Name && r.Code.Message() != "":
		return plain(r.Code.Message())
	}
	return e.Name
}

// isAbandoned reports whether the error is no more than that the member has abandoned the request.
func (e *Error) isAbandoned() bool {
	return e.Code == classic.CodeAbandoned && e.Name == e.Code.String()
}

// partitions names the partitions that have failed, and of what, where that is not what the whole has failed of.
func (e *Error) partitions() string {
	names := make([]string, 0, mostListed)
	for _, p := range e.Partitions[:min(len(e.Partitions), mostListed)] {
		name := fmt.Sprintf("%s-%d", p.Topic, p.Partition)
		if p.Code != e.Code {
			name += " " + p.Code.String()
		}
		names = append(names, name)
	}
	return withMore(names, len(e.Partitions))
}

// mostListed is how many partitions a text names.
const mostListed = 5

// withMore is a list of names, of which there are more than are named.
func withMore(names []string, all int) string {
	list := strings.Join(names, ", ")
	if more := all - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// brokerName is "broker 2", or "any broker".
func brokerName(node int32) string {
	if node == AnyBroker {
		return "any broker"
	}
	return fmt.Sprintf("broker %d", node)
}

// plain is a message as a part of a sentence.
func plain(message string) string {
	if len(message) > 1 && unicode.IsUpper(rune(message[0])) && !unicode.IsUpper(rune(message[1])) {
		message = strings.ToLower(message[:1]) + message[1:]
	}
	return strings.TrimSuffix(message, ".")
}

// Is reports whether target, a classic.Code or a classic.ErrorName, is what the error is, by its Name; or whether it is Unknown,
// where target is ErrOutcomeUnknown:
//
//	errors.Is(err, classic.CodeFencedInstanceID) // another process has the instance id
//	errors.Is(err, classic.ErrorCommitFailed)    // the generation in which the offsets were read has ended
//	errors.Is(err, classic.ErrorCommitUnknown)   // it ended before the answer; the offsets may have been stored, and are not sent again
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
	return e.Unknown && target == ErrOutcomeUnknown
}

// Unwrap is Err.
func (e *Error) Unwrap() error { return e.Err }
