package heartbeat

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kbeat/kbeat/fsm"
	"github.com/kbeat/kbeat/fsm/classic"
)

// An error says of which group it is, what happened, in which state, why, and which rule decided, with its line.
func TestErrorSaysWhatHappened(t *testing.T) {
	cause := errors.New("the wire is cut")
	d := drive(t)
	d.step(Poll{})
	d.answer(classic.InputFindCoordinator, classic.CodeNone)
	d.step(Response{ID: d.sent(classic.InputJoinGroup).ID, Code: classic.CodeGroupAuthorizationFailed, Err: cause})
	var err *Error
	require.ErrorAs(t, d.out[len(d.out)-1].(PollEnded).Err, &err)
	require.ErrorIs(t, err, cause)
	require.Equal(t, Error{
		Name: "GROUP_AUTHORIZATION_FAILED", Input: classic.InputJoinGroup, Code: classic.CodeGroupAuthorizationFailed, Group: "g",
		Node: 1, Generation: NoGeneration, State: classic.PreparingRebalance, Rule: err.Rule, Err: cause,
	}, *err)
	require.Regexp(t, `^group "g": JoinGroup at broker 1 in PREPARING_REBALANCE: GROUP_AUTHORIZATION_FAILED \(.+[^.]\): the wire is cut; rule at classic.yaml:\d+$`, err.Error())

	// The next error knows nothing of the last one.
	d.step(CommitAsked{Member: "m-9", Generation: 3})
	require.ErrorAs(t, d.out[len(d.out)-1].(CommitEnded).Err, &err)
	require.Equal(t, Error{
		Name: "REBALANCE_IN_PROGRESS", Input: classic.InputCommit, Group: "g", Node: AnyBroker, Generation: NoGeneration, State: classic.PreparingRebalance, Rule: err.Rule,
	}, *err)

	d.step(Poll{})
	d.after(120 * time.Millisecond)
	require.Equal(t, "poll ends: UNEXPECTED", d.answer(classic.InputJoinGroup, classic.Code(999)))
	require.ErrorAs(t, d.out[len(d.out)-1].(PollEnded).Err, &err)
	require.Regexp(t, `JoinGroup at broker 1 in PREPARING_REBALANCE: UNEXPECTED \(an answer that the response is not known to carry\) after UNKNOWN\(999\); rule at classic.yaml:\d+$`, err.Error())
}

// What each rule raises is found as what it is: the answered code, another code, or a named error; and as nothing else.
func TestErrorIs(t *testing.T) {
	core := drive(t).core
	const answered = classic.CodeFencedInstanceID
	core.step.answer = Response{Code: answered, Err: io.ErrUnexpectedEOF}
	targets := []error{classic.CodeNone, classic.Code(999), answered}
	for _, rule := range classic.Rules() {
		switch e := rule.Result.Error(); e.Kind {
		case fsm.ErrorCode:
			targets = append(targets, e.Code)
		case fsm.ErrorNamed:
			targets = append(targets, e.Name)
		}
	}
	kinds := map[fsm.ErrorKind]bool{}
	for _, rule := range classic.Rules() {
		e := rule.Result.Error()
		kinds[e.Kind] = true
		err := core.failure(rule)
		var want error
		switch e.Kind {
		case fsm.ErrorNone:
			require.NoError(t, err, rule)
			continue
		case fsm.ErrorOwn:
			want = answered
		case fsm.ErrorCode:
			want = e.Code
		case fsm.ErrorNamed:
			want = e.Name
		}
		for _, target := range targets {
			require.Equal(t, target == want, errors.Is(fmt.Errorf("poll: %w", err), target), "%s raises %s: is it %s?", rule, want, target)
		}
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "what lies behind it is found too")
	}
	require.Len(t, kinds, 4, "results of each kind")
}

// Who searches logs for a code finds where it was received: an error names no other, whatever rule has raised it.
func TestErrorNamesNoCodeThatWasNotReceived(t *testing.T) {
	core := drive(t).core
	words := regexp.MustCompile(`[A-Z][A-Z_]+[A-Z]`)
	for _, rule := range classic.Rules() {
		for _, answered := range []classic.Code{classic.CodeNone, classic.CodeFencedInstanceID, classic.CodeDisconnect, classic.CodeAbandoned} {
			core.step.answer = Response{Code: answered}
			err := core.failure(rule)
			if err == nil {
				continue
			}
			if answered == classic.CodeAbandoned { // by the member
				require.NotContains(t, err.Error(), answered.String(), rule)
				require.Equal(t, 1, strings.Count(err.Error(), "stopped waiting for the answer"), "%s: %v", rule, err)
			}
			for _, word := range words.FindAllString(err.Error(), -1) {
				if code, e := classic.ParseCode(word); e == nil {
					require.Equal(t, answered, code, "%s: %v", rule, err)
				}
			}
		}
	}
}

// Of the errors that have no code, one may be mended by a repetition: that the join was given up.
func TestWhichErrorsMayBeRepeated(t *testing.T) {
	seen := map[classic.ErrorName]bool{}
	for _, rule := range classic.Rules() {
		if e := rule.Result.Error(); e.Kind == fsm.ErrorNamed {
			seen[e.Name] = true
			require.Equal(t, e.Name == classic.ErrorUnjoinedGroup, e.Name.Retriable(), e.Name)
		}
	}
	require.Len(t, seen, 11, "each is raised by some rule")
}

// A code that no catalogue knows is told from another one.
func TestErrorIsUnknownCode(t *testing.T) {
	err := &Error{Name: classic.Code(999).String(), Code: 999}
	require.ErrorIs(t, err, classic.Code(999))
	require.NotErrorIs(t, err, classic.Code(998))
	require.NotErrorIs(t, err, ErrClosed)
}
